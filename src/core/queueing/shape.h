// Shape: what a kind of job looks like to queueing. One file per kind, shape_<kind>.cc; all code
// that knows the fields of the kind is there.
//
//   const Shape& shape = job_shape();          // batch/v1
//   for (const PodSet& set : shape.pod_sets(job)) …
//
// Assumes: the job was admitted by its schema; whatever else is wrong with it becomes an Error that
// ends on the job as an event. Functions are pure and answer the edited object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "core/edit.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core {

struct PodSet {
  std::string name;
  objects::Value pod_template;  // metadata and spec
  std::int64_t count = 0;
  std::optional<std::int64_t> minimum_count = {};
  objects::Value topology_request =
      {};  // as in Workload.spec.podSets[]; absent where there is none
};

// What admission adds to the pods of one pod set.
struct PodSetInjection {
  std::string name;
  std::int64_t count = 0;
  std::vector<std::pair<std::string, std::string>> node_selector;
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<std::pair<std::string, std::string>> annotations;
  std::vector<objects::Value> tolerations;
};

struct Outcome {
  bool succeeded = false;
  std::string message;
};

// Pods of a pod set that are done and will not come again: their quota is free.
struct Reclaimable {
  std::string pod_set;
  std::int64_t count = 0;
};

// How far a job is from being stopped.
struct Stop {
  enum class State : std::uint8_t {
    stopped,  // suspended, no pod active, with the template that its user wrote
    waiting,  // for its pods to end, or for its own controller
    writing,  // `edit` is the next write on the way
  };

  State state = State::stopped;
  std::vector<Edit> edits = {};
  bool begins = false;  // the job ran until these writes
};

// Why a job is stopped, and the templates that it gets back.
struct StopOrder {
  std::span<const PodSet> original = {};  // none: its templates stay as they are
  std::string reason = {};                // Kueue's word: `WorkloadDeleted`, `NotAdmitted` …
  std::string message = {};
  Instant now = {};
};

inline constexpr std::string_view stop_of_deleted = "WorkloadDeleted";
inline constexpr std::string_view stop_of_evicted = "WorkloadEvicted";
inline constexpr std::string_view stop_of_unmatched = "NoMatchingWorkload";
inline constexpr std::string_view stop_of_unadmitted = "NotAdmitted";

struct Shape {
  objects::Resource resource;
  std::string_view integration;  // Kueue's name of the kind, "batch/job"

  Result<std::vector<PodSet>> (*pod_sets)(const objects::Value& job);
  bool (*is_suspended)(objects::View job);  // and not in the middle of being stopped
  bool (*is_stopping)(objects::View job);   // in the middle: it must be stopped before it starts
  bool (*is_active)(objects::View job);     // a pod of it may still run
  bool (*is_ready)(objects::View job);      // all pods are ready, or done
  std::optional<Outcome> (*outcome)(objects::View job);  // once it has finished
  std::vector<Reclaimable> (*reclaimable)(objects::View job);

  // Un-suspended, with what admission adds; a key that is there with another value is an error.
  // The edits are updates of what starts.
  Result<std::vector<Edit>> (*start)(const objects::Value& job,
                                     std::span<const PodSetInjection> sets);

  // Stops the job and gives it back the templates of the order.
  Stop (*stop)(const objects::Value& job, const StopOrder& order);

  // Pods that are stopped are deleted: others come in their place, and nothing is given back.
  bool ends_when_stopped = false;

  // Whether a Workload of its name describes the job, where comparing pod sets is not the question;
  // and what such a Workload has that others have not. Null where all is as usual.
  bool (*matches)(const objects::Value& job, const objects::Value& workload) = nullptr;
  objects::Value (*completed)(const objects::Value& job, const objects::Value& workload) = nullptr;
};

const Shape& job_shape();

// The shape of a kind, or null where queueing does not know it.
const Shape* find_shape(const objects::Resource& resource);

}  // namespace muster::core
