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
#include "bench/decision_world.h"
#include "objects/json.h"

namespace muster::bench {
namespace {

using core::Policy;
using objects::Value;
namespace resources = objects::resources;

constexpr std::string_view kueue = "kueue.x-k8s.io/v1beta2";

Value json(const std::string& text) {
  return objects::parse_json(text).must();
}

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
  world.add(resources::namespaces,
            json(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a","uid":"ns"}})"));
}

void add_flavor(DecisionWorld& world, std::string_view topology = {}) {
  const std::string spec =
      topology.empty()
          ? "{}"
          : fmt::format(R"({{"nodeLabels":{{"pool":"tas"}},"topologyName":"{}"}})", topology);
  world.add(resources::resource_flavors,
            json(fmt::format(R"({{"apiVersion":"{}","kind":"ResourceFlavor",)"
                             R"("metadata":{{"name":"default","uid":"rf"}},"spec":{}}})",
                             kueue, spec)));
}

struct Queue {
  std::string cohort = {};
  std::string resource = "cpu";
  std::string nominal = "20";
  std::string borrowing = {};
  std::string within = "LowerPriority";
  std::string reclaim = "Any";
};

void add_queue(DecisionWorld& world, const std::string& name, const Queue& queue) {
  const std::string limit =
      queue.borrowing.empty() ? "" : fmt::format(R"(,"borrowingLimit":"{}")", queue.borrowing);
  const std::string cohort =
      queue.cohort.empty() ? "" : fmt::format(R"("cohortName":"{}",)", queue.cohort);
  world.add(
      resources::cluster_queues,
      json(fmt::format(
          R"({{"apiVersion":"{}","kind":"ClusterQueue","metadata":{{"name":"{}","uid":"cq-{}"}},)"
          R"("spec":{{{}"namespaceSelector":{{}},"preemption":{{"withinClusterQueue":"{}",)"
          R"("reclaimWithinCohort":"{}"}},"resourceGroups":[{{"coveredResources":["{}"],"flavors":)"
          R"([{{"name":"default","resources":[{{"name":"{}","nominalQuota":"{}"{}}}]}}]}}]}}}})",
          kueue, name, name, cohort, queue.within, queue.reclaim, queue.resource, queue.resource,
          queue.nominal, limit)));
  world.add(resources::local_queues,
            json(fmt::format(R"({{"apiVersion":"{}","kind":"LocalQueue","metadata":)"
                             R"({{"name":"{}","namespace":"a","uid":"lq-{}"}},)"
                             R"("spec":{{"clusterQueue":"{}"}}}})",
                             kueue, name, name, name)));
}

struct Gang {
  std::string queue;
  std::int64_t priority = 0;
  std::int64_t pods = 1;
  std::string requests = R"("cpu":"1")";
  std::string topology = {};  // the fields of a topologyRequest
  Span created = {};
  std::string node_selector = {};
};

// As random as those that an API server gives.
std::string uid_of(std::string_view name) {
  const std::uint64_t high = std::hash<std::string_view>()(name) * 0x9E3779B97F4A7C15ULL;
  const std::uint64_t low = high * 0xD1B54A32D192ED03ULL;
  return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xfff, low >> 52, low & 0xffffffffffff);
}

Value gang_object(const std::string& name, const Gang& gang) {
  const std::string topology =
      gang.topology.empty() ? "" : fmt::format(R"("topologyRequest":{{{}}},)", gang.topology);
  const std::int64_t seconds = gang.created.nanoseconds / 1'000'000'000;
  return json(fmt::format(
      R"({{"apiVersion":"{}","kind":"Workload","metadata":{{"name":"{}","namespace":"a",)"
      R"("uid":"{}","creationTimestamp":"2025-01-01T{:02}:{:02}:{:02}Z"}},)"
      R"("spec":{{"queueName":"{}","active":true,"priority":{},"podSets":[{{"name":"main",)"
      R"("count":{},{}"template":{{"spec":{{{}"containers":[{{"name":"c","resources":)"
      R"({{"requests":{{{}}}}}}}]}}}}}}]}}}})",
      kueue, name, uid_of(name), 12 + seconds / 3600, seconds / 60 % 60, seconds % 60, gang.queue,
      gang.priority, gang.pods, topology, gang.node_selector, gang.requests));
}

struct Class {
  std::string_view name;
  int count = 0;  // in each queue
  std::int64_t milliseconds_between = 0;
  std::int64_t run_milliseconds = 0;
  std::int64_t priority = 0;
  std::int64_t pods = 1;
  std::string_view requests;
  std::string_view topology = {};
};

// Kueue's generator: cohorts of equal queues, classes of workloads at fixed intervals.
void generate(DecisionWorld& world, int cohorts, int queues_each, std::span<const Class> classes) {
  for (int cohort = 0; cohort < cohorts; ++cohort) {
    for (int index = 0; index < queues_each; ++index) {
      const std::string queue = fmt::format("q{:02}-{:03}", cohort, index);
      add_queue(world, queue, {.cohort = fmt::format("cohort-{}", cohort), .borrowing = "100"});
      for (const Class& each : classes) {
        for (int i = 0; i < each.count; ++i) {
          const Span at{i * each.milliseconds_between * 1'000'000};
          world.arrive(gang_object(fmt::format("{}-{}-{}", queue, each.name, i),
                                   {.queue = queue,
                                    .priority = each.priority,
                                    .pods = each.pods,
                                    .requests = std::string(each.requests),
                                    .topology = std::string(each.topology),
                                    .created = at}),
                       at, Span{each.run_milliseconds * 1'000'000});
        }
      }
    }
  }
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

void large_scale() {
  DecisionWorld world(as_kueue());
  add_namespace(world);
  add_flavor(world);
  const Class classes[] = {
      {"small", 35, 60, 150, 50, 1, R"("cpu":"1")"},
      {"medium", 11, 300, 350, 100, 1, R"("cpu":"5")"},
      {"large", 4, 700, 700, 200, 1, R"("cpu":"20")"},
  };
  generate(world, 10, 100, classes);
  world.run();
  print("large-scale: 50,000 workloads, 1,000 queues", world.spent().decisions_per_second() / 1e3,
        200, "k/s", true, details(world.spent()));
}

void baseline() {
  DecisionWorld world(as_kueue());
  add_namespace(world);
  add_flavor(world);
  const Class classes[] = {
      {"small", 350, 100, 200, 50, 1, R"("cpu":"1")"},
      {"medium", 100, 500, 500, 100, 1, R"("cpu":"5")"},
      {"large", 50, 1200, 1000, 200, 1, R"("cpu":"20")"},
  };
  generate(world, 5, 6, classes);
  world.run();
  print("baseline: 15,000 workloads, 30 queues, preemption",
        static_cast<double>(world.spent().core_ns()) / 1e9, 0.15, "s", false,
        details(world.spent()));
}

void add_topology(DecisionWorld& world) {
  world.add(
      resources::topologies,
      json(fmt::format(R"({{"apiVersion":"{}","kind":"Topology","metadata":{{"name":"t",)"
                       R"("uid":"t"}},"spec":{{"levels":[{{"nodeLabel":"block"}},)"
                       R"({{"nodeLabel":"rack"}},{{"nodeLabel":"kubernetes.io/hostname"}}]}}}})",
                       kueue)));
}

void add_node(DecisionWorld& world, const std::string& name, int block, int rack,
              std::string_view allocatable, std::string_view labels = {}) {
  world.add(
      resources::nodes,
      json(fmt::format(
          R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{}","uid":"{}","labels":)"
          R"({{"pool":"tas","block":"b{}","rack":"r{:04}","kubernetes.io/hostname":"{}"{}}}}},)"
          R"("spec":{{}},"status":{{"allocatable":{{"pods":"110",{}}},)"
          R"("conditions":[{{"type":"Ready","status":"True"}}]}}}})",
          name, name, block, rack, name, labels, allocatable)));
}

void with_topology() {
  DecisionWorld world(as_kueue());
  add_namespace(world);
  add_topology(world);
  add_flavor(world, "t");
  for (int i = 0; i < 640; ++i) {
    add_node(world, fmt::format("n{:03}", i), 0, i / 64, R"("cpu":"96","memory":"256Gi")");
  }
  constexpr std::string_view required = R"("required":"rack")";
  constexpr std::string_view preferred = R"("preferred":"rack")";
  constexpr std::string_view two =
      R"("preferred":"rack","podSetSliceRequiredTopology":"rack","podSetSliceSize":2)";
  constexpr std::string_view four =
      R"("preferred":"rack","podSetSliceRequiredTopology":"rack","podSetSliceSize":4)";
  constexpr std::string_view small = R"("cpu":"500m")";
  constexpr std::string_view medium = R"("cpu":"1250m")";
  constexpr std::string_view large = R"("cpu":"2500m")";
  const Class classes[] = {
      {"small-r", 120, 100, 200, 50, 2, small, required},
      {"small-p", 120, 100, 200, 50, 2, small, preferred},
      {"small-b", 110, 100, 200, 50, 2, small, two},
      {"medium-r", 34, 500, 500, 100, 4, medium, required},
      {"medium-p", 33, 500, 500, 100, 4, medium, preferred},
      {"medium-b", 33, 500, 500, 100, 4, medium, two},
      {"large-r", 17, 1200, 1000, 200, 8, large, required},
      {"large-p", 17, 1200, 1000, 200, 8, large, preferred},
      {"large-b", 16, 1200, 1000, 200, 8, large, four},
  };
  generate(world, 5, 6, classes);
  world.run();
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
    add_node(world, fmt::format("n{:04}", i), 0, i / 20, R"("cpu":"32","memory":"256Gi")");
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
  add_topology(world);
  add_flavor(world, "t");
  constexpr int nodes = 1'000;
  for (int i = 0; i < nodes; ++i) {
    add_node(world, fmt::format("n{:04}", i), 0, i / 20, R"("nvidia.com/gpu":"8")");
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
    add_node(world, fmt::format("n{:05}", i), 0, i / 20, R"("cpu":"96","memory":"256Gi")");
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
