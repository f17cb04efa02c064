// SPDX-License-Identifier: Apache-2.0
#include "objects/complaint_order.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <set>

#include "objects/limits.h"

namespace muster::objects {

namespace {

// Where a path leads: the position of the member or element at each depth.
using Place = std::vector<std::size_t>;

struct Placed {
  Place place;
  Complaint complaint;
};

// How much of the path the key is, or nothing. Keys may have dots: the longest is meant.
std::size_t length_in(std::string_view path, std::string_view key) {
  if (!path.starts_with(key)) return 0;
  const bool ends = path.size() == key.size() || path[key.size()] == '.' || path[key.size()] == '[';
  return ends ? key.size() : 0;
}

struct Found {
  View value;
  std::size_t position = 0;
  std::size_t length = 0;
};

Found find_member(View object, std::string_view path) {
  Found longest;
  std::size_t position = 0;
  for (MemberView member : object.members()) {
    const std::size_t length = length_in(path, member.key);
    if (length > longest.length) longest = {member.value, position, length};
    ++position;
  }
  return longest;
}

Found find_element(View list, std::string_view path) {
  std::size_t index = 0;
  const char* const end = path.data() + path.size();
  const auto [after, error] = std::from_chars(path.data() + 1, end, index);
  if (error != std::errc() || after == end || *after != ']' || index >= list.size()) return {};
  return {list[index], index, static_cast<std::size_t>(after - path.data()) + 1};
}

Place place_of(View value, std::string_view path) {
  Place place;
  while (!path.empty()) {
    if (path.front() == '.') path.remove_prefix(1);
    const bool is_element = path.starts_with('[') && value.is_array();
    const Found found = is_element ? find_element(value, path) : find_member(value, path);
    if (found.length == 0) break;
    place.push_back(found.position);
    value = found.value;
    path.remove_prefix(found.length);
  }
  return place;
}

}  // namespace

std::vector<Complaint> in_text_order(View object, std::span<const std::string> unknown,
                                     std::span<const std::string> twice) {
  std::vector<Placed> placed;
  std::set<std::string_view> told;
  for (const std::string& path : twice) {
    if (told.size() == unknown_fields_max) break;
    if (told.insert(path).second) placed.push_back({place_of(object, path), {path, true}});
  }
  for (const std::string& path : unknown) placed.push_back({place_of(object, path), {path, false}});
  std::stable_sort(placed.begin(), placed.end(),
                   [](const Placed& a, const Placed& b) { return a.place < b.place; });
  std::vector<Complaint> ordered;
  for (const Placed& each : placed) {
    if (ordered.size() < unknown_fields_max) ordered.push_back(each.complaint);
  }
  return ordered;
}

}  // namespace muster::objects
