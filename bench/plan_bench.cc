// Deciding: one cycle with a head in each of 1,000 ClusterQueues, and the placement of one large
// gang. The limits are what the arithmetic alone costs on plain arrays in the same process: the
// quota check of every head, and the recount of every node with the fill of the emptiest.
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "core/model/cluster_state.h"
#include "core/model/tables.h"
#include "core/placement/place_gang.h"
#include "core/plan/plan.h"
#include "tests/plan/made_objects.h"

namespace muster::core {
namespace {

constexpr std::int64_t queues = 1'000;
constexpr std::int64_t nodes = 5'000;
constexpr std::int64_t gang = 1'000;

ClusterState queues_with_a_head_each() {
  ClusterState state;
  state.apply({.type = EventType::tick, .now = Instant{1'735'732'800'000'000'000}});
  state.apply(made::upsert(made::name_space("a")));
  state.apply(made::upsert(made::flavor("default")));
  for (std::int64_t i = 0; i < queues; ++i) {
    const std::string name = fmt::format("q{}", i);
    state.apply(made::upsert(made::cluster_queue(name, {.gpus = 8})));
    state.apply(made::upsert(made::local_queue(name, name)));
    state.apply(made::upsert(
        made::workload("w" + name, {.uid = name, .queue = name, .pods = 4, .gpus_each = 1})));
  }
  return state;
}

void measure_cycle() {
  ClusterState state = queues_with_a_head_each();
  const Policy policy{.placement = Placement::none};
  std::vector<std::int64_t> nominal(queues, 8);
  std::vector<std::int64_t> usage(queues, 0);
  bench::compare(
      "a cycle, for each of 1,000 heads admitted", queues,
      [&] { benchmark::DoNotOptimize(plan(state, policy).decisions.size()); },
      "check and take on two arrays",
      [&] {
        for (std::size_t i = 0; i < nominal.size(); ++i) {
          if (usage[i] + 4 <= nominal[i]) usage[i] += 4;
        }
        benchmark::DoNotOptimize(usage.data());
        std::fill(usage.begin(), usage.end(), 0);
      });
}

// Counts what fits on every node and fills the emptiest first.
std::int64_t fill(const std::vector<std::int64_t>& gpus, const std::vector<std::int64_t>& pods,
                  std::vector<std::int64_t>& capacity, std::vector<std::uint32_t>& by_capacity) {
  for (std::size_t n = 0; n < gpus.size(); ++n) capacity[n] = std::min(gpus[n], pods[n]);
  std::array<std::uint32_t, 16> starts{};
  for (const std::int64_t most : capacity) ++starts[static_cast<std::size_t>(most)];
  std::exclusive_scan(starts.rbegin(), starts.rend(), starts.rbegin(), 0U);
  for (std::uint32_t n = 0; n < capacity.size(); ++n) {
    by_capacity[starts[static_cast<std::size_t>(capacity[n])]++] = n;
  }
  std::int64_t left = gang;
  for (const std::uint32_t n : by_capacity) {
    if (left <= 0) break;
    left -= std::min(left, capacity[n]);
  }
  return left;
}

void measure_placement() {
  ClusterState state;
  for (std::int64_t i = 0; i < nodes; ++i) {
    state.apply(made::upsert(made::node(fmt::format("node-{:05}", i), {.gpus = 1 + i % 8})));
  }
  Tables& tables = state.tables();
  const Amounts requests{{tables.names.find("nvidia.com/gpu"), 1}};
  const SchedulingTerms terms;
  GangPart part{.pod_set = "main", .requests = &requests, .wish = {}, .count = gang};
  part.wish.terms = &terms;
  std::vector<std::int64_t> gpus;
  for (std::int64_t i = 0; i < nodes; ++i) gpus.push_back(1 + i % 8);
  const std::vector<std::int64_t> pods(nodes, 110);
  std::vector<std::int64_t> capacity(nodes);
  std::vector<std::uint32_t> by_capacity(nodes);
  bench::compare(
      "place a gang of 1,000 on 5,000 nodes", 1,
      [&] {
        Trial trial(tables.undo);
        benchmark::DoNotOptimize(place_gang(tables, trial, {&part, 1}).fits());
      },
      "recount and fill plain arrays",
      [&] { benchmark::DoNotOptimize(fill(gpus, pods, capacity, by_capacity)); });
}

}  // namespace
}  // namespace muster::core

int main() {
  muster::core::measure_cycle();
  muster::core::measure_placement();
  return 0;
}
