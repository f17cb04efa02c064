// SPDX-License-Identifier: Apache-2.0
#include "core/placement/topology_replace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/checked.h"
#include "core/model/read_workload.h"

namespace muster::core {

namespace {

using Mode = TopologyRequest::Mode;
using Leaves = std::vector<TopologyDomainUsage>;
using Range = std::pair<std::uint32_t, std::uint32_t>;

bool has_slices(const TopologyRequest& request) {
  return !request.slices.empty() && (request.has_layers || !request.slices.front().level.empty());
}

// Kueue names a host by itself and looks for it at the beginning of a path: with more than one
// level no host is found.
Range leaves_of(const TopologyTree& tree, std::size_t level, std::uint32_t domain) {
  const bool is_lone_host = tree.is_by_host() && level + 1 == tree.height() && level > 0;
  return is_lone_host ? Range{0, 0} : tree.leaves_below(level, domain);
}

// The domain of the level in which `missing` pods would complete a slice; the first by rank.
std::optional<Range> incomplete_slice(const TopologyTree& tree, const Leaves& rest,
                                      std::int64_t missing, const SliceLayer& layer) {
  const std::size_t level = tree.find_level(layer.level);
  if (level == tree.height()) return std::nullopt;
  std::map<std::uint32_t, std::int64_t> pods;
  for (const TopologyDomainUsage& leaf : rest) pods[tree.ancestor(leaf.leaf, level)] += leaf.count;
  for (const auto& [domain, count] : pods) {
    if ((count + missing) % layer.size == 0) return leaves_of(tree, level, domain);
  }
  return std::nullopt;
}

// Where the replacement has to be; nothing: anywhere.
std::optional<Range> required_range(const TopologyTree& tree, const TopologyPodSet& pod_set,
                                    const Leaves& rest, std::int64_t missing) {
  const TopologyRequest& request = pod_set.set->topology;
  const auto level = wanted_level(tree, {.request = &request, .implied = pod_set.implied});
  if (!level || rest.empty()) return std::nullopt;
  if (has_slices(request)) {
    const std::vector<SliceLayer>& layers = request.slices;
    if (layers.front().size <= 0) return std::nullopt;
    if (missing % layers.front().size != 0) {
      // With nested slices the innermost that is broken.
      for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
        if (layers.size() == 1 || (layer->size > 0 && missing % layer->size != 0)) {
          return incomplete_slice(tree, rest, missing, *layer);
        }
      }
    }
  }
  if (request.mode != Mode::required) return std::nullopt;
  return leaves_of(tree, *level, tree.ancestor(rest.front().leaf, *level));
}

// For the rest of a broken slice: only the innermost layer that the missing pods fill still counts.
TopologyRequest request_for_rest(const TopologyRequest& request, std::int64_t missing) {
  TopologyRequest rest = request;
  rest.slices.clear();
  rest.has_layers = false;
  const auto filled = std::find_if(
      request.slices.rbegin(), request.slices.rend(),
      [&](const SliceLayer& layer) { return layer.size > 0 && missing % layer.size == 0; });
  if (filled != request.slices.rend()) rest.slices.push_back(*filled);
  return rest;
}

}  // namespace

bool find_leaves(const TopologyTree& tree, const TopologyAssignment& assignment,
                 std::vector<TopologyDomainUsage>& leaves) {
  for (const TopologyDomain& domain : assignment.domains) {
    const std::uint32_t leaf = tree.find_leaf(domain.values);
    if (leaf == TopologyTree::no_leaf) return false;
    leaves.push_back({leaf, saturating_cast<std::int32_t>(domain.count)});
  }
  return true;
}

std::vector<TopologyDomainUsage> merge(std::vector<TopologyDomainUsage> a,
                                       const std::vector<TopologyDomainUsage>& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::ranges::stable_sort(a, {}, &TopologyDomainUsage::leaf);
  std::vector<TopologyDomainUsage> merged;
  for (const TopologyDomainUsage& leaf : a) {
    if (!merged.empty() && merged.back().leaf == leaf.leaf) {
      merged.back().count += leaf.count;
    } else {
      merged.push_back(leaf);
    }
  }
  return merged;
}

Replacement replace_node(PlaceFinder& finder, const TopologyPodSet& pod_set,
                         const TopologyAssignment& existing, const std::string& failed_node,
                         const SchedulingTerms* terms) {
  TopologyAssignment healthy{.levels = existing.levels, .domains = {}};
  std::int64_t missing = 0;
  for (const TopologyDomain& domain : existing.domains) {
    if (!domain.values.empty() && domain.values.back() == failed_node) {
      missing = domain.count;
    } else {
      healthy.domains.push_back(domain);
    }
  }
  const TopologyTree& tree = finder.tree();
  Replacement result;
  Leaves rest;
  if (!find_leaves(tree, healthy, rest)) {
    const std::string& stale = healthy.domains[rest.size()].values.front();
    result.sentence = fmt::format(
        "Cannot replace the node, because the existing topologyAssignment is invalid, as it "
        "contains the stale domain {}",
        stale);
    return result;
  }
  const TopologyRequest& request = pod_set.set->topology;
  const std::optional<Range> within = required_range(tree, pod_set, rest, missing);
  const bool is_broken_slice = has_slices(request) && within && request.slices.front().size > 0 &&
                               missing % request.slices.front().size != 0;
  const TopologyRequest narrowed = is_broken_slice ? request_for_rest(request, missing) : request;
  const FoundPlace place = finder.find({.workers = pod_set.set,
                                        .request = &narrowed,
                                        .count = missing,
                                        .implied = pod_set.implied,
                                        .terms = terms,
                                        .within = within});
  if (!place.fits) {
    result.sentence = place.sentence.empty() ? "no place" : place.sentence;
    return result;
  }
  if (place.workers.empty()) {
    result.sentence =
        fmt::format("cannot find replacement assignment for unhealthy node: {}", failed_node);
    return result;
  }
  result.added = place.workers;
  result.whole = merge(place.workers, rest);
  return result;
}

}  // namespace muster::core
