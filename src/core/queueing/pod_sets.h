// Pod sets between a job and its Workload: written into the Workload's spec, read back, compared,
// and what admission adds to a pod template and takes from it again. The same for every kind.
//
//   Value pod_template = TRY(injected(job.part(job["spec"]["template"]), injection));
//
// Assumes: templates were admitted by their schema. Two templates are the same gang when their
// containers, init containers and tolerations say the same, as Kueue compares them: absent, null
// and empty do not differ, and neither do "1" and "1000m".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/queueing/shape.h"
#include "objects/value.h"

namespace muster::core {

// Kueue's name of the only pod set of a job.
inline constexpr std::string_view main_pod_set = "main";

// An element of Workload.spec.podSets, and back.
objects::Value to_value(const PodSet& set);
std::vector<PodSet> pod_sets_of(const objects::Value& workload);

// The template with labels, annotations, node selector and tolerations added. Fails with Kueue's
// sentence where a key has another value already; that never heals by itself.
Result<objects::Value> injected(const objects::Value& pod_template,
                                const PodSetInjection& injection);

// The template with the labels, annotations, node selector, tolerations and scheduling gates of the
// original, and its own values of the labels to keep.
objects::Value restored(const objects::Value& pod_template, const objects::Value& original,
                        std::span<const std::string_view> kept_labels);

enum class Tolerations : std::uint8_t { compared, ignored };

bool same_pod_sets(std::span<const PodSet> a, std::span<const PodSet> b, Tolerations tolerations);

// The template whose containers name each environment variable once: the last one counts.
objects::Value without_repeated_variables(const objects::Value& pod_template);

}  // namespace muster::core
