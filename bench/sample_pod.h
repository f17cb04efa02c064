// A pod as a training job's looks after a kubelet has reported: two containers with environment,
// resources, probes and mounts, tolerations, a status with conditions (sample_pod.yaml). As
// compact JSON it has about 6 KB.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace muster::bench {

std::string sample_pod();

}  // namespace muster::bench
