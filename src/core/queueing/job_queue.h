// What the labels and annotations of a job of any kind say to queueing: its queue, its priority
// class, its time limit, its Workload. One place, because admission and reconciling must agree.
//
//   if (queue_name_of(job).empty()) return {};   // nobody's: left alone
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/configuration.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core {

// The label, or the annotation of old; empty: no queue manages the job.
std::string_view queue_name_of(objects::View job);

struct Unmanaged {
  bool holds = false;         // the job is left alone
  std::string sentence = {};  // where somebody may wonder why; empty: it asked for nothing
  bool is_warning = false;
};

// Why a job of that integration in that Namespace is not Kueue's. Pods whose parent made them wait
// are queued with it, whether or not plain pods are.
Unmanaged why_unmanaged(const JobScope& scope, std::string_view integration, objects::View job,
                        objects::View name_space);

std::string_view priority_class_of(objects::View job);

// The Workload that somebody else made for this job; empty: queueing makes one.
std::string_view prebuilt_workload_of(objects::View job);

std::optional<std::int64_t> maximum_execution_seconds_of(objects::View job);

// `job-train-0a1b2`: the kind, the name, and five digits of a hash over both and the uid, so that a
// job and its successor of the same name have different Workloads. `extra` goes into the hash, too:
// the slices of an elastic job differ by the generation they were made at.
std::string workload_name(const objects::Resource& resource, objects::View job,
                          std::string_view extra = {});

}  // namespace muster::core
