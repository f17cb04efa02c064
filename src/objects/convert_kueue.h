// The conversions of Kueue's kinds, one file each. v1beta2 is what is stored.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "objects/builder.h"
#include "objects/value.h"

namespace muster::objects {

enum class KueueConversion : std::uint8_t { to_v1beta1, to_v1beta2 };

// Each yields the whole object; its apiVersion is set by the caller. The builder has the object
// retained, so that its nodes may be used.
Result<Node> convert_kueue_cluster_queue(Builder& builder, View object, KueueConversion which);
Result<Node> convert_kueue_cohort(Builder& builder, View object, KueueConversion which);
Result<Node> convert_kueue_local_queue(Builder& builder, View object, KueueConversion which);
Result<Node> convert_kueue_multi_kueue_cluster(Builder& builder, View object,
                                               KueueConversion which);
Result<Node> convert_kueue_workload(Builder& builder, View object, KueueConversion which);

}  // namespace muster::objects
