// SPDX-License-Identifier: Apache-2.0
#include "objects/apply/compare.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/apply/topology.h"

namespace muster::objects {

namespace {

using Entry = FieldSet::Entry;

// The differences at one place and below it.
struct Delta {
  Comparison below;
  bool added = false;
  bool modified = false;
  bool removed = false;

  void move_to(const PathElement& element, Comparison& out) && {
    if (added || !below.added.empty()) {
      out.added.add({element, added, std::move(below.added)});
    }
    if (modified || !below.modified.empty()) {
      out.modified.add({element, modified, std::move(below.modified)});
    }
    if (removed || !below.removed.empty()) {
      out.removed.add({element, removed, std::move(below.removed)});
    }
  }

  bool empty() const { return !added && !modified && !removed && below.empty(); }
};

Result<Delta> compare_places(View before, View after, SchemaNode node);

bool is_same_memory(View a, View b) {
  return a.node().members == b.node().members && a.size() == b.size() && a.type() == b.type() &&
         !a.empty();
}

void sort(Comparison& comparison) {
  comparison.added.sort();
  comparison.modified.sort();
  comparison.removed.sort();
}

Result<void> compare_members(View before, View after, SchemaNode node, Comparison& out) {
  const auto visit = [&](std::string_view key, View old, View now) -> Result<void> {
    Delta delta = TRY(compare_places(old, now, node.member(key)));
    if (!delta.empty()) std::move(delta).move_to(PathElement::field(key), out);
    return {};
  };
  for (const MemberView member : before.members()) {
    TRY(visit(member.key, member.value, after[member.key]));
  }
  for (const MemberView member : after.members()) {
    if (!before[member.key]) TRY(visit(member.key, View(), member.value));
  }
  return {};
}

constexpr std::size_t in_order_max = 16;

// The elements of both lists by their path element; more than one where keys are repeated.
using Elements = std::map<PathElement, std::pair<std::vector<View>, std::vector<View>>>;

Result<Elements> elements_of(View before, View after, SchemaNode node) {
  Elements out;
  for (const View each : before.elements()) {
    out[TRY(element_of(node, each))].first.push_back(each);
  }
  for (const View each : after.elements()) {
    out[TRY(element_of(node, each))].second.push_back(each);
  }
  return out;
}

bool are_equal(const std::vector<View>& a, const std::vector<View>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] == b[i])) return false;
  }
  return true;
}

// Elements that share their keys are one place, which has no inside.
Result<Delta> compare_repeated(const std::vector<View>& before, const std::vector<View>& after,
                               SchemaNode items) {
  Delta delta;
  if (before.size() > 1 && after.size() > 1) {
    delta.modified = !are_equal(before, after);
  } else if (before.size() > 1) {
    if (!after.empty()) delta = TRY(compare_places(View(), after.front(), items));
    delta.removed = true;
  } else {
    if (!before.empty()) delta = TRY(compare_places(before.front(), View(), items));
    delta.added = true;
  }
  return delta;
}

// Lists whose elements stand in the same order, each told apart by one text: conditions,
// containers. False where they are not of that form; then nothing is compared.
Result<bool> compare_in_order(View before, View after, SchemaNode node, Comparison& out) {
  if (node.list_type() != ListType::map || before.size() != after.size()) return false;
  const auto keys = node.list_map_keys();
  if (keys.size() != 1 || before.size() > in_order_max) return false;
  std::array<std::string_view, in_order_max> names;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto name = before[i][keys.front()].string();
    if (!name || after[i][keys.front()].string() != name) return false;
    const auto known = std::span(names).first(i);
    if (std::ranges::find(known, *name) != known.end()) return false;
    names.at(i) = *name;
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    Delta delta = TRY(compare_places(before[i], after[i], node.items()));
    if (!delta.empty()) std::move(delta).move_to(TRY(element_of(node, before[i])), out);
  }
  return true;
}

Result<void> compare_elements(View before, View after, SchemaNode node, Comparison& out) {
  if (TRY(compare_in_order(before, after, node, out))) return {};
  const Elements elements = TRY(elements_of(before, after, node));
  for (const auto& [element, lists] : elements) {
    const auto& [old, now] = lists;
    const bool repeated = old.size() > 1 || now.size() > 1;
    Delta delta = repeated ? TRY(compare_repeated(old, now, node.items()))
                           : TRY(compare_places(old.empty() ? View() : old.front(),
                                                now.empty() ? View() : now.front(), node.items()));
    if (!delta.empty()) std::move(delta).move_to(element, out);
  }
  return {};
}

Result<Delta> compare_places(View before, View after, SchemaNode node) {
  Delta delta;
  if (is_same_memory(before, after)) return delta;
  const Shape old_shape = shape_of(node, before);
  const Shape new_shape = shape_of(node, after);
  const Shape shape = !before || before.is_null() ? new_shape : old_shape;
  const bool leaf =
      shape == Shape::whole || (is_hollow(before) && is_hollow(after)) ||
      (before && after && !is_hollow(before) && !is_hollow(after) && old_shape != new_shape);
  delta.added = !before;
  delta.removed = !after;
  if (leaf) {
    delta.modified = before && after && !(before == after);
    return delta;
  }
  if (shape == Shape::object) {
    TRY(compare_members(before, after, node, delta.below));
  } else {
    TRY(compare_elements(before, after, node, delta.below));
  }
  sort(delta.below);
  return delta;
}

Result<FieldSet> claimed(View value, SchemaNode node, bool& claims_itself);

Result<FieldSet> claimed_members(View value, SchemaNode node) {
  FieldSet out;
  for (const MemberView member : value.members()) {
    Entry entry{PathElement::field(member.key)};
    entry.below = TRY(claimed(member.value, node.member(member.key), entry.member));
    const bool declared = static_cast<bool>(node.field(member.key));
    const bool hollow =
        member.value.is_null() || (member.value.is_object() && member.value.empty());
    entry.member = entry.member || hollow || !declared;
    out.add(std::move(entry));
  }
  out.sort();
  return out;
}

Result<FieldSet> claimed_elements(View value, SchemaNode node) {
  FieldSet out;
  const Elements elements = TRY(elements_of(View(), value, node));
  for (const auto& [element, lists] : elements) {
    Entry entry{element, true};
    if (lists.second.size() == 1) {
      entry.below = TRY(claimed(lists.second.front(), node.items(), entry.member));
      entry.member = true;
    }
    out.add(std::move(entry));
  }
  return out;
}

Result<FieldSet> claimed(View value, SchemaNode node, bool& claims_itself) {
  const Shape shape = shape_of(node, value);
  claims_itself = shape == Shape::whole;
  if (shape == Shape::object) return claimed_members(value, node);
  if (shape == Shape::list) return claimed_elements(value, node);
  return FieldSet();
}

}  // namespace

Result<Comparison> compare(View before, View after, SchemaNode node) {
  Delta delta = TRY(compare_places(before, after, node));
  return std::move(delta.below);
}

Result<FieldSet> claimed_fields(View configuration, SchemaNode node) {
  bool itself = false;
  return claimed(configuration, node, itself);
}

FieldSet with_declared_fields(const FieldSet& set, SchemaNode node) {
  FieldSet out;
  for (const Entry& entry : set.entries()) {
    Entry next{entry.element, entry.member};
    SchemaNode below;
    if (entry.element.kind == PathElement::Kind::field) {
      below = node.member(entry.element.text);
      const bool declared = static_cast<bool>(node.field(entry.element.text));
      next.member = next.member || (declared && !entry.below.empty());
    } else {
      below = node.items();
    }
    next.below = with_declared_fields(entry.below, below);
    out.add(std::move(next));
  }
  return out;
}

}  // namespace muster::objects
