// NeighbourFilter: where pods may stand that care about other pods: affinity and anti-affinity
// between pods (both ways), how evenly they are spread, and ports of the host. It knows the pods
// that stand or have a slot, and is told of each pod of the gang as it gets its place.
//
//   NeighbourFilter filter(tables, part.kind, part.wish, earlier);
//   if (const auto refusal = filter.refuses(node)) …
//   filter.add(node);
//
// Assumes: asked only where someone cares (concerns()), for it looks at every pod once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/tables.h"
#include "core/placement/node_filter.h"

namespace muster::core {

// Pods that are alike: what others see of them, and what they want.
struct PodKind {
  std::string_view name_space;
  const Labels* labels = nullptr;
  const PodNeighbours* neighbours = nullptr;
};

class NeighbourFilter {
 public:
  // Earlier parts of the gang, and what the cycle has placed before it, are seen too.
  class Earlier {
   public:
    void add(const PodKind& kind, NodeId node, std::int64_t count);
    void forget_after(std::size_t size);
    std::size_t size() const { return placed_.size(); }

   private:
    friend class NeighbourFilter;
    struct Placed {
      PodKind kind;
      NodeId node;
      std::int64_t count = 0;
    };
    std::vector<Placed> placed_;
    std::int64_t distance_keepers_ = 0;
  };

  // Whether anything but room and labels decides where these pods go.
  static bool concerns(const Tables& tables, const PodKind& kind, const Earlier& earlier);

  NeighbourFilter(const Tables& tables, const PodKind& kind, const NodeWish& wish,
                  const Earlier& earlier);

  std::optional<Refusal> refuses(NodeId node) const;
  void add(NodeId node);

 private:
  // How many matching pods there are, by the value of the term's label.
  struct Counted {
    const NeighbourTerm* term = nullptr;
    std::map<std::string, std::int64_t, std::less<>> by_value;
    std::int64_t total = 0;
    bool matches_itself = false;
  };

  // How many matching pods there are in each place that counts, empty ones too.
  struct Spread {
    const SpreadTerm* term = nullptr;
    std::map<std::string, std::int64_t, std::less<>> by_value;
    std::int64_t least = 0;  // in a place; 0 while there are too few places
    bool matches_itself = false;

    void find_least();
  };

  void prepare_spreads(const NodeWish& wish);
  void see_all(const Earlier& earlier);
  void see(const PodKind& other, NodeId node);
  void count_spread(const PodKind& other, NodeId node);
  bool matches(const SpreadTerm& term, const PodKind& other) const;
  std::optional<Refusal> refuses_spread(NodeId node) const;
  bool matches(const NeighbourTerm& term, std::string_view owner, const PodKind& other) const;
  std::optional<std::string_view> value_at(NodeId node, const std::string& key) const;

  const Tables& tables_;
  PodKind kind_;
  std::vector<Counted> wanted_;
  std::vector<Counted> unwanted_;
  std::vector<Spread> spreads_;
  std::vector<bool> is_place_;  // by node and spread: whether pods there are counted
  // Domains that others keep free of pods like these: label and value.
  std::map<std::pair<std::string, std::string>, std::int64_t> kept_free_;
  std::map<NodeId, std::vector<const HostPort*>> ports_;
};

}  // namespace muster::core
