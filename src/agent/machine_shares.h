// What a pod shares because it asks to. With its machine: the network (hostNetwork), shared memory
// with all else that processes exchange by names of their own (hostIPC), the processes themselves
// (hostPID). Its containers with each other: their processes (shareProcessNamespace).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/shim_protocol.h"

namespace muster::agent {

void share_with_machine(ShimSpec& shim);

}  // namespace muster::agent
