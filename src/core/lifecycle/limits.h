// The maxima of this folder. Beyond each there is a reason on the object, never growth.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::core {

// Pods that one step of a job makes, or takes away; and pods that wait in its status to be counted.
inline constexpr std::int64_t job_pods_per_step_max = 500;
inline constexpr std::size_t job_uncounted_pods_max = 500;

// Of the pods that a step makes, those whose answers the others wait for.
inline constexpr std::int64_t job_pods_ahead = 16;

// Pods of one job that may exist at the same time; Kubernetes allows an Indexed Job as many.
inline constexpr std::int64_t job_pods_max = 100'000;

// Pods of one ReplicaSet or StatefulSet, and how many of them one step makes or takes away.
inline constexpr std::int64_t replicas_max = 100'000;
inline constexpr std::size_t replica_burst_max = 500;

// Addresses in one EndpointSlice, and in an Endpoints object, as Kubernetes has them.
inline constexpr std::size_t slice_endpoints_max = 100;
inline constexpr std::size_t endpoints_addresses_max = 1'000;

}  // namespace muster::core
