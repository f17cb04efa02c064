// What a pod's /etc/resolv.conf says: whom its programs ask for names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agent/pod_runtime.h"

namespace muster::agent {

// One that asks for nothing of the cluster's asks whom the machine asks.
std::string resolver_text(const PodSpec& pod);

}  // namespace muster::agent
