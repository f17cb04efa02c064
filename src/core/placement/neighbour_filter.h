// NeighbourFilter: where pods may stand that care about other pods: affinity and anti-affinity
// between pods (both ways), and ports of the host. It knows the pods that stand or have a slot, and
// is told of each pod of the gang as it gets its place.
//
//   NeighbourFilter filter(tables, part);
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
  // Earlier parts of the gang, with the nodes they got, are seen too.
  struct Placed {
    PodKind kind;
    NodeId node;
  };

  // Whether anything but room and labels decides where these pods go.
  static bool concerns(const Tables& tables, const PodKind& kind,
                       const std::vector<Placed>& earlier);

  NeighbourFilter(const Tables& tables, const PodKind& kind, const std::vector<Placed>& earlier);

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

  void see(const PodKind& other, NodeId node);
  bool matches(const NeighbourTerm& term, std::string_view owner, const PodKind& other) const;
  std::optional<std::string_view> value_at(NodeId node, const std::string& key) const;

  const Tables& tables_;
  PodKind kind_;
  std::vector<Counted> wanted_;
  std::vector<Counted> unwanted_;
  // Domains that others keep free of pods like these: label and value.
  std::map<std::pair<std::string, std::string>, std::int64_t> kept_free_;
  std::map<NodeId, std::vector<const HostPort*>> ports_;
};

}  // namespace muster::core
