// SPDX-License-Identifier: Apache-2.0
#include "core/placement/topology_match.h"

#include <string>

namespace muster::core {

namespace {

// Parts of the key are told apart by bytes that no label has.
void add_text(std::string& key, std::string_view text) {
  key += text;
  key += '\x1f';
}

void add_requirements(std::string& key, const NodeSelectorTerm& term) {
  for (const auto* list : {&term.labels, &term.fields}) {
    for (const objects::LabelRequirement& requirement : *list) {
      key += static_cast<char>('a' + static_cast<int>(requirement.operation));
      add_text(key, requirement.key);
      for (const std::string& value : requirement.values) add_text(key, value);
    }
    key += '\x1e';
  }
}

std::string key_of(const SchedulingTerms& terms, bool counts_preferences) {
  std::string key;
  for (const auto& [label, value] : terms.node_selector) {
    add_text(key, label);
    add_text(key, value);
  }
  key += '\x1d';
  for (const Toleration& toleration : terms.tolerations) {
    key += static_cast<char>('a' + static_cast<int>(toleration.operation));
    key += toleration.effect ? static_cast<char>('a' + static_cast<int>(*toleration.effect)) : '-';
    add_text(key, toleration.key);
    add_text(key, toleration.value);
  }
  key += terms.has_affinity ? '\x1c' : '\x1d';
  for (const NodeSelectorTerm& term : terms.affinity) add_requirements(key, term);
  if (!counts_preferences) return key;
  for (const PreferredTerm& preference : terms.preferred) {
    add_text(key, std::to_string(preference.weight));
    add_requirements(key, preference.term);
  }
  return key;
}

void match_all(const Tables& tables, const TopologyTree& tree, const SchedulingTerms& terms,
               std::span<const Toleration> flavor_tolerations, bool counts_preferences,
               MatchColumn& column) {
  const bool has_scores = counts_preferences && !terms.preferred.empty();
  column.all_match = true;
  column.matches.assign(tree.leaves(), 1);
  column.scores.assign(has_scores ? tree.leaves() : 0, 0);
  for (std::uint32_t leaf = 0; leaf < tree.leaves(); ++leaf) {
    const NodeId id = tree.node_of(leaf);
    const Node& node = tables.nodes[id].spec;
    const std::string& name = tables.nodes.key(id);
    const Taint* taint =
        first_untolerated(node.taints, {std::span(terms.tolerations), flavor_tolerations});
    if (taint != nullptr) {
      ++column.by_taint[taint->to_text()];
    } else if (!terms.selector_matches(node.labels)) {
      ++column.by_selector;
    } else if (!terms.affinity_matches(node.labels, name)) {
      ++column.by_affinity;
    } else {
      if (has_scores) column.scores[leaf] = terms.score(node.labels, name);
      continue;
    }
    column.matches[leaf] = 0;
    column.all_match = false;
  }
}

}  // namespace

const MatchColumn& match_leaves(const Tables& tables, TopologyTree& tree,
                                const SchedulingTerms& terms,
                                std::span<const Toleration> flavor_tolerations,
                                bool counts_preferences) {
  TopologyCaches& caches = tree.caches();
  const std::string key = tree.is_by_host() ? key_of(terms, counts_preferences) : std::string();
  ++caches.clock;
  MatchColumn* oldest = nullptr;
  for (MatchColumn& column : caches.matches) {
    if (column.key == key) {
      column.used = caches.clock;
      return column;
    }
    if (oldest == nullptr || column.used < oldest->used) oldest = &column;
  }
  if (caches.matches.size() < match_columns_max) oldest = &caches.matches.emplace_back();
  *oldest = MatchColumn();
  oldest->key = key;
  oldest->all_match = true;
  oldest->used = caches.clock;
  if (tree.is_by_host()) {
    match_all(tables, tree, terms, flavor_tolerations, counts_preferences, *oldest);
  }
  return *oldest;
}

}  // namespace muster::core
