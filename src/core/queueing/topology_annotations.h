// The annotations with which a pod, or the template of a job, asks for a place in a topology: read
// into the topologyRequest of a pod set, and checked as Kueue's webhooks check them.
//
//   set.topology_request = topology_request(pod_template, words::completion_index);
//   check_topology_annotations(errors, "spec.template.metadata", pod_template, gates);
//   check_slice_sizes(errors, "spec.template.metadata", pod_template, set.count);
//
// Assumes: annotations are texts. What cannot be read is left out of the request: it was refused
// when the job was written, unless nobody asked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "core/model/feature_gates.h"
#include "objects/field_error.h"
#include "objects/value.h"

namespace muster::core {

// Ranks are read from the label.
objects::Value topology_request(objects::View pod, std::string_view index_label);

// At most one mode, names of levels, slices of one size or of several layers, and groups.
void check_topology_annotations(objects::FieldErrors& errors, std::string_view metadata_path,
                                objects::View pod, const FeatureGates& gates);

// A slice is no larger than the pod set. Assumes that the annotations were checked.
void check_slice_sizes(objects::FieldErrors& errors, std::string_view metadata_path,
                       objects::View pod, std::int64_t count);

}  // namespace muster::core
