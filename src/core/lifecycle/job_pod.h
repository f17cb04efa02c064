// The pods that a job makes: from its template, with what makes them its own: owner, finalizer, a
// name and, of an Indexed Job, its index as label, annotation, hostname and variable.
//
//   PodMaker maker(job, {.started = start_time, .gang_size = 4});
//   edits.push_back(Edit::create(resources::pods, maker.make(2, taken_names)));
//
// Assumes: the job was admitted by its schema. Names look like those of generateName but follow
// from the job's uid, its start and failures, the index and how many such names are taken: see
// run_job.h for why.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "base/instant.h"
#include "core/lifecycle/job_index_backoff.h"
#include "objects/value.h"

namespace muster::core {

struct PodsMade {
  Instant started = {};        // of the job: pods of its next start have other names
  std::int64_t failed = 0;     // so far: a pod that is gone does not leave its name to the next
  std::int64_t gang_size = 0;  // how many there will be; the annotation never says more
  std::function<bool(const std::string&)> is_taken = {};  // a name, by pods of others
};

class PodMaker {
 public:
  PodMaker(const objects::Value& job, const PodsMade& pods);

  // The name is one that is not taken, and is taken from now on. The failures are those of the
  // index before it, in a job that counts them.
  objects::Value make(std::optional<std::int64_t> index, std::set<std::string>& taken_names,
                      const std::optional<IndexFailures>& failures = {});

 private:
  std::string name_prefix(std::optional<std::int64_t> index) const;
  std::string free_name(const std::string& prefix, std::optional<std::int64_t> index,
                        std::set<std::string>& taken_names);

  std::string job_name_;
  std::string incarnation_;
  std::function<bool(const std::string&)> is_taken_;
  objects::Value pod_;            // all that the pods have in common
  std::size_t next_attempt_ = 0;  // of pods without an index
};

}  // namespace muster::core
