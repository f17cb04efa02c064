// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "objects/metadata.h"
#include "simulator/house/checkers/checkers.h"
#include "simulator/house/checkers/read.h"

namespace muster::simulator {

namespace {

using objects::ObjectKey;
using objects::View;

// A reason has to be written, and the network may be down for a while.
constexpr Span told_within = Span::of_seconds(60);

bool is_waiting(View workload) {
  return !workload.is_absent() && !objects::is_being_deleted(workload) &&
         !objects::is_true(objects::condition(workload, "QuotaReserved")) &&
         !objects::is_true(objects::condition(workload, "Finished"));
}

bool has_reason(View workload) {
  const View reserved = objects::condition(workload, "QuotaReserved");
  return objects::is_false(reserved) && !reserved["reason"].string_or("").empty() &&
         !reserved["message"].string_or("").empty();
}

class Reasons final : public Checker {
 public:
  using Checker::Checker;

  void on_change(const Change& change) override {
    if (change.plural != "workloads") return;
    if (is_waiting(change.after) && !has_reason(change.after)) {
      silent_.try_emplace(change.key, evidence_.now());
    } else {
      silent_.erase(change.key);
    }
  }

  void on_moment() override {
    const auto up = evidence_.up_since();
    if (!up) return;
    const std::set<std::string> told = queues_with_a_reason();
    for (auto& [key, since] : silent_) {
      // In a strict queue only the head is looked at: its reason is everybody's.
      const std::string queue = strict_queue_of(key, evidence_.find("workloads", key));
      if (!queue.empty() && told.contains(queue)) since = evidence_.now();
      if (std::max(since, *up) + told_within > evidence_.now()) continue;
      evidence_.violate("reasons", fmt::format("Workload {} has waited for a minute and more "
                                               "without a reason",
                                               key.to_string()));
    }
  }

 private:
  // The ClusterQueue where it waits; empty unless that is StrictFIFO.
  std::string strict_queue_of(const ObjectKey& key, View workload) const {
    const std::string local(workload["spec"]["queueName"].string_or(""));
    const std::string name(
        evidence_.find("localqueues", {key.name_space, local})["spec"]["clusterQueue"].string_or(
            ""));
    const View queue = evidence_.find("clusterqueues", {"", name});
    return queue["spec"]["queueingStrategy"].string_or("") == "StrictFIFO" ? name : "";
  }

  std::set<std::string> queues_with_a_reason() const {
    std::set<std::string> queues;
    if (silent_.empty()) return queues;
    for (const auto& [key, workload] : evidence_.all("workloads")) {
      if (is_waiting(workload) && has_reason(workload)) {
        queues.insert(strict_queue_of(key, workload));
      }
    }
    return queues;
  }

  std::map<ObjectKey, MonotonicInstant> silent_;
};

}  // namespace

std::unique_ptr<Checker> make_reasons(Evidence& evidence) {
  return std::make_unique<Reasons>(evidence);
}

}  // namespace muster::simulator
