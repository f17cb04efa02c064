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

bool NeighbourFilter::concerns(const Tables& tables, const PodKind& kind,
                               const std::vector<Placed>& earlier) {
  if (!kind.neighbours->empty() || tables.distance_keepers > 0) return true;
  return std::ranges::any_of(
      earlier, [](const Placed& placed) { return !placed.kind.neighbours->unwanted.empty(); });
}

NeighbourFilter::NeighbourFilter(const Tables& tables, const PodKind& kind,
                                 const std::vector<Placed>& earlier)
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
  tables.pods.for_each([&](PodId id, const PodRow& row) {
    if (row.counted) see(kind_of(tables, id), row.node);
  });
  // Slots in which no pod stands yet are as good as pods.
  tables.workloads.for_each([&](WorkloadId id, const WorkloadRow& row) {
    for (const Slot& slot : row.reservation->slots) {
      const GangPodSet& set = row.spec.pod_sets[slot.pod_set];
      const PodKind other{namespace_part(tables.workloads.key(id)), &set.labels, &set.neighbours};
      for (std::int64_t i = 0; i < slot.kept; ++i) see(other, slot.node);
    }
  });
  for (const Placed& placed : earlier) see(placed.kind, placed.node);
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
}

}  // namespace muster::core
