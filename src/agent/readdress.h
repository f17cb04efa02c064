// What a pod's specification says of addresses, when it runs again after its platform got another
// network (agent/pod_network.h): its own address, where it asks for names, the members of its gang
// in /etc/hosts, and those variables whose value is an address of the former network. Everything
// keeps its place there, as in server/renumber.h.
//
//   readdress(shim, network);        // 10.88.1.7 → 10.90.1.7
//
// Assumes: networks of /16. Arguments and files are the user's own, and stay.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agent/pod_network.h"
#include "agent/shim_protocol.h"
#include "base/result.h"

namespace muster::agent {

// Whether there was something to change.
bool readdress(ShimSpec& shim, const PodNetwork& present);

// The same to the specification in a pod's folder, while no shim runs there.
Result<> readdress_in(const std::string& folder, const PodNetwork& present);

}  // namespace muster::agent
