// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/words.h"
#include "objects/metadata.h"
#include "simulator/house/checkers/checkers.h"
#include "simulator/house/checkers/read.h"

namespace muster::simulator {

namespace {

using objects::ObjectKey;
using objects::View;

struct Expected {
  std::string fate;         // completes, fails, waits
  bool is_deleted = false;  // by its owner: any end will do
};

class ProgressOfJobs final : public Progress {
 public:
  ProgressOfJobs(Evidence& evidence, const Script& script) : Progress(evidence) {
    for (const Line& line : script.lines) {
      const ObjectKey key{line.text("namespace"), line.text("name")};
      if (line.verb == "submit") expected_[key] = {.fate = line.text("fate")};
      if (line.verb == "delete-job") expected_[key].is_deleted = true;
    }
    for (const Line& line : script.lines) {
      if (line.verb != "delete-namespace") continue;
      for (auto& [job, expected] : expected_) {
        if (job.name_space == line.text("name")) expected.is_deleted = true;
      }
    }
  }

  void on_change(const Change& change) override {
    if (change.plural != "jobs" || change.after.is_absent()) return;
    for (const std::string_view end : {"Complete", "Failed"}) {
      if (objects::is_true(objects::condition(change.after, end))) ends_[change.key] = end;
    }
  }

  std::string missing() const override {
    for (const auto& [key, expected] : expected_) {
      if (std::string what = missing_of(key, expected); !what.empty()) return what;
    }
    return {};
  }

  void on_quiet() override {
    if (std::string what = missing(); !what.empty()) {
      evidence_.violate("I7 progress", std::move(what));
    }
  }

 private:
  std::string missing_of(const ObjectKey& key, const Expected& expected) const {
    const auto end = ends_.find(key);
    if (expected.is_deleted) return {};
    if (expected.fate == "waits") return why_not_waiting(key);
    if (end == ends_.end()) return fmt::format("Job {} never ended{}", key.to_string(), hint(key));
    const std::string_view wanted = expected.fate == "fails" ? "Failed" : "Complete";
    if (end->second == wanted) return {};
    return fmt::format("Job {} is {} and should be {}", key.to_string(), end->second, wanted);
  }

  const objects::Value* workload_of(const ObjectKey& job) const {
    const View uid = evidence_.find("jobs", job)["metadata"]["uid"];
    for (const auto& [key, workload] : evidence_.all("workloads")) {
      if (key.name_space == job.name_space && objects::controller_of(workload)["uid"] == uid) {
        return &workload;
      }
    }
    return nullptr;
  }

  std::string why_not_waiting(const ObjectKey& key) const {
    if (evidence_.find("jobs", key).is_absent()) {
      return fmt::format("Job {} should wait and is gone", key.to_string());
    }
    const objects::Value* workload = workload_of(key);
    if (workload == nullptr) return fmt::format("Job {} has no Workload", key.to_string());
    const View reserved = objects::condition(*workload, "QuotaReserved");
    if (objects::is_false(reserved) && !reserved["message"].string_or("").empty()) return {};
    // Whoever waits for a check that says no holds its quota while it is asked.
    const bool is_checked = (*workload)["status"]["admissionChecks"].size() > 0;
    if (is_checked && !objects::is_true(objects::condition(*workload, "Admitted"))) return {};
    return fmt::format("Job {} should wait with a reason", key.to_string());
  }

  // Where it stands, for whoever reads the failure.
  std::string hint(const ObjectKey& key) const {
    if (evidence_.find("jobs", key).is_absent()) return ": it does not exist";
    const objects::Value* workload = workload_of(key);
    if (workload == nullptr) return ": it has no Workload";
    std::string text = ": its Workload says";
    for (const View each : (*workload)["status"]["conditions"].elements()) {
      text += fmt::format(" {}={} ({})", each["type"].string_or(""), each["status"].string_or(""),
                          each["message"].string_or(""));
    }
    return text;
  }

  std::map<ObjectKey, Expected> expected_;
  std::map<ObjectKey, std::string> ends_;
};

}  // namespace

std::unique_ptr<Progress> make_progress(Evidence& evidence, const Script& script) {
  return std::make_unique<ProgressOfJobs>(evidence, script);
}

}  // namespace muster::simulator
