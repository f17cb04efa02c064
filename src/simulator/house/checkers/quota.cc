// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "simulator/house/checkers/believed_quota.h"
#include "simulator/house/checkers/checkers.h"
#include "simulator/house/checkers/read.h"

namespace muster::simulator {

namespace {

using objects::View;

constexpr int moments_between_recounts = 10;

class Quota final : public Checker {
 public:
  explicit Quota(Evidence& evidence) : Checker(evidence), believed_(evidence) {}

  void on_change(const Change& change) override {
    believed_.hear(change);
    if (change.plural == "workloads") on_workload(change);
    if (change.plural == "clusterqueues" && change.after.is_absent()) on_gone(change.key.name);
  }

  // The sum kept change by change is the sum over all objects.
  void on_moment() override {
    if (++moments_ % moments_between_recounts != 0) return;
    std::map<std::string, Usage, std::less<>> recount;
    for (const auto& [key, workload] : evidence_.all("workloads")) {
      if (is_holding(workload)) add(recount, workload, 1);
    }
    for (const auto& [queue, usage] : usage_) {
      for (const auto& [what, amount] : usage) {
        if (amount == recount[queue][what]) continue;
        evidence_.violate("I4 quota",
                          fmt::format("usage of {} in {} is {}, by objects {}", what.second, queue,
                                      amount, recount[queue][what]));
      }
    }
  }

  void on_empty() override {
    for (const auto& [queue, usage] : usage_) {
      for (const auto& [what, amount] : usage) {
        if (amount == 0) continue;
        evidence_.violate("I4 quota", fmt::format("{}m {} of {} are still held in {}", amount,
                                                  what.second, what.first, queue));
      }
    }
    for (const auto& [key, queue] : evidence_.all("clusterqueues")) told_empty(key.name, queue);
  }

 private:
  static void add(std::map<std::string, Usage, std::less<>>& usage, View workload,
                  std::int64_t sign) {
    const std::string queue(workload["status"]["admission"]["clusterQueue"].string_or(""));
    for (const auto& [what, amount] : usage_of(workload)) usage[queue][what] += sign * amount;
  }

  void on_workload(const Change& change) {
    const bool held = is_holding(change.before);
    const bool holds = is_holding(change.after);
    if (held) add(usage_, change.before, -1);
    if (!holds) return;
    add(usage_, change.after, 1);
    compare_with_spec(change);
    if (held) return;
    const std::string queue(change.after["status"]["admission"]["clusterQueue"].string_or(""));
    for (const auto& [what, mine] : usage_of(change.after)) {
      const std::string wrong = believed_.exceeded(queue, what, usage_);
      if (mine < 0 || wrong.empty()) continue;
      evidence_.violate(
          "I4 quota",
          fmt::format("Workload {} was admitted to {} with {}m {} of {}: {}",
                      change.key.to_string(), queue, mine, what.second, what.first, wrong));
    }
  }

  // What is held stands in what is asked for, not only in what was written at the admission.
  void compare_with_spec(const Change& change) {
    for (const View set : change.after["status"]["admission"]["podSetAssignments"].elements()) {
      for (const View asked : change.after["spec"]["podSets"].elements()) {
        if (!(asked["name"] == set["name"])) continue;
        const std::int64_t wanted = cpu_of(asked["template"]) * set["count"].integer_or(1);
        const std::int64_t counted = milli_of(set["resourceUsage"]["cpu"]);
        if (wanted == counted) continue;
        evidence_.violate("I4 quota", fmt::format("Workload {} counts {}m cpu for {}m",
                                                  change.key.to_string(), counted, wanted));
      }
    }
  }

  void on_gone(const std::string& queue) {
    for (const auto& [what, amount] : usage_[queue]) {
      if (amount == 0) continue;
      evidence_.violate("I9 released", fmt::format("ClusterQueue {} is gone while {}m {} are held",
                                                   queue, amount, what.second));
    }
  }

  void told_empty(const std::string& name, View queue) {
    const View status = queue["status"];
    if (status["reservingWorkloads"].integer_or(0) != 0 ||
        status["admittedWorkloads"].integer_or(0) != 0 ||
        status["pendingWorkloads"].integer_or(0) != 0) {
      evidence_.violate(
          "I4 quota",
          fmt::format(
              "ClusterQueue {} still counts Workloads: {} pending, {} reserving, {} admitted", name,
              status["pendingWorkloads"].integer_or(0), status["reservingWorkloads"].integer_or(0),
              status["admittedWorkloads"].integer_or(0)));
    }
    for (const View flavor : status["flavorsReservation"].elements()) {
      for (const View resource : flavor["resources"].elements()) {
        if (milli_of(resource["total"]) == 0) continue;
        evidence_.violate("I4 quota", fmt::format("ClusterQueue {} still tells of usage", name));
      }
    }
  }

  std::map<std::string, Usage, std::less<>> usage_;  // by ClusterQueue
  BelievedQuota believed_;
  int moments_ = 0;
};

}  // namespace

std::unique_ptr<Checker> make_quota(Evidence& evidence) {
  return std::make_unique<Quota>(evidence);
}

}  // namespace muster::simulator
