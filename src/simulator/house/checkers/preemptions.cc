// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "objects/metadata.h"
#include "simulator/house/checkers/checkers.h"
#include "simulator/house/checkers/read.h"

namespace muster::simulator {

namespace {

using objects::Value;
using objects::View;

// What was decided on may have been edited since; and A and B that take turns this often never end.
constexpr Span decided_within = Span::of_seconds(60);
constexpr int turns_max = 5;
// Lost writes and dead machines let one come back for the same victim, but not this often.
constexpr int same_victim_max = 20;

View preempted(View workload) {
  return objects::condition(workload, "Preempted");
}

class Preemptions final : public Checker {
 public:
  using Checker::Checker;

  void on_change(const Change& change) override {
    if (change.plural != "workloads" || change.after.is_absent()) return;
    const std::string uid(objects::uid_of(change.after));
    const std::int64_t priority = change.after["spec"]["priority"].integer_or(0);
    Known& known = known_.try_emplace(uid, Known{.priority = priority}).first->second;
    if (known.priority != priority) known.edited = evidence_.now();
    known.priority = priority;
    known.name_space = change.key.name_space;
    known.queue = change.after["spec"]["queueName"].string_or("");
    if (objects::is_true(preempted(change.before)) || !objects::is_true(preempted(change.after))) {
      return;
    }
    judge(change, uid, known);
  }

 private:
  struct Known {
    std::int64_t priority = 0;
    MonotonicInstant edited = {};
    std::string name_space = {};
    std::string queue = {};
  };

  void judge(const Change& change, const std::string& uid, const Known& victim) {
    const std::string_view message = preempted(change.after)["message"].string_or("");
    static constexpr std::string_view mark = "(UID: ";
    const std::size_t at = message.find(mark);
    if (at == std::string_view::npos) return;
    const std::string other(message.substr(at + mark.size(), uid.size()));
    const auto preemptor = known_.find(other);
    if (preemptor == known_.end()) return;
    if (++turns_[{other, uid}] > turns_max && turns_[{uid, other}] > turns_max) {
      evidence_.violate("I10 preemption", fmt::format("{} and another preempt each other in turns",
                                                      change.key.to_string()));
    }
    if (turns_[{other, uid}] > same_victim_max) {
      evidence_.violate("I10 preemption",
                        fmt::format("{} comes back and is preempted for the same one for ever",
                                    change.key.to_string()));
    }
    const bool is_young = victim.edited + decided_within > evidence_.now() ||
                          preemptor->second.edited + decided_within > evidence_.now();
    if (is_young) return;
    const std::string_view reason = preempted(change.after)["reason"].string_or("");
    const std::string wrong = wrong_with(reason, preemptor->second, victim, change);
    if (wrong.empty()) return;
    evidence_.violate("I10 preemption", fmt::format("{} was preempted ({}): {}",
                                                    change.key.to_string(), reason, wrong));
  }

  View queue_of(const Known& workload) const {
    const Value& local = evidence_.find("localqueues", {workload.name_space, workload.queue});
    return evidence_.find("clusterqueues",
                          {"", std::string(local["spec"]["clusterQueue"].string_or(""))});
  }

  // Written anew from Kueue's words, not taken from core/.
  std::string wrong_with(std::string_view reason, const Known& preemptor, const Known& victim,
                         const Change& change) const {
    const View queue = queue_of(preemptor);
    if (!queue) return {};
    const View policies = queue["spec"]["preemption"];
    const bool is_same = change.before["status"]["admission"]["clusterQueue"].string_or("") ==
                         objects::name_of(queue);
    std::string_view policy;
    if (reason == "InClusterQueue") {
      policy = policies["withinClusterQueue"].string_or("Never");
      if (!is_same) return "it is in another ClusterQueue";
    } else if (reason == "InCohortReclamation") {
      policy = policies["reclaimWithinCohort"].string_or("Never");
      if (is_same) return "it is in the same ClusterQueue";
    } else if (reason == "InCohortReclaimWhileBorrowing") {
      policy = policies["borrowWithinCohort"]["policy"].string_or("Never");
    } else {
      return {};
    }
    if (policy == "Never") return "the policy is Never";
    if (policy == "LowerPriority" && victim.priority >= preemptor.priority) {
      return fmt::format("its priority is {}, the other's {}", victim.priority, preemptor.priority);
    }
    if (policy == "LowerOrNewerEqualPriority" && victim.priority > preemptor.priority) {
      return fmt::format("its priority is {}, the other's {}", victim.priority, preemptor.priority);
    }
    return {};
  }

  std::map<std::string, Known> known_;                        // by uid
  std::map<std::pair<std::string, std::string>, int> turns_;  // preemptor, victim
};

}  // namespace

std::unique_ptr<Checker> make_preemptions(Evidence& evidence) {
  return std::make_unique<Preemptions>(evidence);
}

}  // namespace muster::simulator
