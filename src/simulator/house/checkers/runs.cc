// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "core/words.h"
#include "objects/metadata.h"
#include "simulator/house/checkers/checkers.h"
#include "simulator/house/checkers/read.h"

namespace muster::simulator {

namespace {

using objects::View;

bool is_at_work(const agent::PodState& state) {
  for (const agent::ContainerState& each : state.containers) {
    if (each.phase == agent::ContainerState::Phase::running) return true;
  }
  return false;
}

class Runs final : public Checker {
 public:
  using Checker::Checker;

  void on_change(const Change& change) override {
    if (change.plural != "pods" || !change.after.is_absent()) return;
    // Taken from a node that could not be heard: what runs there nobody knows.
    const View node =
        evidence_.find("nodes", {"", std::string(change.before["spec"]["nodeName"].string_or(""))});
    if (objects::is_true(objects::condition(node, "Ready"))) return;
    unheard_.emplace(objects::uid_of(change.before));
  }

  void on_start(const agent::PodSpec& spec) override {
    const View index = objects::annotations_of(spec.pod)[core::words::completion_index];
    const View owner = objects::controller_of(spec.pod)["uid"];
    // A machine that was cut off starts what it was told before, and hears of its end right after.
    const bool is_late = is_leaving(spec.pod) || unheard_.contains(spec.uid);
    evidence_.for_each_running([&](const Evidence::Running& other) {
      if (!is_at_work(other.state)) return;
      if (other.state.uid == spec.uid) {
        evidence_.violate("I8 runs once", fmt::format("{} is started while it runs", spec.name));
      }
      const bool is_same =
          index && owner &&
          objects::annotations_of(other.pod)[core::words::completion_index] == index &&
          objects::controller_of(other.pod)["uid"] == owner;
      if (!is_same || other.state.uid == spec.uid || is_late) return;
      if (is_leaving(other.pod) || unheard_.contains(other.state.uid)) return;
      evidence_.violate("I8 runs once",
                        fmt::format("{} is started on {} while {} runs on {}", spec.name, spec.node,
                                    objects::name_of(other.pod), other.node));
    });
  }

  void on_moment() override {
    evidence_.for_each_running([&](const Evidence::Running& pod) {
      if (pod.runs <= 1) return;
      evidence_.violate("I8 runs once", fmt::format("{} ran {} times on {}",
                                                    objects::name_of(pod.pod), pod.runs, pod.node));
    });
  }

 private:
  // Kubernetes replaces a pod as soon as it was told to end (podReplacementPolicy
  // TerminatingOrFailed); Kueue starts a job anew then, and so do we.
  bool is_leaving(View known) const {
    const objects::Value& pod = evidence_.find("pods", objects::key_of(known));
    return objects::uid_of(pod) == objects::uid_of(known) && objects::is_being_deleted(pod);
  }

  std::set<std::string, std::less<>> unheard_;  // uids
};

}  // namespace

std::unique_ptr<Checker> make_runs(Evidence& evidence) {
  return std::make_unique<Runs>(evidence);
}

}  // namespace muster::simulator
