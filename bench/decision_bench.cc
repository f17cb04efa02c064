// Deciding at scale: the peers' own scenarios, re-created. Times are those of the core alone on one
// thread: events applied, cycles planned, decisions assumed; the world around them is not counted,
// nodes and pods are only objects. Each line names its limit: the bar of docs/benchmarks.md, which
// comes from the peer's published figure, and the ratio bar / ours (above 1: better than the bar).
//
//   build/release/bin/decision_bench [part of a name]
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/cpu_time.h"
#include "base/os/process.h"
#include "bench/kueue_generator.h"

namespace muster::bench {
namespace {

using core::Policy;
namespace resources = objects::resources;

Policy as_kueue() {
  Policy policy;
  policy.placement = core::Placement::none;
  policy.places_unmanaged_pods = false;
  policy.tells_everyone = false;  // Kueue says nothing to those behind a head
  return policy;
}

void print(std::string_view what, double ours, double bar, std::string_view unit, bool is_rate,
           std::string_view more) {
  const double ratio = is_rate ? ours / bar : bar / ours;
  fmt::print("{:<58} {:>12.3f} {:<6} bar {:>10.3f}   ratio {:>7.2f}   {}\n", what, ours, unit, bar,
             ratio, more);
}

void add_namespace(DecisionWorld& world) {
  world.add(resources::namespaces, namespace_object("a"));
}

void add_flavor(DecisionWorld& world, std::string_view topology = {}) {
  world.add(resources::resource_flavors, flavor_object(topology));
}

void add_queue(DecisionWorld& world, const std::string& name, const Queue& queue) {
  world.add(resources::cluster_queues, cluster_queue_object(name, queue));
  world.add(resources::local_queues, local_queue_object(name));
}

void add_node(DecisionWorld& world, const std::string& name, int rack,
              std::string_view allocatable) {
  world.add(resources::nodes, node_object(name, 0, rack, allocatable));
}

std::string details(const Spent& spent) {
  return fmt::format(
      "{} decisions, {} admissions, {} evictions, {} cycles; plan {:.1f} ms, assume {:.1f} ms, "
      "events {:.1f} ms ({}), texts {:.1f} ms; {:.0f} k/s without events",
      spent.decisions, spent.admissions, spent.evictions, spent.cycles,
      static_cast<double>(spent.planning_ns) / 1e6, static_cast<double>(spent.assuming_ns) / 1e6,
      static_cast<double>(spent.applying_ns) / 1e6, spent.events,
      static_cast<double>(spent.writing_ns) / 1e6, spent.decided_per_second() / 1e3);
}

void run_generated(DecisionWorld& world, std::string_view configuration) {
  generate(world, *generator_configuration(configuration));
  world.run();
}

void large_scale() {
  DecisionWorld world(as_kueue());
  run_generated(world, "large-scale");
  print("large-scale: 50,000 workloads, 1,000 queues", world.spent().decisions_per_second() / 1e3,
        200, "k/s", true, details(world.spent()));
}

void baseline() {
  DecisionWorld world(as_kueue());
  run_generated(world, "baseline");
  print("baseline: 15,000 workloads, 30 queues, preemption",
        static_cast<double>(world.spent().core_ns()) / 1e9, 0.15, "s", false,
        details(world.spent()));
}

void with_topology() {
  DecisionWorld world(as_kueue());
  run_generated(world, "topology");
  print("the same with topology on 640 nodes", static_cast<double>(world.spent().core_ns()) / 1e9,
        0.5, "s", false, details(world.spent()));
}

// One that fits behind many that do not and are all different.
void behind_inadmissible() {
  DecisionWorld world(as_kueue());
  add_namespace(world);
  add_flavor(world);
  add_queue(world, "q", {.nominal = "10", .within = "Never", .reclaim = "Never"});
  for (int i = 0; i < 10'000; ++i) {
    world.add(resources::workloads,
              gang_object(
                  fmt::format("big-{:05}", i),
                  {.queue = "q", .priority = 1, .requests = fmt::format(R"("cpu":"{}")", 11 + i)}));
  }
  world.add(resources::workloads, gang_object("small", {.queue = "q"}));
  const std::int64_t before = world.spent().core_ns();
  world.settle();
  print("one that fits behind 10,000 that do not",
        static_cast<double>(world.spent().core_ns() - before) / 1e6, 20, "ms", false,
        details(world.spent()));
}

void many_onto_nodes() {
  Policy policy = as_kueue();
  policy.placement = core::Placement::pinned;
  DecisionWorld world(policy);
  add_namespace(world);
  add_flavor(world);
  for (int i = 0; i < 1'000; ++i) {
    add_node(world, fmt::format("n{:04}", i), i / 20, R"("cpu":"32","memory":"256Gi")");
  }
  for (int i = 0; i < 1'000; ++i) add_queue(world, fmt::format("q{:03}", i), {.nominal = "64"});
  for (int i = 0; i < 32'000; ++i) {
    world.add(resources::workloads,
              gang_object(fmt::format("j{:05}", i),
                          {.queue = fmt::format("q{:03}", i % 1'000), .requests = R"("cpu":"1")"}));
  }
  const std::int64_t before = world.spent().deciding_ns();
  world.settle();
  print("32,000 jobs onto 1,000 nodes (Armada), deciding",
        static_cast<double>(world.spent().deciding_ns() - before) / 1e6, 40, "ms", false,
        details(world.spent()));
}

// KAI's reclaim: every GPU runs a job of a queue that deserves none; a gang asks for a tenth.
void reclaim() {
  DecisionWorld world(as_kueue());
  add_namespace(world);
  world.add(resources::topologies, topology_object());
  add_flavor(world, "t");
  constexpr int nodes = 1'000;
  for (int i = 0; i < nodes; ++i) {
    add_node(world, fmt::format("n{:04}", i), i / 20, R"("nvidia.com/gpu":"8")");
  }
  add_queue(world, "none",
            {.cohort = "all", .resource = "nvidia.com/gpu", .nominal = "0", .within = "Never"});
  add_queue(world, "all",
            {.cohort = "all", .resource = "nvidia.com/gpu", .nominal = "8000", .within = "Never"});
  for (int i = 0; i < nodes * 8; ++i) {
    world.add(resources::workloads,
              gang_object(fmt::format("one-{:05}", i), {.queue = "none",
                                                        .requests = R"("nvidia.com/gpu":"1")",
                                                        .topology = R"("unconstrained":true)"}));
  }
  world.settle();
  world.add(resources::workloads, gang_object("gang", {.queue = "all",
                                                       .pods = nodes / 10,
                                                       .requests = R"("nvidia.com/gpu":"8")",
                                                       .topology = R"("unconstrained":true)"}));
  const Span start = thread_cpu_time();
  const core::Plan cycle = core::plan(world.state(), world.policy());
  const std::int64_t took = (thread_cpu_time() - start).nanoseconds;
  std::size_t victims = 0;
  for (const core::Decision& decision : cycle.decisions) victims += decision.targets.size();
  print("reclaim a tenth of 1,000 nodes of 8,000 jobs (KAI)", static_cast<double>(took) / 1e6, 5,
        "ms", false, fmt::format("{} victims", victims));
}

void memory() {
  const std::uint64_t before = resident_bytes().must();
  DecisionWorld world(as_kueue());
  add_namespace(world);
  add_flavor(world);
  for (int i = 0; i < 10'000; ++i) {
    add_node(world, fmt::format("n{:05}", i), i / 20, R"("cpu":"96","memory":"256Gi")");
  }
  for (int i = 0; i < 100; ++i) add_queue(world, fmt::format("q{:03}", i), {.nominal = "1"});
  for (int i = 0; i < 100'000; ++i) {
    core::ClusterState& state = world.state();
    state.apply({.revision = 1,
                 .resource = resources::workloads,
                 .object = gang_object(fmt::format("w{:06}", i),
                                       {.queue = fmt::format("q{:03}", i % 100)})});
  }
  print("memory of 100,000 workloads and 10,000 nodes",
        static_cast<double>(resident_bytes().must() - before) / 1e6, 200, "MB", false, "");
}

// The cost of one more event as the cluster grows: a workload comes, is decided about, and goes.
void growth() {
  for (const int pending : {1'000, 10'000, 100'000}) {
    DecisionWorld world(as_kueue());
    add_namespace(world);
    add_flavor(world);
    for (int i = 0; i < 100; ++i) {
      add_queue(world, fmt::format("q{:03}", i),
                {.cohort = fmt::format("c{}", i / 10), .nominal = "100"});
    }
    for (int i = 0; i < pending; ++i) {
      world.add(resources::workloads,
                gang_object(fmt::format("w{:06}", i), {.queue = fmt::format("q{:03}", i % 100),
                                                       .requests = R"("cpu":"30")"}));
    }
    world.settle();
    constexpr int more = 200;
    const Spent before = world.spent();
    for (int i = 0; i < more; ++i) {
      world.add(resources::workloads,
                gang_object(fmt::format("x{:06}", i), {.queue = fmt::format("q{:03}", i % 100),
                                                       .priority = 5,
                                                       .requests = R"("cpu":"2")"}));
      world.settle();
    }
    const Spent& after = world.spent();
    fmt::print("one more workload among {:>7}: {:>8.2f} us of the core ({:.2f} deciding)\n",
               pending, static_cast<double>(after.core_ns() - before.core_ns()) / more / 1e3,
               static_cast<double>(after.deciding_ns() - before.deciding_ns()) / more / 1e3);
  }
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  using Scenario = std::pair<std::string_view, void (*)()>;
  constexpr Scenario scenarios[] = {
      {"memory", muster::bench::memory},  // first: later the heap has room that nobody counts
      {"large_scale", muster::bench::large_scale},
      {"baseline", muster::bench::baseline},
      {"with_topology", muster::bench::with_topology},
      {"behind_inadmissible", muster::bench::behind_inadmissible},
      {"many_onto_nodes", muster::bench::many_onto_nodes},
      {"reclaim", muster::bench::reclaim},
      {"growth", muster::bench::growth},
  };
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  for (const auto& [name, run] : scenarios) {
    if (name.find(wanted) != std::string_view::npos) run();
  }
  return 0;
}
