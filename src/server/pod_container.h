// Which container of a pod a request means: the one it names, the only one, or the one that the
// pod's annotation names. The words of the refusals are kube-apiserver's.
//
//   const std::string container = ALLOWED(container_of(pod, query.text_or_empty("container")));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "objects/value.h"
#include "server/outcome.h"

namespace muster::server {

Outcome<std::string> container_of(objects::View pod, std::string_view wanted);

}  // namespace muster::server
