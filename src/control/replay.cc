// SPDX-License-Identifier: Apache-2.0
#include "control/replay.h"

#include "control/feed.h"
#include "core/model/cluster_state.h"
#include "core/plan/plan.h"

namespace muster::control {

namespace {

class Replay {
 public:
  void take(const RecordEntry& entry, std::size_t index) {
    switch (entry.type) {
      case RecordEntry::Type::start:
        state_ = {};
        policy_ = {};
        lost_ = false;
        return;
      case RecordEntry::Type::gap:
        lost_ = true;
        return;
      case RecordEntry::Type::event:
      case RecordEntry::Type::cycle:
      case RecordEntry::Type::refused:
        break;
    }
    if (lost_) {
      ++report_.skipped;
    } else if (entry.type == RecordEntry::Type::event) {
      apply(entry.event);
    } else if (entry.type == RecordEntry::Type::cycle) {
      decide(entry.plan, index);
    } else {
      state_.forget(entry.resource, entry.key, entry.uid);
    }
  }

  ReplayReport report() && { return std::move(report_); }

 private:
  void apply(const core::Event& event) {
    ++report_.events;
    if (event.type == core::EventType::config) {
      if (auto policy = policy_of(event.object)) policy_ = *policy;
      state_ = core::ClusterState(policy_.kueue);  // the objects follow
    }
    state_.apply(event);
  }

  void decide(const objects::Value& recorded, std::size_t index) {
    ++report_.cycles;
    const core::Plan plan = core::plan(state_, policy_);
    if (!(core::to_value(state_, plan).view() == recorded.view()))
      report_.differing.push_back(index);
    state_.assume(plan);
    core::edits_of(state_, plan);  // what is being told counts as well
  }

  core::ClusterState state_;
  core::Policy policy_;
  bool lost_ = false;
  ReplayReport report_;
};

}  // namespace

ReplayReport replay(std::span<const RecordEntry> entries) {
  Replay replay;
  for (std::size_t i = 0; i < entries.size(); ++i) replay.take(entries[i], i);
  return std::move(replay).report();
}

}  // namespace muster::control
