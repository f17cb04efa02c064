// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "objects/builder.h"
#include "objects/patch/member_index.h"
#include "objects/patch/strategic_merge.h"
#include "objects/patch/strategic_merger.h"

namespace muster::objects {

namespace {

using Members = std::vector<Node::Member>;

// What kind of merging list both versions together are.
enum class ListForm : unsigned char {
  keyed,     // objects with a merge key each, unique in each version
  scalars,   // scalars of one type, unique in each version
  unusable,  // anything else: only the object that holds the list can be replaced
};

ListForm form_of(View from, View to, std::string_view merge_key) {
  bool unique = true;
  bool scalar = true;
  Type type = Type::absent;
  for (const View list : {from, to}) {
    std::set<Identity> seen;
    for (const View element : list.elements()) {
      if (type == Type::absent) type = element.type();
      if (element.type() != type) return ListForm::unusable;
      const View key = element.is_object() ? element[merge_key] : element;
      scalar = scalar && !key.is_absent() && !key.is_null() && !key.is_array() && !key.is_object();
      unique = unique && seen.insert(scalar_identity(key)).second;
    }
  }
  if (!scalar || !unique || merge_key.empty() == (type == Type::object)) return ListForm::unusable;
  return type == Type::object ? ListForm::keyed : ListForm::scalars;
}

class StrategicComparison {
 public:
  explicit StrategicComparison(const PatchSchema& schema) : schema_(schema) {}

  Value between(View from, View to) {
    const std::optional<Node> patch = compare_objects(from, to, {.below = schema_.root()});
    const Node root = patch ? *patch : builder_.object({});
    return std::move(builder_).finish(root);
  }

 private:
  // The patch of an object; nothing where both are the same.
  std::optional<Node> compare_objects(View from, View to, const PatchField& field) {
    std::optional<Members> changes = compare_members(from, to, field);
    if (!changes) {
      changes.emplace();
      changes->push_back({Builder::literal(patch_directive), Builder::literal("replace")});
      for (const MemberView member : to.members()) {
        changes->push_back({builder_.text(member.key), builder_.copy(member.value)});
      }
    }
    if (changes->empty()) return std::nullopt;
    return builder_.object(*changes);
  }

  // Nothing where a list of the object can only be changed by replacing the object.
  std::optional<Members> compare_members(View from, View to, const PatchField& field) {
    Members changes;
    const MemberIndex after(to);
    for (const MemberView member : from.members()) {
      const View now = after.find(member.key);
      if (now.is_absent()) {
        changes.push_back({builder_.text(member.key), Builder::null()});
      } else if (!compare_member(member, now, schema_.field(field.below, member.key), changes)) {
        return std::nullopt;
      }
    }
    const MemberIndex before(from);
    for (const MemberView member : to.members()) {
      if (before.position(member.key)) continue;
      changes.push_back({builder_.text(member.key), builder_.copy(member.value)});
    }
    if (field.retain_keys && !changes.empty()) add_retained_keys(to, changes);
    return changes;
  }

  void add_retained_keys(View to, Members& changes) {
    std::vector<Node> keys;
    for (const MemberView member : to.members()) keys.push_back(builder_.text(member.key));
    changes.push_back({Builder::literal(retain_keys_directive), builder_.array(keys)});
  }

  bool compare_member(const MemberView& member, View now, const PatchField& field,
                      Members& changes) {
    const View before = member.value;
    if (before == now) return true;
    if (before.is_object() && now.is_object() && !field.replace) {
      const auto changed = compare_objects(before, now, field);
      if (changed) changes.push_back({builder_.text(member.key), *changed});
      return true;
    }
    if (before.is_array() && now.is_array() && field.merge) {
      return compare_lists(member.key, before, now, field, changes);
    }
    changes.push_back({builder_.text(member.key), builder_.copy(now)});
    return true;
  }

  bool compare_lists(std::string_view key, View from, View to, const PatchField& field,
                     Members& changes) {
    switch (form_of(from, to, field.merge_key)) {
      case ListForm::keyed:
        compare_keyed_lists(key, from, to, field, changes);
        return true;
      case ListForm::scalars:
        compare_scalar_lists(key, from, to, changes);
        return true;
      case ListForm::unusable:
        return false;
    }
    return false;
  }

  Node replaced_list(View to) {
    std::vector<Node> elements;
    const Node::Member directive = {Builder::literal(patch_directive), Builder::literal("replace")};
    elements.push_back(builder_.object({&directive, 1}));
    for (const View element : to.elements()) elements.push_back(builder_.copy(element));
    return builder_.array(elements);
  }

  Node key_of(View element, std::string_view merge_key, bool deleted) {
    Members members = {{builder_.text(merge_key), builder_.copy(element[merge_key])}};
    if (deleted) {
      members.push_back({Builder::literal(patch_directive), Builder::literal("delete")});
    }
    return builder_.object(members);
  }

  void compare_keyed_lists(std::string_view key, View from, View to, const PatchField& field,
                           Members& changes) {
    std::map<Identity, View> before;
    for (const View element : from.elements()) {
      before.emplace(scalar_identity(element[field.merge_key]), element);
    }
    std::vector<Node> elements;
    std::vector<Node> order;
    for (const View element : to.elements()) {
      order.push_back(key_of(element, field.merge_key, false));
      const auto was = before.find(scalar_identity(element[field.merge_key]));
      if (was == before.end()) {
        elements.push_back(builder_.copy(element));
        continue;
      }
      auto changed = compare_members(was->second, element, field);
      if (!changed) {
        changes.push_back({builder_.text(key), replaced_list(to)});
        return;
      }
      if (!changed->empty()) {
        changed->push_back(
            {builder_.text(field.merge_key), builder_.copy(element[field.merge_key])});
        elements.push_back(builder_.object(*changed));
      }
      before.erase(was);
    }
    // What is left of `before` goes away; in the list's own order, so that patches are stable.
    for (const View element : from.elements()) {
      if (!before.contains(scalar_identity(element[field.merge_key]))) continue;
      elements.push_back(key_of(element, field.merge_key, true));
    }
    add_list(key, elements, changes);
    changes.push_back({prefixed(element_order_prefix, key), builder_.array(order)});
  }

  void compare_scalar_lists(std::string_view key, View from, View to, Members& changes) {
    std::set<Identity> before;
    std::set<Identity> after;
    for (const View scalar : from.elements()) before.insert(scalar_identity(scalar));
    for (const View scalar : to.elements()) after.insert(scalar_identity(scalar));
    std::vector<Node> added;
    std::vector<Node> removed;
    for (const View scalar : to.elements()) {
      if (!before.contains(scalar_identity(scalar))) added.push_back(builder_.copy(scalar));
    }
    for (const View scalar : from.elements()) {
      if (!after.contains(scalar_identity(scalar))) removed.push_back(builder_.copy(scalar));
    }
    add_list(key, added, changes);
    if (!removed.empty()) {
      changes.push_back({prefixed(removal_prefix, key), builder_.array(removed)});
    }
    changes.push_back({prefixed(element_order_prefix, key), builder_.copy(to)});
  }

  void add_list(std::string_view key, const std::vector<Node>& elements, Members& changes) {
    if (!elements.empty()) changes.push_back({builder_.text(key), builder_.array(elements)});
  }

  Node prefixed(std::string_view prefix, std::string_view key) {
    return builder_.text(fmt::format("{}{}", prefix, key));
  }

  const PatchSchema& schema_;
  Builder builder_;
};

}  // namespace

Value strategic_merge_patch_between(const Value& from, const Value& to, const PatchSchema& schema) {
  CHECK(from.is_object() && to.is_object());
  return StrategicComparison(schema).between(from, to);
}

}  // namespace muster::objects
