// SlowTopology: the placement of a gang in a topology, written to be read: numbers are computed
// from the nodes whenever they are asked for, lists are sorted whole, nothing is kept. It is what
// core/placement/topology_*.cc must agree with. Balanced placement and preferred affinity are not
// in it.
//
//   SlowTopology slow(levels, nodes, request);
//   slow.place()      // {"r1,n1": 2, "r1,n2": 1}, or nothing
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::core::slow {

using Path = std::vector<std::string>;  // values of the levels down to a domain
using Room = std::map<std::string, std::int64_t>;

struct SlowNode {
  Path path;  // a value for each level
  Room free;
  bool matches = true;  // taints, selector and affinity
};

struct SlowLayer {
  std::size_t level = 0;
  std::int64_t size = 1;
};

struct SlowRequest {
  std::int64_t count = 1;
  Room pod;  // with one of pods
  std::optional<Room> leader;
  std::size_t level = 0;
  bool required = false;
  bool unconstrained = false;
  bool least_free = false;        // mixed profile, and unconstrained
  std::vector<SlowLayer> layers;  // the widest first
};

struct SlowPods {
  std::int64_t workers = 0;
  std::int64_t leaders = 0;
};

using SlowPlaces = std::map<Path, SlowPods>;  // leaves with something in them

class SlowTopology {
 public:
  SlowTopology(std::size_t height, std::vector<SlowNode> nodes, SlowRequest request);

  // Nothing: there is no place, and `fit` of the wanted pods or slices would have one.
  std::optional<SlowPlaces> place();
  std::int64_t fit() const { return fit_; }

 private:
  enum class Unit : std::uint8_t { slices, pods };
  using Order = std::vector<Path>;

  std::vector<Path> domains(std::size_t level) const;
  std::vector<Path> children(const Path& domain) const;
  std::int64_t times(const Path& leaf, const Room& pod, bool after_leader) const;

  std::int64_t inner_size(std::size_t level) const;
  std::int64_t pods(const Path& domain) const;
  std::int64_t pods_beside(const Path& domain) const;  // a leader
  std::int64_t slices(const Path& domain) const;
  std::int64_t slices_beside(const Path& domain) const;
  std::int64_t leaders(const Path& domain) const;

  Order by_slices(std::vector<Path> domains) const;
  Order by_slices_beside(std::vector<Path> domains) const;

  bool find(std::size_t& level, Order& chosen);
  bool find_several(Order sorted, Order& chosen);
  SlowPlaces hand_out(Order order, SlowPods what, std::int64_t size, Unit unit) const;
  Order with_leader_first(Order order, SlowPods what, std::int64_t size, Unit unit) const;
  Path best_fit(const Order& rest, std::int64_t needed, std::int64_t leaders, std::int64_t size,
                Unit unit) const;
  std::int64_t units(const Path& domain, std::int64_t size, Unit unit) const;
  std::int64_t units_beside(const Path& domain, std::int64_t size, Unit unit) const;

  std::size_t height_;
  std::vector<SlowNode> nodes_;
  SlowRequest request_;
  std::int64_t slice_size_ = 1;
  std::size_t slice_level_ = 0;
  std::int64_t fit_ = 0;
};

}  // namespace muster::core::slow
