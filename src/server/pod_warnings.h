// What kube-apiserver warns of in a pod, or in the template of one, though it takes it: fields that
// do nothing any more, names that appear twice, ports that clash.
//
//   warn_of_pods(admission);       // Warning: spec.containers[0].env[1]: hides previous
//   definition…
//
// Pods are looked at when they are created, templates also when they change.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/admission.h"

namespace muster::server {

void warn_of_pods(Admission& admission);

}  // namespace muster::server
