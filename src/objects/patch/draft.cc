// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "objects/field_error.h"
#include "objects/json.h"

namespace muster::objects {

namespace {

// A thawed container stands in a list as an absent node with this size and its number; a member
// that was removed as an absent node of size 0.
constexpr std::uint32_t thawed_mark = 1;

bool is_thawed(const Node& node) {
  return node.type == Type::absent && node.size == thawed_mark;
}

bool is_missing(const Node& node) {
  return node.type == Type::absent && node.size != thawed_mark;
}

std::size_t nesting(View view) {
  std::size_t deepest = 0;
  for (const View element : view.elements()) deepest = std::max(deepest, nesting(element));
  for (const MemberView member : view.members()) {
    deepest = std::max(deepest, nesting(member.value));
  }
  return view.is_array() || view.is_object() ? deepest + 1 : 0;
}

Error bad_number(std::string_view token, ArrayIndex::Kind kind) {
  return Error::invalid(
      fmt::format("strconv.Atoi: parsing {}: {}", go_quoted(token),
                  kind == ArrayIndex::Kind::too_large ? "value out of range" : "invalid syntax"));
}

Error no_such_element(std::string_view number) {
  return Error::invalid(
      fmt::format("Unable to access invalid index: {}: invalid index referenced", number));
}

// An index where an element must exist.
Result<std::size_t> element_index(std::string_view token, std::size_t size) {
  const ArrayIndex index = array_index(token, size);
  switch (index.kind) {
    case ArrayIndex::Kind::element:
      return index.value;
    case ArrayIndex::Kind::end:
      if (index.number.empty()) return bad_number(token, ArrayIndex::Kind::not_a_number);
      return no_such_element(index.number);
    case ArrayIndex::Kind::out_of_bounds:
      return no_such_element(index.number);
    case ArrayIndex::Kind::too_large:
    case ArrayIndex::Kind::not_a_number:
      return bad_number(token, index.kind);
  }
  return bad_number(token, index.kind);
}

// An index where an element may be inserted: negative ones count from the end, so that -1 appends.
Result<std::size_t> insertion_index(std::string_view token, std::size_t size) {
  const ArrayIndex index = array_index(token, token.starts_with('-') ? size + 1 : size);
  switch (index.kind) {
    case ArrayIndex::Kind::element:
      return index.value;
    case ArrayIndex::Kind::end:
      return size;
    case ArrayIndex::Kind::out_of_bounds:
      return no_such_element(index.number);
    case ArrayIndex::Kind::too_large:
    case ArrayIndex::Kind::not_a_number:
      break;
  }
  return Error::invalid(fmt::format("value was not a proper array index: '{}': {}", token,
                                    bad_number(token, index.kind).message));
}

}  // namespace

Draft::Draft(const Value& document, const PatchLimits& limits) : limits_(limits) {
  root_.node = builder_.embed(document);
  root_.depth = nesting(document);
}

Draft::Container* Draft::container_of(const Node& node) {
  return &containers_[static_cast<std::size_t>(node.integer)];
}

const Draft::Container* Draft::container_of(const Node& node) const {
  return &containers_[static_cast<std::size_t>(node.integer)];
}

Draft::Container* Draft::thaw(Node& node, std::size_t depth) {
  if (is_thawed(node)) return container_of(node);
  if (node.type != Type::array && node.type != Type::object) return nullptr;
  Container& container = containers_.emplace_back();
  container.origin_ = node;
  container.depth_ = depth;
  if (node.type == Type::array) {
    container.elements_.assign(node.elements, node.elements + node.size);
  } else {
    container.members_.assign(node.members, node.members + node.size);
    for (std::uint32_t i = 0; i < node.size; ++i) {
      const Node& key = node.members[i].key;
      container.positions_.emplace(std::string_view(key.text, key.size), i);
    }
  }
  node = Node();
  node.size = thawed_mark;
  node.integer = static_cast<std::int64_t>(containers_.size() - 1);
  return &container;
}

Node* Draft::slot_in(Container& holder, std::string_view token) {
  if (holder.is_object()) {
    const auto found = holder.positions_.find(token);
    return found == holder.positions_.end() ? nullptr : &holder.members_[found->second].value;
  }
  const Result<std::size_t> index = element_index(token, holder.element_count());
  return index ? &holder.elements_[*index] : nullptr;
}

Draft::Container* Draft::holder(const Pointer& pointer) {
  way_.clear();
  Container* here = thaw(root_.node, root_.depth);
  const auto tokens = pointer.tokens();
  for (std::size_t i = 0; here != nullptr; ++i) {
    way_.push_back(here);
    if (i + 1 == tokens.size()) return here;
    Node* next = slot_in(*here, tokens[i]);
    here = next == nullptr ? nullptr : thaw(*next, here->depth_ - 1);
  }
  return nullptr;
}

Result<Draft::Slot> Draft::find(Container& holder, std::string_view token) {
  if (!holder.is_object()) TRY(element_index(token, holder.element_count()));
  const Node* node = slot_in(holder, token);
  if (node == nullptr) return Slot{};
  if (is_thawed(*node)) return Slot{*node, container_of(*node)->depth_};
  const bool scalar = node->type != Type::array && node->type != Type::object;
  return Slot{*node, scalar ? 0 : holder.depth_ - 1};
}

// Everything above the place of the last holder() becomes at least so deep.
Result<void> Draft::deepen(const Pointer& pointer, std::size_t depth) {
  const std::size_t above = pointer.tokens().size();
  if (above + depth > limits_.depth_max) {
    return Error::too_large(fmt::format("the patch nests deeper than {}", limits_.depth_max));
  }
  for (std::size_t i = 0; i < way_.size(); ++i) {
    way_[i]->depth_ = std::max(way_[i]->depth_, above - i + depth);
  }
  return {};
}

Result<void> Draft::shifted(std::size_t elements) {
  shifts_ += elements;
  if (shifts_ <= limits_.shifts_max) return {};
  return Error::too_large(
      fmt::format("the patch shifts more than {} array elements", limits_.shifts_max));
}

Result<void> Draft::insert(Container& holder, const Pointer& pointer, const Slot& value) {
  if (holder.is_object()) return assign(holder, pointer, value);
  const std::string& token = pointer.tokens().back();
  const std::size_t index = TRY(insertion_index(token, holder.element_count()));
  TRY(deepen(pointer, value.depth));
  TRY(shifted(holder.element_count() - index));
  holder.elements_.insert(holder.elements_.begin() + static_cast<std::ptrdiff_t>(index),
                          value.node);
  holder.changed_ = true;
  return {};
}

Result<void> Draft::assign(Container& holder, const Pointer& pointer, const Slot& value) {
  const std::string& token = pointer.tokens().back();
  if (!holder.is_object()) TRY(element_index(token, holder.element_count()));
  TRY(deepen(pointer, value.depth));
  holder.changed_ = true;
  if (Node* node = slot_in(holder, token)) {
    *node = value.node;
    return {};
  }
  const Node key = builder_.text(token);
  holder.positions_.emplace(std::string_view(key.text, key.size),
                            static_cast<std::uint32_t>(holder.members_.size()));
  holder.members_.push_back({key, value.node});
  return {};
}

Result<Draft::Slot> Draft::take(Container& holder, std::string_view token) {
  const Slot taken = TRY(find(holder, token));
  if (is_missing(taken.node)) {
    return Error::invalid(
        fmt::format("Unable to remove nonexistent key: {}: missing value", token));
  }
  Node* node = slot_in(holder, token);
  holder.changed_ = true;
  if (holder.is_object()) {
    *node = Node();
    holder.positions_.erase(holder.positions_.find(token));
    return taken;
  }
  const auto at = holder.elements_.begin() + (node - holder.elements_.data());
  TRY(shifted(static_cast<std::size_t>(holder.elements_.end() - at) - 1));
  holder.elements_.erase(at);
  return taken;
}

Result<void> Draft::assign_root(const Slot& value) {
  way_.clear();
  TRY(deepen(Pointer(), value.depth));
  root_ = value;
  return {};
}

Draft::Slot Draft::bring(View view) {
  return Slot{view.is_absent() ? Builder::null() : builder_.copy(view), nesting(view)};
}

Draft::Slot Draft::share(Container& holder, std::string_view token, const Slot& found) {
  if (is_missing(found.node)) return Slot{Builder::null(), 0};
  Node* node = slot_in(holder, token);
  *node = freeze(*node);
  return Slot{*node, found.depth};
}

std::size_t Draft::json_bytes(const Slot& slot) {
  return to_json(View(&slot.node)).size();
}

bool Draft::equals(const Slot& slot, View view) const {
  if (is_missing(slot.node)) return view.is_null() || view.is_absent();
  if (view.is_absent()) return slot.node.type == Type::null;
  return equals(slot.node, view);
}

bool Draft::equals(const Node& node, View view) const {
  if (!is_thawed(node)) return View(&node) == view;
  const Container& container = *container_of(node);
  if (view.type() != container.origin_.type) return false;
  if (!container.is_object()) {
    if (view.size() != container.elements_.size()) return false;
    for (std::size_t i = 0; i < view.size(); ++i) {
      if (!equals(container.elements_[i], view[i])) return false;
    }
    return true;
  }
  if (view.size() != container.positions_.size()) return false;
  for (const MemberView member : view.members()) {
    const auto found = container.positions_.find(member.key);
    if (found == container.positions_.end()) return false;
    if (!equals(container.members_[found->second].value, member.value)) return false;
  }
  return true;
}

Node Draft::freeze(const Node& node) {
  if (!is_thawed(node)) return node;
  Container& container = *container_of(node);
  bool changed = container.changed_;
  // A frozen child that comes back as the node it was has not changed.
  const auto settle = [&](Node& child) {
    if (!is_thawed(child)) return;
    const Node before = container_of(child)->origin_;
    child = freeze(child);
    changed = changed || child.size != before.size || child.elements != before.elements;
  };
  if (!container.is_object()) {
    for (Node& element : container.elements_) settle(element);
    return changed ? builder_.array(container.elements_) : container.origin_;
  }
  for (Node::Member& member : container.members_) settle(member.value);
  if (!changed) return container.origin_;
  std::vector<Node::Member> members;
  members.reserve(container.positions_.size());
  for (const Node::Member& member : container.members_) {
    if (!is_missing(member.value)) members.push_back(member);
  }
  return builder_.object(members);
}

Result<Value> Draft::finish() && {
  const Node root = freeze(root_.node);
  return std::move(builder_).finish(root);
}

}  // namespace muster::objects
