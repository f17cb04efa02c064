// PlanWorld: the cluster that a question is about, while its cycles run: the objects as an API
// server would have them, and the decision core's state. What a cycle writes is stored at once and
// comes back to the state as events before the next one, as in a running cluster; jobs have the
// Workloads that their controller would have made; time stands still.
//
//   PlanWorld world({.configuration = configuration, .now = now});
//   world.put(resources::cluster_queues, queue);
//   core::Plan cycle = core::plan(world.state(), policy);  world.state().assume(cycle);
//   world.carry_out(cycle);
//   world.deliver();  world.release_evicted();
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "cli/plan/plan_objects.h"
#include "core/model/cluster_state.h"
#include "core/model/configuration.h"
#include "core/plan/plan.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::cli {

// A Workload's condition that a cycle made true.
struct ConditionChange {
  std::string workload;
  std::string reason;
  std::string underlying;  // the reason of Preempted, where that is why
};

class PlanWorld {
 public:
  PlanWorld(const core::Configuration& configuration, Instant now,
            core::ResourceQuotas quotas = core::ResourceQuotas::ignored);

  // The object is there from now on; one of the same name is replaced.
  Result<> put(const objects::Resource& resource, const objects::Value& object);

  // not_found where there is none.
  Result<> remove(std::string_view kind, const objects::ObjectKey& key);

  // Jobs get their Workloads; after everything of a question was put.
  Result<> make_workloads();
  // The job's own, or one that names it as its owner.
  bool has_workload(const objects::Resource& resource, objects::View job) const;

  // Stores what the plan writes; the state hears of it in deliver().
  void carry_out(const core::Plan& plan);
  void deliver();

  // Evicted workloads give back their quota, as if their pods had stopped.
  void release_evicted();

  core::ClusterState& state() { return state_; }
  const core::ClusterState& state() const { return state_; }
  Instant now() const { return now_; }

  // By namespace/name.
  const std::map<std::string, objects::Value>& workloads() const { return workloads_; }
  objects::View find(const objects::Resource& resource, const objects::ObjectKey& key) const;

  // Whether the last cycle changed who holds quota, is admitted, evicted or finished.
  bool has_status_changes() const;

  // Conditions that the last cycle made true, by workload. endings() ends the look back.
  std::vector<ConditionChange> evictions();
  std::vector<ConditionChange> endings();

 private:
  using Place = std::pair<std::string, std::string>;  // kind and key

  void tell(core::EventType type, const objects::Resource& resource, const objects::Value& object);
  void store_workload(const std::string& key, const objects::Value& object);
  Result<> make_workload(const objects::Resource& resource, const objects::Value& job);
  void forget_owner(const std::string& key);
  std::vector<ConditionChange> changes_of(std::string_view type);

  Instant now_;
  core::ResourceQuotas quotas_;
  core::ClusterState state_;
  std::uint64_t revision_ = 0;
  std::map<Place, std::pair<objects::Resource, objects::Value>> objects_;  // all but Workloads
  std::map<std::string, objects::Value> workloads_;
  std::multiset<std::string> owners_;                   // uids of the jobs that Workloads name
  std::map<std::string, objects::Value> before_cycle_;  // of those that the cycle wrote
  std::set<std::string> undelivered_;
};

// `a/train`, also where the namespace is empty.
std::string workload_key(objects::View workload);

}  // namespace muster::cli
