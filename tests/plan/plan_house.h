// A house around plan() for tests: a server with resource versions, watches that deliver late and
// in no order between kinds, writes that are refused, answered late or lost, and a job controller
// that makes pods and ends them. What the server holds is checked after every write.
//
//   PlanHouse house;
//   while (!dice.is_empty()) house.step(dice);
//   ASSERT_EQ(house.problems(), "");
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/edit.h"
#include "core/model/cluster_state.h"
#include "core/plan/plan.h"
#include "objects/value.h"
#include "tests/plan/dice.h"
#include "tests/plan/made_objects.h"

namespace muster::core {

class PlanHouse {
 public:
  PlanHouse();

  // One thing happens: an event arrives, a cycle runs, a write is answered, a tenant acts.
  void step(Dice& dice);

  // Everything that is under way arrives, and cycles run until nothing is left to do.
  void settle();

  // A state that knows only what the server holds now.
  ClusterState restarted() const;

  // What was wrong at any time, a line each.
  const std::string& problems() const { return problems_; }
  const ClusterState& state() const { return state_; }

  // Keys of Workloads that are waiting, and of those that hold quota.
  std::vector<std::string> waiting() const;
  std::vector<std::string> reserved() const;

 private:
  struct Stored {
    objects::Resource resource;
    objects::Value object;
  };

  void put(const objects::Resource& resource, const objects::Value& object);
  void drop(const std::string& key);
  void deliver(const std::string& plural);
  void deliver_some(Dice& dice);
  void run_cycle();
  void answer(std::size_t index, bool refuse);
  bool write(const Edit& edit);
  bool write_status(const Edit& edit);
  bool write_binding(const Edit& edit);

  void create_workload(Dice& dice);
  void run_jobs(Dice& dice);
  void run_job(const std::string& key, Dice& dice);
  void stop_job(const std::string& key, const objects::Value& workload);
  void finish_job(const std::string& key, const objects::Value& workload);
  void kill_node(Dice& dice);
  void touch(Dice& dice);
  std::vector<std::string> pods_of(const std::string& workload) const;

  void check();
  void check_quota();
  void check_nodes();
  void problem(const std::string& sentence);

  ClusterState state_;
  std::map<std::string, Stored> objects_;  // `pods a/p1`
  std::map<std::string, std::deque<Event>> undelivered_;
  std::deque<std::vector<Edit>> under_way_;
  std::int64_t revision_ = 100;
  std::int64_t made_ = 0;
  std::string problems_;
};

}  // namespace muster::core
