// What Kueue's webhooks ask of the labels and annotations of a job of any kind: names that must be
// names, a time limit that must be a number, gates, and what may not change while it runs.
//
//   check_job_names(errors, pod);
//   check_queue_change(errors, {.job = pod, .old_job = old_pod, .is_suspended = …});
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/model/feature_gates.h"
#include "objects/field_error.h"
#include "objects/value.h"

namespace muster::core {

// `metadata.labels[key]`, `metadata.annotations[key]`
std::string label_path(std::string_view key);
std::string annotation_path(std::string_view key);

// A text that is there must be the name of an object.
void check_name(objects::FieldErrors& errors, objects::View text, const std::string& path);

void check_unchanged(objects::FieldErrors& errors, std::string_view now, std::string_view before,
                     const std::string& path);

// Its queue, its prebuilt Workload, its time limit.
void check_job_names(objects::FieldErrors& errors, objects::View job);

// The gates that hold it back; none may be added to an old one (absent where the job is new).
void check_job_gates(objects::FieldErrors& errors, objects::View job, objects::View old_job,
                     const FeatureGates& gates);

struct QueueChange {
  objects::View job;
  objects::View old_job;
  bool is_suspended = false;
  bool was_suspended = false;
  bool has_default_queue = false;
};

void check_queue_change(objects::FieldErrors& errors, const QueueChange& change);

// A part of it: a class is neither given to what runs, nor taken away.
void check_priority_change(objects::FieldErrors& errors, const QueueChange& change);

}  // namespace muster::core
