// SPDX-License-Identifier: Apache-2.0
#include "core/placement/place_gang.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "core/placement/claim_filter.h"
#include "core/placement/gang_claims.h"
#include "core/placement/node_scores.h"

namespace muster::core {

// The search for the first node by name that takes a part whole; or for the first of those that do
// not discourage its pods.
class WholePart {
 public:
  WholePart(Tables& tables, const GangPart& part, const ClaimFilter* claims, bool spares)
      : tables_(tables), part_(part), claims_(claims), spares_(spares) {
    for (const Amount& request : *part.requests) {
      if (request.amount <= 0 || request.resource == tables.names.pods()) continue;
      need(request.resource, request.amount);
    }
    need(tables.names.pods(), 1);
  }

  // None: there is no such node.
  NodeId find(PlaceMemory* memory) {
    if (is_impossible_) return NodeId::none();
    PlaceMemory::Search* search = memory == nullptr ? nullptr : search_in(*memory);
    const std::vector<NodeId>& nodes = tables_.nodes_by_name();
    std::size_t at = search == nullptr ? 0 : search->next;
    while (at < nodes.size() && !takes_all(nodes[at])) ++at;
    if (search != nullptr) search->next = at;
    return at == nodes.size() ? NodeId::none() : nodes[at];
  }

 private:
  struct Need {
    std::span<const std::int64_t> free;
    std::int64_t amount = 0;
  };

  void need(ResourceId resource, std::int64_t each) {
    const auto all = checked_multiply(each, part_.count);
    is_impossible_ = is_impossible_ || !all;
    needs_.push_back({tables_.free.of(resource), all.value_or(0)});
  }

  bool takes_all(NodeId node) const {
    for (const Need& each : needs_) {
      const std::int64_t free = node.index() < each.free.size() ? each.free[node.index()] : 0;
      if (free < each.amount) return false;
    }
    const NodeRow& row = tables_.nodes[node];
    const std::string& name = tables_.nodes.key(node);
    if (!row.present || refuses(row, name, part_.wish)) return false;
    if (spares_ && count_discouraging_taints(row, part_.wish) > 0) return false;
    return claims_ == nullptr || !claims_->refuses(node, row, name);
  }

  PlaceMemory::Search* search_in(PlaceMemory& memory) const {
    for (PlaceMemory::Search& each : memory.searches_) {
      const bool is_same = each.requests == part_.requests && each.terms == part_.wish.terms &&
                           each.count == part_.count && each.flavors == part_.wish.flavors &&
                           each.spares == spares_;
      if (is_same) return &each;
    }
    if (memory.searches_.size() == PlaceMemory::searches_max) return nullptr;
    return &memory.searches_.emplace_back(PlaceMemory::Search{
        part_.requests, part_.wish.terms, part_.wish.flavors, part_.count, spares_, 0});
  }

  Tables& tables_;
  const GangPart& part_;
  const ClaimFilter* claims_;
  bool spares_;
  ShortList<Need, 4> needs_;
  bool is_impossible_ = false;  // no node holds more than int64
};

namespace {

struct Candidate {
  NodeId node;
  std::int64_t capacity = 0;  // pods of the part that it takes
  std::int64_t score = 0;     // how well it suits them; the same of all where nobody cares
};

enum class Preferences : std::uint8_t { respected, ignored };

// How many pods of the part each node has room for, by node id: one pass over each column.
std::vector<std::int64_t> capacities(const Tables& tables, const GangPart& part) {
  std::vector<std::int64_t> most(tables.nodes.slots(), part.count);
  const auto limit = [&](ResourceId resource, std::int64_t each) {
    const std::span<const std::int64_t> free = tables.free.of(resource);
    const std::size_t known = std::min(free.size(), most.size());
    // The product is cheaper than the quotient and mostly enough; no node holds more than int64.
    const bool has_product = checked_multiply(each, part.count).has_value();
    for (std::size_t n = 0; n < known; ++n) {
      if (has_product && free[n] >= each * most[n]) continue;
      most[n] = std::min(most[n], std::max<std::int64_t>(free[n], 0) / each);
    }
    std::fill(most.begin() + static_cast<std::ptrdiff_t>(known), most.end(), 0);
  };
  for (const Amount& request : *part.requests) {
    if (request.amount > 0 && request.resource != tables.names.pods()) {
      limit(request.resource, request.amount);
    }
  }
  limit(tables.names.pods(), 1);
  return most;
}

// Nodes by the first resource of which they have too little for one pod.
class Shortages {
 public:
  explicit Shortages(const GangPart& part) : part_(part), counts_(part.requests->size() + 1, 0) {}

  void add(const Tables& tables, NodeId node) {
    std::size_t at = 0;
    for (const Amount& request : *part_.requests) {
      if (request.amount > tables.free.at(request.resource, node)) break;
      ++at;
    }
    ++counts_[at];
  }

  void tell(const Tables& tables, Exclusions& exclusions) const {
    for (std::size_t at = 0; at < counts_.size(); ++at) {
      if (counts_[at] == 0) continue;
      if (at == part_.requests->size()) {
        exclusions.add({"resource \"pods\"", "Too many pods"}, counts_[at]);
        continue;
      }
      const std::string& name = tables.names.name((*part_.requests)[at].resource);
      exclusions.add({fmt::format("resource \"{}\"", name), fmt::format("Insufficient {}", name)},
                     counts_[at]);
    }
  }

 private:
  const GangPart& part_;
  std::vector<std::int64_t> counts_;  // behind the last request: for want of pods
};

void score(const Tables& tables, const GangPart& part, std::vector<Candidate>& found) {
  std::vector<NodeId> nodes;
  nodes.reserve(found.size());
  for (const Candidate& candidate : found) nodes.push_back(candidate.node);
  const std::vector<std::int64_t> scores = score_nodes(tables, part.wish, nodes);
  for (std::size_t i = 0; i < found.size(); ++i) found[i].score = scores[i];
}

// Nodes that take at least one pod: those that suit them best first, of these those that take most,
// equal ones by name.
std::vector<Candidate> candidates(const Tables& tables, const GangPart& part,
                                  const ClaimFilter* claims, Preferences preferences,
                                  NoPlace& why) {
  const std::vector<std::int64_t> most = capacities(tables, part);
  std::vector<Candidate> found;
  Shortages shortages(part);
  tables.nodes.for_each([&](NodeId id, const NodeRow& node) {
    if (!node.present) return;
    ++why.nodes;
    if (const auto refusal = refuses(node, tables.nodes.key(id), part.wish)) {
      why.exclusions.add(*refusal);
    } else if (most[id.index()] == 0) {
      shortages.add(tables, id);
    } else if (auto claimed = claims == nullptr ? std::nullopt
                                                : claims->refuses(id, node, tables.nodes.key(id))) {
      why.exclusions.add(*claimed);
    } else {
      found.push_back({id, most[id.index()]});
    }
  });
  shortages.tell(tables, why.exclusions);
  if (preferences == Preferences::respected) score(tables, part, found);
  std::ranges::sort(found, [&](const Candidate& a, const Candidate& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.capacity != b.capacity) return a.capacity > b.capacity;
    return tables.nodes.key(a.node) < tables.nodes.key(b.node);
  });
  return found;
}

void take(Tables& tables, Trial& trial, const GangPart& part, const PlacedPods& placed) {
  for (const Amount& request : *part.requests) {
    if (request.amount == 0 || request.resource == tables.names.pods()) continue;
    trial.add(tables.free.cell(request.resource, placed.node), -request.amount * placed.count);
  }
  trial.add(tables.free.cell(tables.names.pods(), placed.node), -placed.count);
}

// Fills the largest of those that suit best first; the rest goes to the smallest that still takes
// it whole and suits as well as the one whose turn it is.
PlacedPart pack(const std::vector<Candidate>& sorted, std::int64_t count) {
  PlacedPart placed;
  std::size_t next = 0;
  while (count > 0 && sorted[next].capacity < count) {
    placed.push_back({sorted[next].node, sorted[next].capacity});
    count -= sorted[next].capacity;
    ++next;
  }
  if (count == 0) return placed;
  const auto suffices = [&](const Candidate& candidate) {
    return candidate.capacity >= count && candidate.score == sorted[next].score;
  };
  // Of equal capacity the first by name: the beginning of the last run that suffices.
  std::size_t last = next;
  while (last + 1 < sorted.size() && suffices(sorted[last + 1])) ++last;
  while (last > next && sorted[last - 1].capacity == sorted[last].capacity) --last;
  placed.push_back({sorted[last].node, count});
  return placed;
}

void add_one(PlacedPart& placed, NodeId node) {
  for (PlacedPods& pods : placed) {
    if (pods.node != node) continue;
    ++pods.count;
    return;
  }
  placed.push_back({node, 1});
}

// One pod after the other, for pods that care about their neighbours. A node that keeps them away
// does so for good; one that only lacks company, or has too many until others have as many, may
// take them later.
PlacedPart pack_carefully(std::vector<Candidate> sorted, std::int64_t count,
                          NeighbourFilter& filter, NoPlace& why) {
  PlacedPart placed;
  const auto is_taken = [&](const Candidate& candidate) {
    return candidate.capacity == 0 || filter.refuses(candidate.node).has_value();
  };
  Candidate* stays = nullptr;
  for (std::int64_t left = count; left > 0; --left) {
    if (stays == nullptr || is_taken(*stays)) {
      stays = nullptr;
      for (Candidate& candidate : sorted) {
        if (stays != nullptr && candidate.score < stays->score) break;
        const bool is_better = stays == nullptr ||
                               (candidate.capacity >= left && candidate.capacity < stays->capacity);
        if (is_better && !is_taken(candidate)) stays = &candidate;
        if (stays != nullptr && stays->capacity < left) break;
      }
      if (stays == nullptr) break;
    }
    --stays->capacity;
    add_one(placed, stays->node);
    ++why.fit;
    filter.add(stays->node);
  }
  if (why.fit == count) return placed;
  for (const Candidate& candidate : sorted) {
    if (const auto refusal = filter.refuses(candidate.node)) why.exclusions.add(*refusal);
  }
  return placed;
}

// The resource that allows the fewest of the pods, over all nodes that would take them.
void name_shortage(const Tables& tables, const GangPart& part, NoPlace& why) {
  std::int64_t fewest = part.count;
  const auto look_at = [&](ResourceId resource, std::int64_t each) {
    if (each <= 0) return;
    std::int64_t pods = 0;
    tables.nodes.for_each([&](NodeId id, const NodeRow& node) {
      if (!node.present || refuses(node, tables.nodes.key(id), part.wish)) return;
      const std::int64_t free = std::max<std::int64_t>(tables.free.at(resource, id), 0);
      pods = std::min(part.count, pods + std::min(part.count, free / each));
    });
    if (pods >= fewest) return;
    fewest = pods;
    why.short_resource = resource;
    why.missing = saturating_multiply(part.count - pods, each);
  };
  for (const Amount& request : *part.requests) {
    if (request.resource != tables.names.pods()) look_at(request.resource, request.amount);
  }
  look_at(tables.names.pods(), 1);
}

// What the parts before this one have been given, as their neighbours see it.
using Earlier = NeighbourFilter::Earlier;

void remember(const GangPart& part, const PlacedPart& placed, Earlier& earlier) {
  if (part.kind.neighbours == nullptr) return;
  for (const PlacedPods& pods : placed) earlier.add(part.kind, pods.node, pods.count);
}

bool is_careful(const Tables& tables, const GangPart& part, const Earlier& earlier) {
  return part.kind.neighbours != nullptr && NeighbourFilter::concerns(tables, part.kind, earlier);
}

// On one node, as most parts are; nothing where that is not looked for, or there is none. Of nodes
// that nothing speaks against the first will do; preferred affinity asks for all of them.
PlacedPart place_whole(Tables& tables, const GangPart& part, const ClaimFilter* claims,
                       Preferences preferences, const Earlier& earlier, PlaceMemory* memory) {
  if (is_careful(tables, part, earlier)) return {};
  const bool cares = preferences == Preferences::respected;
  if (cares && !part.wish.terms->preferred.empty()) return {};
  // Where claims say which nodes will do, others that ask for the same learn nothing from it.
  const NodeId whole =
      WholePart(tables, part, claims, cares).find(claims == nullptr ? memory : nullptr);
  if (whole.is_none()) return {};
  return {{whole, part.count}};
}

// On several, because no single one takes it; or where the pods would rather be.
PlacedPart spread(Tables& tables, const GangPart& part, const ClaimFilter* claims,
                  Preferences preferences, const Earlier& earlier, NoPlace& why) {
  if (is_careful(tables, part, earlier)) {
    NeighbourFilter filter(tables, part.kind, part.wish, earlier);
    return pack_carefully(candidates(tables, part, claims, preferences, why), part.count, filter,
                          why);
  }
  std::vector<Candidate> sorted = candidates(tables, part, claims, preferences, why);
  for (const Candidate& candidate : sorted) {
    why.fit = std::min(part.count, why.fit + candidate.capacity);
  }
  if (why.fit < part.count) return {};
  return pack(sorted, part.count);
}

void place_all(Tables& tables, Trial& trial, std::span<const GangPart> parts,
               Preferences preferences, PlaceMemory* memory, GangPlacement& result) {
  result.parts.clear();
  result.failure.reset();
  Earlier own;
  Earlier& earlier = memory == nullptr ? own : memory->placed();
  const std::size_t earlier_before = earlier.size();
  const GangClaims claims(tables, parts);
  if (claims.failure()) {
    result.failure = claims.failure();
    return;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const GangPart& part = parts[i];
    const bool cares = preferences == Preferences::respected && has_preferences(tables, part.wish);
    const Preferences own_preferences = cares ? Preferences::respected : Preferences::ignored;
    PlacedPart placed;
    if (part.count > 0) {
      placed = place_whole(tables, part, claims.filter(i), own_preferences, earlier, memory);
    }
    if (part.count > 0 && placed.empty()) {
      NoPlace why{.pod_set = std::string(part.pod_set), .wanted = part.count, .exclusions = {}};
      placed = spread(tables, part, claims.filter(i), own_preferences, earlier, why);
      if (why.fit < part.count) {
        if (memory != nullptr) memory->forget();
        earlier.forget_after(earlier_before);
        name_shortage(tables, part, why);
        result.failure = std::move(why);
        return;
      }
    }
    if (memory != nullptr || i + 1 < parts.size()) remember(part, placed, earlier);
    for (const PlacedPods& pods : placed) take(tables, trial, part, pods);
    if (placed.size() > 1)
      std::ranges::sort(placed, [&](const PlacedPods& a, const PlacedPods& b) {
        return tables.nodes.key(a.node) < tables.nodes.key(b.node);
      });
    result.parts.push_back(std::move(placed));
  }
}

}  // namespace

GangPlacement place_gang(Tables& tables, Trial& trial, std::span<const GangPart> parts,
                         PlaceMemory* memory) {
  GangPlacement result;
  place_gang(tables, trial, parts, memory, result);
  return result;
}

void place_gang(Tables& tables, Trial& trial, std::span<const GangPart> parts, PlaceMemory* memory,
                GangPlacement& result) {
  const auto cares = [&](const GangPart& part) { return has_preferences(tables, part.wish); };
  if (std::ranges::any_of(parts, cares)) {
    Trial preferred(tables.undo);
    place_all(tables, preferred, parts, Preferences::respected, memory, result);
    if (result.fits()) return preferred.commit();
  }
  place_all(tables, trial, parts, Preferences::ignored, memory, result);
}

}  // namespace muster::core
