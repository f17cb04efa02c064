// SPDX-License-Identifier: Apache-2.0
#include "objects/yaml_anchors.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::objects {

namespace {

struct Extent {
  std::size_t values = 1;
  std::size_t bytes = 1;  // a byte at least for each value, as in any text
  std::size_t depth = 0;
};

Extent extent_of(View view) {
  Extent extent;
  extent.bytes += view.string_or("").size();
  const auto add = [&](View part) {
    const Extent inner = extent_of(part);
    extent.values += inner.values;
    extent.bytes += inner.bytes;
    extent.depth = std::max(extent.depth, inner.depth);
  };
  for (const View element : view.elements()) add(element);
  for (const MemberView member : view.members()) {
    add(member.value);
    extent.bytes += member.key.size();
  }
  if (view.is_array() || view.is_object()) ++extent.depth;
  return extent;
}

}  // namespace

std::size_t count_values(View view) {
  std::size_t count = 1;
  for (const View element : view.elements()) count += count_values(element);
  for (const MemberView member : view.members()) count += count_values(member.value);
  return count;
}

Result<const Anchored*> Anchors::find(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    return Error::bad_request(fmt::format("unknown anchor '{}' referenced", name));
  }
  const Anchored* const value = std::get_if<Anchored>(&found->second);
  if (value != nullptr) return value;
  return Error::bad_request(fmt::format("anchor '{}' value contains itself", name));
}

Result<std::size_t> AliasBudget::spend(const Anchored& value, std::size_t depth, std::size_t line) {
  Extent extent;
  if (const auto* scalar = std::get_if<AnchoredScalar>(&value)) {
    extent.bytes += scalar->text.size();
  } else {
    extent = extent_of(View(&std::get<Node>(value)));
  }
  if (depth + extent.depth > depth_max_) {
    return Error::too_large(
        fmt::format("line {}: nested deeper than the limit of {}", line, depth_max_));
  }
  TRY(spend_bytes(extent.bytes, line));
  return extent.values;
}

Result<> AliasBudget::spend_bytes(std::size_t bytes, std::size_t line) {
  if (bytes > bytes_left_) {
    return Error::too_large(fmt::format(
        "line {}: with its aliases written out the text is larger than the limit", line));
  }
  bytes_left_ -= bytes;
  return {};
}

}  // namespace muster::objects
