// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "simulator/house/checkers/checkers.h"
#include "simulator/house/checkers/read.h"

namespace muster::simulator {

namespace {

using objects::View;

// An edit of quota needs this long to be known by whoever admits: until then the old one counts.
constexpr Span quota_known_after = Span::of_seconds(60);
constexpr int moments_between_recounts = 10;

class Quota final : public Checker {
 public:
  using Checker::Checker;

  void on_change(const Change& change) override {
    if (change.plural == "clusterqueues") on_queue(change);
    if (change.plural == "workloads") on_workload(change);
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
  struct Nominal {
    MonotonicInstant since;
    Usage quota;
  };

  static Usage nominal_of(View queue) {
    Usage quota;
    for (const View group : queue["spec"]["resourceGroups"].elements()) {
      for (const View flavor : group["flavors"].elements()) {
        for (const View resource : flavor["resources"].elements()) {
          quota[{std::string(flavor["name"].string_or("")),
                 std::string(resource["name"].string_or(""))}] = milli_of(resource["nominalQuota"]);
        }
      }
    }
    return quota;
  }

  void on_queue(const Change& change) {
    if (change.after.is_absent()) return;
    std::deque<Nominal>& history = nominal_[change.key.name];
    Usage quota = nominal_of(change.after);
    if (!history.empty() && history.back().quota == quota) return;
    history.push_back({evidence_.now(), std::move(quota)});
  }

  // The largest that whoever admits may still believe in.
  std::int64_t allowed(const std::string& queue, const std::pair<std::string, std::string>& what) {
    std::deque<Nominal>& history = nominal_[queue];
    while (history.size() > 1 && history[1].since + quota_known_after < evidence_.now()) {
      history.pop_front();
    }
    std::int64_t most = 0;
    for (const Nominal& each : history) {
      const auto found = each.quota.find(what);
      if (found != each.quota.end()) most = std::max(most, found->second);
    }
    return most;
  }

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
    if (held) return;
    const std::string queue(change.after["status"]["admission"]["clusterQueue"].string_or(""));
    for (const auto& [what, mine] : usage_of(change.after)) {
      const std::int64_t most = allowed(queue, what);
      const std::int64_t now = usage_[queue][what];
      if (mine < 0 || now <= most) continue;
      evidence_.violate(
          "I4 quota",
          fmt::format("Workload {} was admitted with {}m {}: {} holds {}m of {}m in {}",
                      change.key.to_string(), mine, what.second, queue, now, most, what.first));
    }
  }

  void told_empty(const std::string& name, View queue) {
    const View status = queue["status"];
    if (status["reservingWorkloads"].integer_or(0) != 0 ||
        status["admittedWorkloads"].integer_or(0) != 0 ||
        status["pendingWorkloads"].integer_or(0) != 0) {
      evidence_.violate("I4 quota", fmt::format("ClusterQueue {} still counts Workloads", name));
    }
    for (const View flavor : status["flavorsReservation"].elements()) {
      for (const View resource : flavor["resources"].elements()) {
        if (milli_of(resource["total"]) == 0) continue;
        evidence_.violate("I4 quota", fmt::format("ClusterQueue {} still tells of usage", name));
      }
    }
  }

  std::map<std::string, Usage, std::less<>> usage_;  // by ClusterQueue
  std::map<std::string, std::deque<Nominal>, std::less<>> nominal_;
  int moments_ = 0;
};

}  // namespace

std::unique_ptr<Checker> make_quota(Evidence& evidence) {
  return std::make_unique<Quota>(evidence);
}

}  // namespace muster::simulator
