// SPDX-License-Identifier: Apache-2.0
#include "objects/yaml_merge_keys.h"

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "objects/member_index.h"
#include "objects/yaml_anchors.h"
#include "objects/yaml_events.h"

namespace muster::objects {

namespace {

class Merging {
 public:
  void add_written(const YamlMember& member) {
    const auto found = last_.find(text_of(member.key));
    if (found != last_.end() && members_[found->second].is_merge) drop(found->second);
    add(member);
  }

  // The value of a merge key; `is_entry` within its list.
  Result<> add_merged(const Node& value, std::span<const std::uint32_t> lines,
                      bool is_entry = false) {
    if (value.type == Type::object) {
      add_members_of(value, lines);
      return {};
    }
    if (value.type != Type::array || is_entry) {
      return at_line(lines.front(), "map merge requires map or sequence of maps as the value");
    }
    // The mapping that stands first wins, so it comes last.
    std::size_t end = lines.size();
    for (std::size_t i = value.size; i-- > 0;) {
      const std::size_t count = count_values(View(&value.elements[i]));
      end -= count;
      TRY(add_merged(value.elements[i], lines.subspan(end, count), true));
    }
    return {};
  }

  std::vector<YamlMember> take() && {
    std::erase_if(members_, [](const YamlMember& member) { return member.lines.empty(); });
    return std::move(members_);
  }

 private:
  void add_members_of(const Node& object, std::span<const std::uint32_t> lines) {
    std::size_t at = 1;
    for (std::size_t i = 0; i < object.size; ++i) {
      const Node::Member& member = object.members[i];
      const std::size_t count = count_values(View(&member.value));
      const auto found = last_.find(text_of(member.key));
      if (found != last_.end()) drop(found->second);
      add({member.key, member.value, lines.subspan(at, count), true});
      at += count;
    }
  }

  void add(const YamlMember& member) {
    last_[text_of(member.key)] = members_.size();
    members_.push_back(member);
  }

  void drop(std::size_t at) { members_[at].lines = {}; }

  std::vector<YamlMember> members_;  // those without lines are dropped
  std::unordered_map<std::string_view, std::size_t> last_;
};

}  // namespace

Result<std::vector<YamlMember>> merge_members(std::span<const YamlMember> members) {
  Merging merging;
  for (const YamlMember& member : members) {
    if (member.is_merge) {
      TRY(merging.add_merged(member.value, member.lines));
    } else {
      merging.add_written(member);
    }
  }
  return std::move(merging).take();
}

}  // namespace muster::objects
