// SPDX-License-Identifier: Apache-2.0
#include "core/placement/topology_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/go_quote.h"

namespace muster::core {

namespace {

// Slices of one layer that fit below a domain.
std::int64_t slices_below(const TopologyTree& tree, const TopologyState& state, std::size_t level,
                          std::uint32_t domain, std::size_t target, std::int64_t size) {
  if (level == target) return state.pods(level)[domain] / size;
  const std::vector<std::uint32_t>& first = tree.level(level).first_child;
  std::int64_t total = 0;
  for (std::uint32_t child = first[domain]; child < first[domain + 1]; ++child) {
    total += slices_below(tree, state, level + 1, child, target, size);
  }
  return total;
}

// For nested slices: how many of each layer the best domain takes.
std::string layers_text(const TopologyTree& tree, const TopologyShape& shape,
                        const TopologyState& state, std::size_t level) {
  std::string text = fmt::format("topology {} doesn't allow to fit", go_quote(tree.topology()));
  const std::int32_t* slices = state.slices(level);
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < tree.level(level).width; ++i) {
    if (slices[i] > slices[best]) best = i;
  }
  for (const SliceLayer& layer : shape.layers) {
    const std::int64_t fit =
        slices_below(tree, state, level, best, tree.find_level(layer.level), layer.size);
    text +=
        fmt::format("; {}/{} slice(s) fit on level {}", fit, shape.count / layer.size, layer.level);
  }
  return text;
}

}  // namespace

std::string not_fit_text(const TopologyTree& tree, const TopologyShape& shape,
                         const TopologyState& state, const Shortfall& shortfall) {
  if (!shape.layers.empty()) return layers_text(tree, shape, state, shortfall.level);
  const std::string_view unit = shape.slice_size == 1 ? "pod" : "slice";
  const std::string name = go_quote(tree.topology());
  if (shortfall.fit == 0) {
    return fmt::format("topology {} doesn't allow to fit any of {} {}(s)", name, shape.slices(),
                       unit);
  }
  return fmt::format("topology {} allows to fit only {} out of {} {}(s)", name, shortfall.fit,
                     shape.slices(), unit);
}

std::string exclusions_text(const LeafExclusions& exclusions, const MatchColumn& match) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view what, std::int64_t count) {
    if (count > 0) parts.push_back(fmt::format("{}: {}", what, count));
  };
  add("nodeSelector", match.by_selector);
  add("affinity", match.by_affinity);
  add("topologyDomain", exclusions.by_domain);
  for (const auto& [taint, count] : match.by_taint) add("taint " + go_quote(taint), count);
  for (const auto& [resource, count] : exclusions.by_resource) {
    add("resource " + go_quote(resource), count);
  }
  if (parts.empty()) return {};
  std::ranges::sort(parts);
  return fmt::format(". Total nodes: {}; excluded: {}", exclusions.leaves, fmt::join(parts, ", "));
}

}  // namespace muster::core
