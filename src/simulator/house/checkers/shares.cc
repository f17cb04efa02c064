// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "objects/metadata.h"
#include "simulator/house/checkers/checkers.h"
#include "simulator/house/checkers/read.h"

namespace muster::simulator {

namespace {

using objects::ObjectKey;
using objects::View;

// What was admitted before everybody had come still runs.
constexpr std::int64_t warm_up = 15;
// Before that a mean says little.
constexpr std::int64_t moments_min = 40;

bool is_waiting(View workload) {
  return !objects::is_being_deleted(workload) &&
         objects::is_false(objects::condition(workload, "QuotaReserved")) &&
         !objects::is_true(objects::condition(workload, "Finished"));
}

std::int64_t cpu_asked(View workload) {
  std::int64_t cpu = 0;
  for (const View set : workload["spec"]["podSets"].elements()) {
    cpu += cpu_of(set["template"]) * set["count"].integer_or(1);
  }
  return cpu;
}

// What a queue had, summed over moments at which all of its equals had somebody waiting.
struct Ledger {
  std::int64_t held = 0;     // milli cpu × moments
  std::int64_t largest = 0;  // that any workload of it asked for
  bool is_backlogged = false;
  std::int64_t holds = 0;  // at this moment
};

class Shares final : public Checker {
 public:
  using Checker::Checker;

  void on_change(const Change& change) override {
    const bool is_quota = change.plural == "clusterqueues" || change.plural == "cohorts";
    if (is_quota && !(change.before["spec"] == change.after["spec"])) forget();
    if (change.plural == "configmaps") {
      forget();
      is_fair_ = change.after["data"]["controller_manager_config.yaml"].string_or("").find(
                     "fairSharing") != std::string_view::npos;
    }
  }

  void on_moment() override {
    if (!is_fair_ || !are_equal()) return;
    look();
    const bool all_wait =
        std::ranges::all_of(ledgers_, [](const auto& each) { return each.second.is_backlogged; });
    if (!all_wait || ledgers_.size() < 2 || ++backlogged_ <= warm_up) return;
    for (auto& [name, ledger] : ledgers_) ledger.held += ledger.holds;
    if (++moments_ >= moments_min) compare();
  }

 private:
  void forget() {
    ledgers_.clear();
    backlogged_ = 0;
    moments_ = 0;
  }

  // Queues of one cohort whose specs are the same, and nobody else: then nobody deserves more.
  bool are_equal() const {
    const auto& queues = evidence_.all("clusterqueues");
    if (queues.empty() || !queues.begin()->second["spec"]["cohortName"]) return false;
    return std::ranges::all_of(queues, [&](const auto& each) {
      return each.second["spec"] == queues.begin()->second["spec"];
    });
  }

  void look() {
    for (const auto& [key, queue] : evidence_.all("clusterqueues")) {
      Ledger& ledger = ledgers_[key.name];
      ledger.is_backlogged = false;
      ledger.holds = 0;
    }
    for (const auto& [key, workload] : evidence_.all("workloads")) {
      const ObjectKey local{key.name_space,
                            std::string(workload["spec"]["queueName"].string_or(""))};
      const View queue = evidence_.find("localqueues", local)["spec"]["clusterQueue"];
      const auto found = ledgers_.find(std::string(queue.string_or("")));
      if (found == ledgers_.end()) continue;
      Ledger& ledger = found->second;
      ledger.largest = std::max(ledger.largest, cpu_asked(workload));
      if (is_holding(workload)) ledger.holds += cpu_asked(workload);
      if (is_waiting(workload)) ledger.is_backlogged = true;
    }
  }

  // The mean of one is not above that of another by more than the largest workload, and a quarter
  // of it for the time between an end and the next beginning.
  void compare() {
    const auto held = [](const auto& each) { return each.second.held; };
    const auto [least, most] = std::ranges::minmax_element(ledgers_, {}, held);
    std::int64_t largest = 0;
    for (const auto& [name, ledger] : ledgers_) largest = std::max(largest, ledger.largest);
    const std::int64_t error = (most->second.held - least->second.held) / moments_;
    if (error <= largest + largest / 4) return;
    evidence_.violate("I11 fair shares",
                      fmt::format("over {} s in which all waited, {} held {}m cpu more than {} on "
                                  "average; the largest workload asks for {}m",
                                  moments_, most->first, error, least->first, largest));
  }

  std::map<std::string, Ledger> ledgers_;  // by ClusterQueue
  std::int64_t backlogged_ = 0;            // moments at which all waited
  std::int64_t moments_ = 0;               // that count
  bool is_fair_ = false;
};

}  // namespace

std::unique_ptr<Checker> make_shares(Evidence& evidence) {
  return std::make_unique<Shares>(evidence);
}

}  // namespace muster::simulator
