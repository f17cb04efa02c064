// Preempting where topologies count: Kueue's own BenchmarkSchedulerTAS
// (scheduler_tas_bench_test.go) built of the same objects, and a rack that has to be made free
// among 700 candidates on 2,000 nodes. One cycle each, that is plan() alone, after the events; the
// figure is the median of nine states that have been built anew. docs/benchmarks.md says what Kueue
// takes for it.
//
//   build/release/bin/preemption_bench
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/cpu_time.h"
#include "core/model/cluster_state.h"
#include "core/plan/plan.h"
#include "objects/json.h"
#include "objects/resource.h"

namespace muster::bench {
namespace {

namespace resources = objects::resources;

constexpr std::string_view kueue = "kueue.x-k8s.io/v1beta2";
constexpr std::size_t rounds = 9;
constexpr int resource_count = 30;

struct Happening {
  objects::Resource resource;
  std::string text;
};
using Happenings = std::vector<Happening>;

// cpu and memory, and as many others as it takes, each in the amount of the cpus.
std::string amounts(std::int64_t cpu, std::int64_t memory, std::int64_t pods = 1) {
  std::string text = fmt::format(R"("cpu":"{}","memory":"{}Gi")", cpu * pods, memory * pods);
  for (int i = 2; i < resource_count; ++i) {
    text += fmt::format(R"(,"example.com/res-{}":"{}")", i, cpu * pods);
  }
  return text;
}

std::string names_of_resources() {
  std::string text = R"("cpu","memory")";
  for (int i = 2; i < resource_count; ++i) text += fmt::format(R"(,"example.com/res-{}")", i);
  return text;
}

void add_frame(Happenings& all) {
  std::string quotas = R"({"name":"cpu","nominalQuota":"100000"},)"
                       R"({"name":"memory","nominalQuota":"1000000Gi"})";
  for (int i = 2; i < resource_count; ++i) {
    quotas += fmt::format(R"(,{{"name":"example.com/res-{}","nominalQuota":"100000"}})", i);
  }
  all.push_back({resources::namespaces,
                 R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a","uid":"ns"}})"});
  all.push_back({resources::topologies,
                 fmt::format(R"({{"apiVersion":"{}","kind":"Topology","metadata":{{"name":"t",)"
                             R"("uid":"t"}},"spec":{{"levels":[{{"nodeLabel":"block"}},)"
                             R"({{"nodeLabel":"kubernetes.io/hostname"}}]}}}})",
                             kueue)});
  all.push_back(
      {resources::resource_flavors,
       fmt::format(R"({{"apiVersion":"{}","kind":"ResourceFlavor","metadata":)"
                   R"({{"name":"tas","uid":"rf"}},"spec":{{"nodeLabels":{{"tas":"true"}},)"
                   R"("topologyName":"t"}}}})",
                   kueue)});
  all.push_back(
      {resources::cluster_queues,
       fmt::format(
           R"({{"apiVersion":"{}","kind":"ClusterQueue","metadata":{{"name":"q",)"
           R"("uid":"cq"}},"spec":{{"namespaceSelector":{{}},"preemption":)"
           R"({{"withinClusterQueue":"LowerPriority"}},"resourceGroups":)"
           R"([{{"coveredResources":[{}],"flavors":[{{"name":"tas","resources":[{}]}}]}}]}}}})",
           kueue, names_of_resources(), quotas)});
  all.push_back({resources::local_queues,
                 fmt::format(R"({{"apiVersion":"{}","kind":"LocalQueue","metadata":{{"name":"q",)"
                             R"("namespace":"a","uid":"lq"}},"spec":{{"clusterQueue":"q"}}}})",
                             kueue)});
}

void add_node(Happenings& all, const std::string& name, int block, int group) {
  all.push_back(
      {resources::nodes,
       fmt::format(R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{}","uid":"{}",)"
                   R"("labels":{{"block":"b-{}","kubernetes.io/hostname":"{}","tas":"true",)"
                   R"("group":"g-{}"}}}},"spec":{{}},"status":{{"allocatable":{{{},"pods":"110"}},)"
                   R"("conditions":[{{"type":"Ready","status":"True"}}]}}}})",
                   name, name, block, name, group, amounts(10, 100))});
}

struct Gang {
  std::string name;
  std::int64_t priority = 0;
  std::int64_t cpu = 1;
  std::int64_t memory = 1;
  std::int64_t pods = 1;
  std::string more = {};                   // of the pods' spec
  std::string topology = {};               // the fields of a topologyRequest
  std::map<std::string, int> places = {};  // pods by node; admitted where there are any
};

std::string status_of(const Gang& gang) {
  if (gang.places.empty()) return "";
  std::string nodes;
  std::string counts;
  for (const auto& [node, count] : gang.places) {
    nodes += fmt::format(R"({}"{}")", nodes.empty() ? "" : ",", node);
    counts += fmt::format("{}{}", counts.empty() ? "" : ",", count);
  }
  std::string flavors;
  for (const std::string_view each : {"cpu", "memory"}) {
    flavors += fmt::format(R"({}"{}":"tas")", flavors.empty() ? "" : ",", each);
  }
  for (int i = 2; i < resource_count; ++i) {
    flavors += fmt::format(R"(,"example.com/res-{}":"tas")", i);
  }
  constexpr std::string_view condition = R"("status":"True","reason":"Bench","message":"",)"
                                         R"("lastTransitionTime":"2025-01-01T12:00:00Z")";
  return fmt::format(
      R"(,"status":{{"conditions":[{{"type":"QuotaReserved",{}}},{{"type":"Admitted",{}}}],)"
      R"("admission":{{"clusterQueue":"q","podSetAssignments":[{{"name":"main","count":{},)"
      R"("flavors":{{{}}},"resourceUsage":{{{}}},"topologyAssignment":{{"levels":)"
      R"(["kubernetes.io/hostname"],"slices":[{{"domainCount":{},"valuesPerLevel":)"
      R"([{{"individual":{{"roots":[{}]}}}}],"podCounts":{{"individual":[{}]}}}}]}}}}]}}}})",
      condition, condition, gang.pods, flavors, amounts(gang.cpu, gang.memory, gang.pods),
      gang.places.size(), nodes, counts);
}

void add_gang(Happenings& all, const Gang& gang) {
  const std::string topology =
      gang.topology.empty() ? "" : fmt::format(R"("topologyRequest":{{{}}},)", gang.topology);
  all.push_back(
      {resources::workloads,
       fmt::format(
           R"({{"apiVersion":"{}","kind":"Workload","metadata":{{"name":"{}","namespace":"a",)"
           R"("uid":"{}","creationTimestamp":"2025-01-01T12:00:00Z"}},"spec":{{"queueName":"q",)"
           R"("priority":{},"podSets":[{{"name":"main","count":{},{}"template":{{"spec":{{{})"
           R"("containers":[{{"name":"c","resources":{{"requests":{{{}}}}}}}]}}}}}}]}}{}}})",
           kueue, gang.name, gang.name, gang.priority, gang.pods, topology, gang.more,
           amounts(gang.cpu, gang.memory), status_of(gang))});
}

void measure(std::string_view what, const Happenings& all, double bar_ms) {
  core::Policy policy;
  policy.placement = core::Placement::none;
  policy.places_unmanaged_pods = false;
  policy.tells_everyone = false;
  std::vector<core::Event> events;
  for (const Happening& each : all) {
    events.push_back({.revision = events.size() + 1,
                      .resource = each.resource,
                      .object = objects::parse_json(each.text).must()});
  }
  std::array<double, rounds> times{};
  std::array<double, rounds> again{};
  std::size_t victims = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    core::ClusterState state;
    state.apply({.type = core::EventType::tick, .now = Instant{1'735'732'900'000'000'000}});
    for (const core::Event& event : events) state.apply(event);
    const Span start = thread_cpu_time();
    const core::Plan cycle = core::plan(state, policy);
    const Span first = thread_cpu_time();
    const core::Plan second = core::plan(state, policy);
    again[round] = static_cast<double>((thread_cpu_time() - first).nanoseconds) / 1e6;
    times[round] = static_cast<double>((first - start).nanoseconds) / 1e6;
    victims = 0;
    for (const core::Decision& decision : cycle.decisions) victims += decision.targets.size();
  }
  std::ranges::sort(times);
  std::ranges::sort(again);
  fmt::print(
      "{:<58} {:>9.3f} ms   bar {:>6.1f}   ratio {:>6.2f}   {} victims; the first cycle, "
      "which also makes the tree, {:.3f} ms\n",
      what, again[rounds / 2], bar_ms, bar_ms / again[rounds / 2], victims, times[rounds / 2]);
}

// Fills the nodes from the first to the last, with gangs of Kueue's own sizes, until one does not
// fit any more. Answers the number of the next.
int fill(Happenings& all, const std::vector<std::string>& nodes) {
  struct Room {
    std::int64_t cpu = 10;
    std::int64_t memory = 100;
  };
  std::vector<Room> rooms(nodes.size());
  const int width = static_cast<int>(std::sqrt(static_cast<double>(nodes.size())));
  for (int number = 1;; ++number) {
    Gang gang{.name = fmt::format("wl-{}", number),
              .priority = number,
              .cpu = number % 10 + 1,
              .memory = number % 100 + 1,
              .pods = number * 10 % width + 1};
    std::vector<Room> after = rooms;
    std::int64_t placed = 0;
    for (std::size_t i = 0; i < nodes.size() && placed < gang.pods; ++i) {
      while (after[i].cpu >= gang.cpu && after[i].memory >= gang.memory && placed < gang.pods) {
        after[i].cpu -= gang.cpu;
        after[i].memory -= gang.memory;
        ++gang.places[nodes[i]];
        ++placed;
      }
    }
    if (placed < gang.pods) return number;
    rooms = std::move(after);
    add_gang(all, gang);
  }
}

void scheduler_tas() {
  Happenings all;
  add_frame(all);
  std::vector<std::string> nodes;
  int block = 0;
  int place = 0;
  for (int i = 0; i < 1'000; ++i) {
    if (++place == 31) {
      place = 0;
      ++block;
    }
    nodes.push_back(fmt::format("node-{}-{}", block, place));
    add_node(all, nodes.back(), block, block % 8 + 1);
  }
  const int next = fill(all, nodes);
  add_gang(all, {.name = "requested",
                 .priority = next,
                 .cpu = 5,
                 .memory = 50,
                 .pods = 200,
                 .more = R"("nodeSelector":{"group":"g-1"},)",
                 .topology = R"("unconstrained":true)"});
  measure("BenchmarkSchedulerTAS: 1,000 nodes, 200 pods, 30 resources", all, 2);
}

// 700 gangs stand on 2,000 nodes; one of a higher priority needs a block of its own.
void many_candidates() {
  Happenings all;
  add_frame(all);
  std::vector<std::string> nodes;
  for (int i = 0; i < 2'000; ++i) {
    nodes.push_back(fmt::format("node-{:04}", i));
    add_node(all, nodes.back(), i / 40, i / 40 % 8 + 1);
  }
  for (int i = 0; i < 700; ++i) {
    Gang gang{.name = fmt::format("wl-{}", i), .priority = i % 50, .cpu = 10, .memory = 100};
    const int first = i * 2'000 / 700;
    const int last = (i + 1) * 2'000 / 700;
    gang.pods = last - first;
    for (int n = first; n < last; ++n) gang.places[nodes[static_cast<std::size_t>(n)]] = 1;
    add_gang(all, gang);
  }
  add_gang(all, {.name = "requested",
                 .priority = 100,
                 .cpu = 10,
                 .memory = 100,
                 .pods = 40,
                 .topology = R"("required":"block")"});
  measure("a block of 40 among 700 gangs on 2,000 nodes", all, 5);
}

}  // namespace
}  // namespace muster::bench

int main() {
  muster::bench::scheduler_tas();
  muster::bench::many_candidates();
}
