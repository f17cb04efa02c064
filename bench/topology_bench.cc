// Placing gangs in topologies: one gang found, taken and given back again, so that each search sees
// leaves that changed. The bars are those of docs/benchmarks.md; a ratio above 1 is better than the
// bar. The first search counts every leaf; its time is shown beside.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/os/cpu_time.h"
#include "core/model/tables.h"
#include "core/placement/topology.h"
#include "core/placement/topology_place.h"
#include "core/words.h"

namespace muster::core {
namespace {

constexpr std::size_t rounds = 51;

struct Shape {
  int nodes = 0;
  int nodes_per_rack = 16;
  int racks_per_block = 16;
  std::int64_t cpu = 96'000;
  std::int64_t gpu = 8;
};

// A cluster of equal nodes, with one flavor on a topology of blocks, racks and hosts.
class Cluster {
 public:
  explicit Cluster(const Shape& shape) {
    cpu_ = tables_->names.intern("cpu").must();
    gpu_ = tables_->names.intern("example.com/gpu").must();
    const TopologyId topology = tables_->topologies.rows.hold("default");
    tables_->topologies.rows[topology].present = true;
    tables_->topologies.rows[topology].spec.levels = {"block", "rack",
                                                      std::string(words::hostname_label)};
    flavor_ = tables_->flavors.hold("flavor");
    tables_->flavors[flavor_].present = true;
    tables_->flavors[flavor_].spec.topology_name = "default";
    for (int i = 0; i < shape.nodes; ++i) add_node(shape, i);
  }

  GangPodSet pods(const std::string& name, std::int64_t cpu, std::int64_t gpu) const {
    GangPodSet set;
    set.name = name;
    set.requests = {{cpu_, cpu}, {gpu_, gpu}};
    return set;
  }

  Tables& tables() { return *tables_; }
  FlavorId flavor() const { return flavor_; }
  TopologyTree& tree() { return *tables_->topologies.tree(*tables_, flavor_); }

 private:
  void add_node(const Shape& shape, int i) {
    const int rack = i / shape.nodes_per_rack;
    const std::string name = fmt::format("node-{:06}", i);
    NodeRow& row = tables_->nodes[tables_->nodes.hold(name)];
    row.present = true;
    row.spec.is_ready = true;
    row.spec.labels = {{"block", fmt::format("block-{:04}", rack / shape.racks_per_block)},
                       {std::string(words::hostname_label), name},
                       {"rack", fmt::format("rack-{:05}", rack)}};
    row.spec.allocatable = {{cpu_, shape.cpu}, {gpu_, shape.gpu}, {tables_->names.pods(), 110}};
    row.spec.declared_pods = 110;
  }

  std::unique_ptr<Tables> tables_ = std::make_unique<Tables>();
  ResourceId cpu_;
  ResourceId gpu_;
  FlavorId flavor_;
};

double microseconds(const std::function<void()>& body) {
  const Span start = thread_cpu_time();
  body();
  return static_cast<double>((thread_cpu_time() - start).nanoseconds) / 1e3;
}

// Finds the place, takes it, and gives it back.
void place_once(Cluster& cluster, const PlaceWish& wish) {
  Tables& tables = cluster.tables();
  PlaceFinder finder(tables, cluster.tree(), cluster.flavor(), {});
  FoundPlace place = finder.find(wish);
  if (!place.fits) fmt::print("no place: {}\n", place.sentence);
  Trial trial(tables.undo);
  const TopologyUsage usage{.flavor = cluster.flavor(),
                            .tree = cluster.tree().number(),
                            .requests = wish.workers->requests,
                            .domains = std::move(place.workers)};
  take_topology(tables, trial, {&usage, 1});
}

void measure(std::string_view what, Cluster& cluster, const PlaceWish& wish, double bar) {
  cluster.tree();
  const double first = microseconds([&] { place_once(cluster, wish); });
  std::array<double, rounds> times{};
  for (double& time : times) time = microseconds([&] { place_once(cluster, wish); });
  std::ranges::sort(times);
  const double median = times[rounds / 2];
  fmt::print("{:<58} {:>10.1f} us   bar {:>7.1f}   ratio {:>7.2f}   first {:.1f} us\n", what,
             median, bar, bar / median, first);
}

void gang_of_thousand(int nodes, double bar) {
  Cluster cluster({.nodes = nodes});
  GangPodSet workers = cluster.pods("workers", 8'000, 1);
  workers.topology.mode = TopologyRequest::Mode::preferred;
  workers.topology.level = "rack";
  measure(fmt::format("1,000 pods on {} nodes, rack-packed", nodes), cluster,
          {.workers = &workers, .request = &workers.topology, .count = 1'000}, bar);
}

// BenchmarkTASFlavorAssignment: a whole block, balanced, with and without a leader.
void balanced_block(bool with_leader) {
  Cluster cluster({.nodes = 2'500});
  cluster.tables().configuration.gates.set(Gate::tas_balanced_placement, true);
  GangPodSet workers = cluster.pods("workers", 8'000, 0);
  workers.topology.mode = TopologyRequest::Mode::preferred;
  workers.topology.level = "rack";
  const GangPodSet leader = cluster.pods("leader", 72'000, 0);
  measure(with_leader ? "TASFlavorAssignment, 2,500 nodes, with a leader"
                      : "TASFlavorAssignment, 2,500 nodes",
          cluster,
          {.workers = &workers,
           .request = &workers.topology,
           .count = 256 * 9,
           .leader = with_leader ? &leader : nullptr},
          500);
}

}  // namespace
}  // namespace muster::core

int main() {
  muster::core::gang_of_thousand(5'000, 100);
  muster::core::gang_of_thousand(100'000, 3'000);
  muster::core::balanced_block(false);
  muster::core::balanced_block(true);
}
