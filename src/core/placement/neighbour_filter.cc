// SPDX-License-Identifier: Apache-2.0
#include "core/placement/neighbour_filter.h"

#include <algorithm>

namespace muster::core {

namespace {

std::string_view namespace_part(std::string_view key) {
  return key.substr(0, key.find('/'));
}

bool selects(const objects::LabelSelector& selector, const Labels& labels) {
  return selector.matches_by([&](std::string_view key) { return find_label(labels, key); });
}

PodKind kind_of(const Tables& tables, PodId id) {
  const Pod& pod = tables.pods[id].spec;
  return {namespace_part(tables.pods.key(id)), &pod.labels, &pod.neighbours};
}

}  // namespace

void NeighbourFilter::Earlier::add(const PodKind& kind, NodeId node, std::int64_t count) {
  placed_.push_back({kind, node, count});
  if (!kind.neighbours->unwanted.empty()) ++distance_keepers_;
}

void NeighbourFilter::Earlier::forget_after(std::size_t size) {
  for (std::size_t i = size; i < placed_.size(); ++i) {
    if (!placed_[i].kind.neighbours->unwanted.empty()) --distance_keepers_;
  }
  placed_.resize(size);
}

bool NeighbourFilter::concerns(const Tables& tables, const PodKind& kind, const Earlier& earlier) {
  return !kind.neighbours->empty() || tables.distance_keepers > 0 || earlier.distance_keepers_ > 0;
}

NeighbourFilter::NeighbourFilter(const Tables& tables, const PodKind& kind, const NodeWish& wish,
                                 const Earlier& earlier)
    : tables_(tables), kind_(kind) {
  const auto prepare = [&](const std::vector<NeighbourTerm>& terms, std::vector<Counted>& into) {
    for (const NeighbourTerm& term : terms) {
      Counted& counted = into.emplace_back();
      counted.term = &term;
      counted.matches_itself = matches(term, kind.name_space, kind);
    }
  };
  prepare(kind.neighbours->wanted, wanted_);
  prepare(kind.neighbours->unwanted, unwanted_);
  if (!kind.neighbours->spreads.empty()) prepare_spreads(wish);
  see_all(earlier);
  for (Spread& spread : spreads_) spread.find_least();
}

void NeighbourFilter::see_all(const Earlier& earlier) {
  tables_.pods.for_each([&](PodId id, const PodRow& row) {
    if (!row.counted) return;
    const PodKind other = kind_of(tables_, id);
    see(other, row.node);
    // Who is on the way out makes no place fuller.
    if (!row.spec.is_being_deleted) count_spread(other, row.node);
  });
  // Slots in which no pod stands yet are as good as pods.
  tables_.workloads.for_each([&](WorkloadId id, const WorkloadRow& row) {
    for (const Slot& slot : row.reservation->slots) {
      const GangPodSet& set = row.spec.pod_sets[slot.pod_set];
      const PodKind other{namespace_part(tables_.workloads.key(id)), &set.labels, &set.neighbours};
      for (std::int64_t i = 0; i < slot.kept; ++i) {
        see(other, slot.node);
        count_spread(other, slot.node);
      }
    }
  });
  for (const Earlier::Placed& placed : earlier.placed_) {
    for (std::int64_t i = 0; i < placed.count; ++i) {
      see(placed.kind, placed.node);
      count_spread(placed.kind, placed.node);
    }
  }
}

// A place is a value of the label on nodes that the pod could choose; they have all the labels.
void NeighbourFilter::prepare_spreads(const NodeWish& wish) {
  const std::vector<SpreadTerm>& terms = kind_.neighbours->spreads;
  for (const SpreadTerm& term : terms) {
    Spread& spread = spreads_.emplace_back();
    spread.term = &term;
    spread.matches_itself = matches(term, kind_);
  }
  is_place_.assign(tables_.nodes.slots() * terms.size(), false);
  tables_.nodes.for_each([&](NodeId id, const NodeRow& node) {
    const auto has_label = [&](const SpreadTerm& term) {
      return value_at(id, term.topology_key).has_value();
    };
    if (!node.present || !std::ranges::all_of(terms, has_label)) return;
    const bool is_asked_for = has_asked_labels(node, tables_.nodes.key(id), wish);
    const bool is_tainted = has_untolerated_taint(node, wish);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (terms[i].honors_affinity && !is_asked_for) continue;
      if (terms[i].honors_taints && is_tainted) continue;
      is_place_[id.index() * terms.size() + i] = true;
      spreads_[i].by_value.try_emplace(std::string(*value_at(id, terms[i].topology_key)), 0);
    }
  });
}

void NeighbourFilter::Spread::find_least() {
  least = 0;
  if (by_value.empty() || std::ssize(by_value) < term->minimum_domains) return;
  least = std::ranges::min_element(by_value, {}, [](const auto& entry) {
            return entry.second;
          })->second;
}

bool NeighbourFilter::matches(const SpreadTerm& term, const PodKind& other) const {
  if (other.name_space != kind_.name_space || !selects(term.pods, *other.labels)) return false;
  return std::ranges::all_of(term.same_labels, [&](const std::string& key) {
    const auto own = find_label(*kind_.labels, key);
    return !own || find_label(*other.labels, key) == own;
  });
}

void NeighbourFilter::count_spread(const PodKind& other, NodeId node) {
  for (std::size_t i = 0; i < spreads_.size(); ++i) {
    Spread& spread = spreads_[i];
    const std::size_t at = node.index() * spreads_.size() + i;
    if (at >= is_place_.size() || !is_place_[at] || !matches(*spread.term, other)) continue;
    ++spread.by_value.find(*value_at(node, spread.term->topology_key))->second;
  }
}

std::optional<Refusal> NeighbourFilter::refuses_spread(NodeId node) const {
  for (const Spread& spread : spreads_) {
    const auto value = value_at(node, spread.term->topology_key);
    if (!value) {
      return Refusal{"topologySpread",
                     "node(s) didn't match pod topology spread constraints (missing required "
                     "label)"};
    }
    const auto at = spread.by_value.find(*value);
    const std::int64_t there = at == spread.by_value.end() ? 0 : at->second;
    const std::int64_t itself = spread.matches_itself ? 1 : 0;
    if (there + itself - spread.least <= spread.term->maximum_skew) continue;
    return Refusal{"topologySpread", "node(s) didn't match pod topology spread constraints"};
  }
  return std::nullopt;
}

bool NeighbourFilter::matches(const NeighbourTerm& term, std::string_view owner,
                              const PodKind& other) const {
  bool is_meant = std::ranges::find(term.namespaces, other.name_space) != term.namespaces.end();
  if (term.namespaces.empty() && !term.has_namespace_selector) is_meant = other.name_space == owner;
  if (!is_meant && term.has_namespace_selector) {
    const NamespaceId id = tables_.namespaces.find(other.name_space);
    is_meant = !id.is_none() && selects(term.namespace_selector, tables_.namespaces[id].labels);
  }
  return is_meant && selects(term.pods, *other.labels);
}

std::optional<std::string_view> NeighbourFilter::value_at(NodeId node,
                                                          const std::string& key) const {
  return find_label(tables_.nodes[node].spec.labels, key);
}

void NeighbourFilter::see(const PodKind& other, NodeId node) {
  for (std::vector<Counted>* list : {&wanted_, &unwanted_}) {
    for (Counted& counted : *list) {
      if (!matches(*counted.term, kind_.name_space, other)) continue;
      ++counted.total;
      const auto value = value_at(node, counted.term->topology_key);
      if (value) ++counted.by_value[std::string(*value)];
    }
  }
  for (const NeighbourTerm& term : other.neighbours->unwanted) {
    const auto value = value_at(node, term.topology_key);
    if (!value || !matches(term, other.name_space, kind_)) continue;
    ++kept_free_[{term.topology_key, std::string(*value)}];
  }
  for (const HostPort& port : other.neighbours->ports) ports_[node].push_back(&port);
}

std::optional<Refusal> NeighbourFilter::refuses(NodeId node) const {
  const auto count_at = [&](const Counted& counted) -> std::int64_t {
    const auto value = value_at(node, counted.term->topology_key);
    if (!value) return 0;
    const auto at = counted.by_value.find(*value);
    return at == counted.by_value.end() ? 0 : at->second;
  };
  // The first pod of a gang that wants its own kind has nobody to stand beside.
  const bool is_first = std::ranges::all_of(
      wanted_, [](const Counted& counted) { return counted.total == 0 && counted.matches_itself; });
  for (const Counted& counted : wanted_) {
    const bool has_label = value_at(node, counted.term->topology_key).has_value();
    if (!has_label || (!is_first && count_at(counted) == 0)) {
      return Refusal{"podAffinity", "node(s) didn't match pod affinity rules"};
    }
  }
  for (const Counted& counted : unwanted_) {
    if (count_at(counted) == 0) continue;
    return Refusal{"podAntiAffinity", "node(s) didn't match pod anti-affinity rules"};
  }
  for (const auto& [domain, count] : kept_free_) {
    if (value_at(node, domain.first) != std::string_view(domain.second)) continue;
    return Refusal{"podAntiAffinity", "node(s) didn't satisfy existing pods anti-affinity rules"};
  }
  if (auto refusal = refuses_spread(node)) return refusal;
  const auto taken = ports_.find(node);
  if (taken == ports_.end()) return std::nullopt;
  for (const HostPort& port : kind_.neighbours->ports) {
    const bool clashes = std::ranges::any_of(
        taken->second, [&](const HostPort* other) { return port.clashes_with(*other); });
    if (clashes) {
      return Refusal{"hostPort", "node(s) didn't have free ports for the requested pod ports"};
    }
  }
  return std::nullopt;
}

void NeighbourFilter::add(NodeId node) {
  see(kind_, node);
  count_spread(kind_, node);
  for (Spread& spread : spreads_) spread.find_least();
}

}  // namespace muster::core
