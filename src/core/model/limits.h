// The maxima of core's model. Beyond each there is a typed refusal: the object waits with a reason.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::core {

// One amount, in the resource's own units: 32 PiB, or 36 billion cores. A few hundred of them still
// add up within an int64; what asks for more is no request that a node could meet.
inline constexpr std::int64_t amount_max = std::int64_t{1} << 55;

// Names of resources that the state tells apart.
inline constexpr std::size_t resource_names_max = 4'096;

// Pairs of a flavor and a resource that the state tells apart, in the life of a process.
inline constexpr std::size_t flavor_resources_max = 1'000'000;

// Pods of one pod set, as the schema of Workload limits its count (int32).
inline constexpr std::int64_t pod_set_count_max = 2'147'483'647;

// Levels of a topology, as its schema limits them.
inline constexpr std::size_t topology_levels_max = 16;

// What is kept of an explanation: messages of conditions and events (Kubernetes' own maxima).
inline constexpr std::size_t condition_message_bytes_max = std::size_t{32} * 1024;
inline constexpr std::size_t event_message_bytes_max = 1'024;

// Ends of running workloads that a reserved start is computed from, and workloads that are tried
// behind a head that blocks its queue.
inline constexpr std::size_t endings_considered_max = 256;
inline constexpr std::size_t backfill_candidates_max = 32;

// Gangs that are remembered, so that the next workload that asks for the same shares what was read.
inline constexpr std::size_t gangs_kept_max = 1'024;

// Workloads that one cycle tells why they wait without having been tried.
inline constexpr std::size_t told_in_a_cycle_max = 1024;

}  // namespace muster::core
