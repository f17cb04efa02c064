// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/member_index.h"

#include <algorithm>
#include <numeric>

namespace muster::objects {

namespace {

// Up to here a scan is as fast as a search.
constexpr std::size_t scanned_members_max = 16;

}  // namespace

MemberIndex::MemberIndex(View object) : object_(object) {
  if (!object.is_object() || object.size() <= scanned_members_max) return;
  sorted_.resize(object.size());
  std::iota(sorted_.begin(), sorted_.end(), 0U);
  std::sort(sorted_.begin(), sorted_.end(),
            [this](std::uint32_t a, std::uint32_t b) { return key_at(a) < key_at(b); });
}

std::string_view MemberIndex::key_at(std::size_t position) const {
  const Node& key = object_.node().members[position].key;
  return {key.text, key.size};
}

std::optional<std::size_t> MemberIndex::position(std::string_view key) const {
  if (!object_.is_object()) return std::nullopt;
  if (sorted_.empty()) {
    for (std::size_t i = 0; i < object_.size(); ++i) {
      if (key_at(i) == key) return i;
    }
    return std::nullopt;
  }
  const auto found = std::lower_bound(
      sorted_.begin(), sorted_.end(), key,
      [this](std::uint32_t at, std::string_view wanted) { return key_at(at) < wanted; });
  if (found == sorted_.end() || key_at(*found) != key) return std::nullopt;
  return *found;
}

View MemberIndex::find(std::string_view key) const {
  const std::optional<std::size_t> found = position(key);
  return found ? View(&object_.node().members[*found].value) : View();
}

}  // namespace muster::objects
