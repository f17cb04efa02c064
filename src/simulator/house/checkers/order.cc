// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "objects/metadata.h"
#include "simulator/house/checkers/checkers.h"
#include "simulator/house/checkers/read.h"

namespace muster::simulator {

namespace {

using objects::ObjectKey;
using objects::View;

// Everybody has heard of a Workload by then, and of what was edited on it and its queue.
constexpr Span known_within = Span::of_seconds(90);
// An admission that was decided first may be written last, or get lost and be decided again.
constexpr int overtaken_max = 4;

bool is_waiting(View workload) {
  return !workload.is_absent() && !objects::is_being_deleted(workload) &&
         objects::is_false(objects::condition(workload, "QuotaReserved")) &&
         !objects::is_true(objects::condition(workload, "Finished")) &&
         !objects::is_true(objects::condition(workload, "WaitingForReplacementPods")) &&
         !objects::is_true(objects::condition(workload, "Evicted")) &&
         workload["spec"]["active"].boolean_or(true);
}

class Order final : public Checker {
 public:
  using Checker::Checker;

  void on_change(const Change& change) override {
    if (change.plural == "clusterqueues" || change.plural == "localqueues") {
      if (!(change.before["spec"] == change.after["spec"])) edited_ = evidence_.now();
      return;
    }
    if (change.plural != "workloads") return;
    const bool is_admitted = !is_holding(change.before) && is_holding(change.after);
    if (is_admitted) judge(change);
    const bool was_same = change.before["spec"]["priority"] == change.after["spec"]["priority"];
    if (!is_waiting(change.after)) {
      waiting_.erase(change.key);
      overtaken_.erase(change.key);
    } else if (!was_same || !waiting_.contains(change.key)) {
      waiting_[change.key] = evidence_.now();
    }
  }

 private:
  std::string queue_of(View workload) const {
    const ObjectKey local{std::string(workload["metadata"]["namespace"].string_or("")),
                          std::string(workload["spec"]["queueName"].string_or(""))};
    return std::string(evidence_.find("localqueues", local)["spec"]["clusterQueue"].string_or(""));
  }

  // The first of a StrictFIFO queue goes first: by priority, then by age.
  static bool goes_before(View a, View b) {
    const std::int64_t first = a["spec"]["priority"].integer_or(0);
    const std::int64_t second = b["spec"]["priority"].integer_or(0);
    if (first != second) return first > second;
    return a["metadata"]["creationTimestamp"].string_or("") <
           b["metadata"]["creationTimestamp"].string_or("");
  }

  void judge(const Change& change) {
    const std::string queue = queue_of(change.after);
    const View spec = evidence_.find("clusterqueues", {"", queue})["spec"];
    if (spec["queueingStrategy"].string_or("") != "StrictFIFO") return;
    if (edited_ + known_within > evidence_.now()) return;
    for (const auto& [key, since] : waiting_) {
      if (key == change.key || since + known_within > evidence_.now()) continue;
      const auto& other = evidence_.find("workloads", key);
      if (queue_of(other) != queue || !goes_before(other, change.after)) continue;
      if (++overtaken_[key] <= overtaken_max) continue;
      evidence_.violate("I12 order", fmt::format("{} was admitted to {} before {}",
                                                 change.key.to_string(), queue, key.to_string()));
    }
  }

  std::map<ObjectKey, MonotonicInstant> waiting_;  // since when, with this priority
  std::map<ObjectKey, int> overtaken_;             // how often
  MonotonicInstant edited_ = {};                   // any queue
};

}  // namespace

std::unique_ptr<Checker> make_order(Evidence& evidence) {
  return std::make_unique<Order>(evidence);
}

}  // namespace muster::simulator
