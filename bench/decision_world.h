// DecisionWorld: a cluster that exists only as events, for measuring decisions alone. Workloads
// arrive and end in virtual time; what plan() writes comes back as an event, a victim stops at
// once, an admitted workload finishes after its run time. Counts decisions and the processor time
// that the core itself took, without what the world around it costs.
//
//   DecisionWorld world(policy);
//   world.add(resources::cluster_queues, text);
//   world.arrive(workload, at, run_time);
//   world.run();
//   world.spent().decisions_per_second()
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "core/model/cluster_state.h"
#include "core/plan/plan.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::bench {

// What the core did, and for how long.
struct Spent {
  std::uint64_t cycles = 0;
  std::uint64_t decisions = 0;  // admissions, preemptions and waits, one per head and cycle
  std::uint64_t admissions = 0;
  std::uint64_t evictions = 0;
  std::uint64_t events = 0;
  std::int64_t planning_ns = 0;  // plan()
  std::int64_t assuming_ns = 0;  // assume()
  std::int64_t applying_ns = 0;  // apply(), every event of every object
  std::int64_t writing_ns = 0;   // edits_of(): the text of conditions and events

  std::int64_t deciding_ns() const { return planning_ns + assuming_ns; }
  std::int64_t core_ns() const { return deciding_ns() + applying_ns; }
  double decisions_per_second() const;  // of all that the core does
  double decided_per_second() const;    // of plan() and assume() alone
};

class DecisionWorld {
 public:
  explicit DecisionWorld(core::Policy policy);

  // An object that is there from the beginning, as YAML.
  void add(const objects::Resource& resource, std::string_view yaml);
  void add(const objects::Resource& resource, const objects::Value& object);

  // A Workload that comes at that time and, once admitted, takes that long.
  void arrive(const objects::Value& workload, Span at, Span run_time);

  // Told when a workload that arrived is admitted for the first time, and how long that took.
  using FirstAdmission = std::function<void(const std::string& name, Span wait)>;
  void on_first_admission(FirstAdmission told) { first_admission_ = std::move(told); }

  // Until nothing is left to come and a cycle decides nothing.
  void run();
  // Cycles at the present time until one decides nothing.
  void settle();

  core::ClusterState& state() { return state_; }
  const core::Policy& policy() const { return policy_; }
  const Spent& spent() const { return spent_; }
  std::size_t finished() const { return finished_; }
  Span elapsed() const { return at_; }  // of virtual time

 private:
  struct Coming {
    Span at;
    std::uint64_t number = 0;  // of equal times the first first
    std::string key;           // of the workload that ends; empty: one arrives
    std::uint64_t admission = 0;
    objects::Value workload = {};
    Span run_time = {};

    friend bool operator>(const Coming& a, const Coming& b) {
      return a.at != b.at ? a.at > b.at : a.number > b.number;
    }
  };
  struct Known {
    objects::Value object;
    Span run_time = {};
    Span came = {};
    std::uint64_t admission = 0;
    bool was_admitted = false;
  };

  void come(const Coming& coming);
  void write(const core::Edit& edit);
  void stop(const std::string& key);
  void happens(const objects::Resource& resource, const objects::Value& object);
  void apply_all();
  Instant now() const;

  core::ClusterState state_;
  core::Policy policy_;
  Spent spent_;
  Span at_ = {};
  std::uint64_t number_ = 0;
  std::uint64_t revision_ = 0;
  std::size_t finished_ = 0;
  std::vector<core::Event> happened_;  // not yet applied
  std::vector<objects::Value> past_;   // earlier states, kept until the clock stands still
  std::map<std::string, Known> workloads_;
  FirstAdmission first_admission_;
  std::priority_queue<Coming, std::vector<Coming>, std::greater<>> coming_;
};

}  // namespace muster::bench
