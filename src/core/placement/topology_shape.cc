// SPDX-License-Identifier: Apache-2.0
#include "core/placement/topology_shape.h"

#include <fmt/format.h>

#include "base/checked.h"

namespace muster::core {

namespace {

using Mode = TopologyRequest::Mode;

// A size alone, without a level, makes no slices.
std::span<const SliceLayer> layers_of(const TopologyRequest& request) {
  if (!request.has_layers && !request.slices.empty() && request.slices.front().level.empty()) {
    return {};
  }
  return request.slices;
}

bool asks_for_slices_only(const TopologyRequest& request) {
  return request.mode != Mode::required && request.mode != Mode::preferred &&
         !layers_of(request).empty();
}

// Inner layers: each strictly below the one before, with a size that divides its size.
Result<> add_inner_layers(const TopologyTree& tree, std::span<const SliceLayer> layers,
                          TopologyShape& shape) {
  shape.inner_sizes.assign(tree.height(), 0);
  std::int64_t outer_size = shape.slice_size;
  std::size_t outer_level = shape.slice_level;
  for (const SliceLayer& layer : layers.subspan(std::min<std::size_t>(1, layers.size()))) {
    const std::size_t level = tree.find_level(layer.level);
    if (level == tree.height()) {
      return Error::invalid(
          fmt::format("no requested topology level for additional slice layer: {}", layer.level));
    }
    if (level <= outer_level) {
      return Error::invalid(
          fmt::format("additional slice layer topology {} must be at a lower level than {}",
                      layer.level, tree.level_keys()[outer_level]));
    }
    if (layer.size <= 0 || outer_size % layer.size != 0) {
      return Error::invalid(
          fmt::format("additional slice layer size {} must evenly divide parent layer size {}",
                      layer.size, outer_size));
    }
    for (std::size_t at = outer_level + 1; at <= level; ++at) {
      shape.inner_sizes[at] = static_cast<std::int32_t>(layer.size);
    }
    shape.has_inner = true;
    outer_size = layer.size;
    outer_level = level;
  }
  if (shape.has_inner) shape.layers.assign(layers.begin(), layers.end());
  return {};
}

}  // namespace

Result<std::size_t> wanted_level(const TopologyTree& tree, const ShapeWish& wish) {
  const TopologyRequest& request = *wish.request;
  const std::size_t lowest = tree.height() - 1;
  if (request.mode == Mode::required || request.mode == Mode::preferred) {
    const std::size_t level = tree.find_level(request.level);
    if (level < tree.height()) return level;
    return Error::invalid(fmt::format("no requested topology level: {}", request.level));
  }
  if (asks_for_slices_only(request)) return 0;
  if (request.mode == Mode::unconstrained || wish.implied) return lowest;
  return Error::invalid("topology level not specified");
}

Result<TopologyShape> make_shape(const TopologyTree& tree, const ShapeWish& wish,
                                 const TopologyGates& gates) {
  const TopologyRequest& request = *wish.request;
  const std::span<const SliceLayer> layers = layers_of(request);
  TopologyShape shape;
  shape.count = saturating_cast<std::int32_t>(wish.count);
  shape.leaders = wish.has_leader ? 1 : 0;
  if (!layers.empty()) {
    if (layers.front().size <= 0) {
      return Error::invalid("slice topology requested, but slice size not provided");
    }
    shape.slice_size = saturating_cast<std::int32_t>(layers.front().size);
  }
  shape.required = request.mode == Mode::required;
  shape.unconstrained =
      request.mode == Mode::unconstrained || wish.implied || asks_for_slices_only(request);
  shape.least_free = shape.unconstrained && gates.mixed_profile;
  shape.balanced = gates.balanced && !shape.required && !shape.unconstrained;
  shape.level = TRY(wanted_level(tree, wish));
  const std::string& slice_key = layers.empty() ? tree.level_keys().back() : layers.front().level;
  shape.slice_level = tree.find_level(slice_key);
  if (shape.slice_level == tree.height()) {
    return Error::invalid(fmt::format("no requested topology level for slices: {}", slice_key));
  }
  if (shape.level > shape.slice_level) {
    return Error::invalid(fmt::format("podset slice topology {} is above the podset topology {}",
                                      slice_key, tree.level_keys()[shape.level]));
  }
  TRY(add_inner_layers(tree, layers, shape));
  return shape;
}

}  // namespace muster::core
