// The names that Kueue uses on plain pods and pod groups; those of every kind are in core/words.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/words.h"

namespace muster::core::words {

inline constexpr std::string_view pod_finalizer = managed;
inline constexpr std::string_view topology_gate = "kueue.x-k8s.io/topology";
inline constexpr std::string_view pod_group_name = "kueue.x-k8s.io/pod-group-name";
inline constexpr std::string_view pod_group_total_count = "kueue.x-k8s.io/pod-group-total-count";
inline constexpr std::string_view pod_group_fast_admission =
    "kueue.x-k8s.io/pod-group-fast-admission";
inline constexpr std::string_view pod_group_serving = "kueue.x-k8s.io/pod-group-serving";
inline constexpr std::string_view pod_group_pod_index = "kueue.x-k8s.io/pod-group-pod-index";
inline constexpr std::string_view pod_group_pod_index_label =
    "kueue.x-k8s.io/pod-group-pod-index-label";
inline constexpr std::string_view retriable_in_group = "kueue.x-k8s.io/retriable-in-group";
inline constexpr std::string_view role_hash = "kueue.x-k8s.io/role-hash";
inline constexpr std::string_view suspending_parent = "kueue.x-k8s.io/pod-suspending-parent";

}  // namespace muster::core::words
