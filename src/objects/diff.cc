// SPDX-License-Identifier: Apache-2.0
#include "objects/diff.h"

#include <fmt/format.h>

#include <algorithm>

#include "objects/json.h"

namespace muster::objects {

namespace {

// A value is shown up to here; a person looks, nobody parses.
constexpr std::size_t shown_bytes_max = 120;

std::string shown(View view) {
  std::string text = to_json(view);
  if (text.size() <= shown_bytes_max) return text;
  std::size_t end = shown_bytes_max;
  // Not in the middle of a character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

class Finder {
 public:
  explicit Finder(std::size_t count_max) : count_max_(count_max) {}

  void compare(View before, View after) {
    if (found_.size() >= count_max_) return;
    if (before.is_object() && after.is_object()) return compare_members(before, after);
    if (before.is_array() && after.is_array()) return compare_elements(before, after);
    if (!(before == after)) found_.push_back({path_, before, after});
  }

  std::vector<Difference> take() { return std::move(found_); }

 private:
  void compare_members(View before, View after) {
    if (before.node().members == after.node().members) return;
    for (const MemberView member : before.members()) {
      compare_at_key(member.key, member.value, after[member.key]);
    }
    for (const MemberView member : after.members()) {
      if (!before[member.key]) compare_at_key(member.key, View(), member.value);
    }
  }

  void compare_elements(View before, View after) {
    if (before.node().elements == after.node().elements && before.size() == after.size()) return;
    const std::size_t count = std::max(before.size(), after.size());
    for (std::size_t i = 0; i < count && found_.size() < count_max_; ++i) {
      const std::size_t size = path_.size();
      path_ += fmt::format("[{}]", i);
      compare(before[i], after[i]);
      path_.resize(size);
    }
  }

  void compare_at_key(std::string_view key, View before, View after) {
    const std::size_t size = path_.size();
    if (!path_.empty()) path_.push_back('.');
    path_ += key;
    compare(before, after);
    path_.resize(size);
  }

  std::size_t count_max_;
  std::string path_;
  std::vector<Difference> found_;
};

}  // namespace

std::string Difference::to_string() const {
  const std::string_view place = path.empty() ? "the value" : std::string_view(path);
  if (!before) return fmt::format("{}: added {}", place, shown(after));
  if (!after) return fmt::format("{}: removed (was {})", place, shown(before));
  return fmt::format("{}: {} → {}", place, shown(before), shown(after));
}

std::vector<Difference> diff(View before, View after, std::size_t count_max) {
  Finder finder(count_max);
  finder.compare(before, after);
  return finder.take();
}

}  // namespace muster::objects
