// run_unserved: what is said about objects of kinds that are kept here and that nothing serves:
// HorizontalPodAutoscalers, Ingresses, NetworkPolicies, and jobs of operators that are still to
// come (JobSets, Kubeflow's, Volcano's, Ray's), and about pods that name a scheduler of their own.
// Elsewhere somebody would act on them; whoever applies one here must not believe that somebody
// did. Pure and level-triggered. Embedded only.
//
//   for (Edit& edit : run_unserved(network_policies, policy, now)) …      // an Event
//
// Assumes: asked when the object is new or has changed, and once after each start: an Event lives
// an hour, so it is a reminder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/instant.h"
#include "core/edit.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core {

inline constexpr objects::Resource horizontal_pod_autoscalers{
    "autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler"};
inline constexpr objects::Resource ingresses{"networking.k8s.io", "v1", "ingresses", "Ingress"};
inline constexpr objects::Resource network_policies{"networking.k8s.io", "v1", "networkpolicies",
                                                    "NetworkPolicy"};

inline constexpr objects::Resource job_sets{"jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet"};

std::span<const objects::Resource> unserved_kinds();

// A warning as an Event; an autoscaler also has conditions, which say the same for as long as it
// lives.
std::vector<Edit> run_unserved(const objects::Resource& resource, const objects::Value& object,
                               Instant now);

}  // namespace muster::core
