// ControlWorld: the API server over a memory store, the controllers over it, and pretend kubelets,
// on virtual time: what a job goes through, without a process. The kubelet starts a bound pod when
// its whole gang is bound, runs it for run_span and lets it succeed.
//
//   ControlWorld world;
//   world.add_node("n1", 4);
//   world.add_queue(4);
//   world.add_job("train", {.pods = 2});
//   world.run_for(Span::of_seconds(60));
//   EXPECT_TRUE(world.has_condition(resources::jobs, "train", "Complete"));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/object_cache.h"
#include "control/controllers.h"
#include "simulator/house/faulty_api.h"
#include "tests/suites/server_world.h"

namespace muster::control {

struct GangOptions {
  int pods = 2;
  int cpu = 1;  // of each pod
  std::string queue = "queue";
};

class ControlWorld {
 public:
  using Resource = objects::Resource;
  using Value = objects::Value;

  explicit ControlWorld(ControlOptions options = {}, std::uint64_t seed = 1);
  ~ControlWorld();

  void add_node(const std::string& name, int cpu);
  void add_queue(int cpu);  // flavor, ClusterQueue "cq", LocalQueue "queue" in team-a
  void add_job(const std::string& name, const GangOptions& options = {});
  void remove(const Resource& resource, std::string_view name_space, const std::string& name);

  void run_for(Span span);
  bool run_until(UniqueFunction<bool()> condition, Span limit);

  // Their Leases are not renewed any more.
  void silence_nodes() { nodes_.clear(); }

  // The controllers vanish, and others start with nothing but the API.
  void restart_controllers();

  std::vector<Value> all(const Resource& resource);
  Value find(const Resource& resource, std::string_view name_space, const std::string& name);
  Value workload_of(const std::string& job);
  std::vector<Value> pods_of(const std::string& job);
  bool has_condition(const Resource& resource, const std::string& name, std::string_view type);

  // Checked after every step of run_for(): at most cpu_max is held by Workloads, and no pod of a
  // gang runs while another has no node.
  void check_invariants();

  server::ServerWorld base;
  std::unique_ptr<client::Api> control_api;
  std::unique_ptr<simulator::FaultyApi> faulty;
  std::unique_ptr<Controllers> controllers;
  Span run_span = Span::of_seconds(10);
  bool kubelets_work = true;
  int cpu_max = 0;
  std::map<std::string, int> starts;  // of each pod's uid

 private:
  void make_controllers();
  void renew_leases();
  void on_pod(const Value& pod);
  bool gang_is_bound(const Value& pod) const;
  void set_phase(const Value& pod, std::string_view phase);

  ControlOptions options_;
  std::unique_ptr<client::Api> kubelet_api_;
  std::unique_ptr<client::ObjectCache> pods_;
  std::vector<std::string> nodes_;
  client::Lifeline lifeline_;
};

}  // namespace muster::control
