// What a pod shares with its machine because it asks to: the network (hostNetwork), and shared
// memory with all else that processes exchange by names of their own (hostIPC).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/shim_protocol.h"

namespace muster::agent {

void share_with_machine(ShimSpec& shim);

}  // namespace muster::agent
