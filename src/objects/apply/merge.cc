// SPDX-License-Identifier: Apache-2.0
#include "objects/apply/merge.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "objects/apply/topology.h"
#include "objects/builder.h"

namespace muster::objects {

namespace {

class Merger {
 public:
  explicit Merger(Builder& builder) : builder_(builder) {}

  // Absent where nothing is left.
  Result<Node> merged(View live, View applied, SchemaNode node);

 private:
  Result<Node> merged_members(View live, View applied, SchemaNode node);
  Result<Node> merged_elements(View live, View applied, SchemaNode node);

  Builder& builder_;
};

// A list by its path elements.
struct Indexed {
  std::vector<PathElement> order;
  std::map<PathElement, View> values;  // absent for those that are there twice
};

Result<Indexed> indexed(View list, SchemaNode node, bool may_repeat) {
  Indexed out;
  std::size_t position = 0;
  for (const View each : list.elements()) {
    auto element = element_of(node, each);
    if (!element) {
      return Error::bad_request(fmt::format(": element {}: {}", position, element.error().message));
    }
    ++position;
    const auto [at, is_new] = out.values.try_emplace(*element, each);
    if (!is_new && !may_repeat) {
      std::string key;
      element->append_for_people(key);
      return Error::bad_request(fmt::format(": duplicate entries for key {}", key));
    }
    if (!is_new) at->second = View();
    out.order.push_back(std::move(*element));
  }
  return out;
}

// The order of a merged list: elements of the configuration in its order, each live element that
// is not in it behind the one it followed. `takes(live position, applied position)` is called for
// each result; a position that does not apply is npos.
class ListOrder {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  ListOrder(const Indexed& live, const Indexed& applied) : live_(live), applied_(applied) {
    for (const PathElement& element : applied.order) {
      if (live.values.contains(element)) shared_.push_back(&element);
    }
  }

  template <class Take>
  Result<void> walk(const Take& take) {
    while (l_ < live_.order.size() || a_ < applied_.order.size()) {
      if (l_ < live_.order.size()) {
        const PathElement& here = live_.order[l_];
        const bool is_shared = applied_.values.contains(here);
        if (a_ < applied_.order.size() && is_shared && !(here == applied_.order[a_]) &&
            next_ < shared_.size() && !(*shared_[next_] == here)) {
          ++l_;  // its turn comes with the configuration
          continue;
        }
        if (!is_shared) {
          TRY(take(l_++, none));
          continue;
        }
        const bool is_next = a_ < applied_.order.size() && here == applied_.order[a_];
        if (is_next || taken_.contains(here)) ++l_;
      }
      if (a_ < applied_.order.size()) {
        const PathElement& here = applied_.order[a_];
        if (next_ < shared_.size() && *shared_[next_] == here) ++next_;
        taken_.insert(here);
        TRY(take(none, a_++));
      }
    }
    return {};
  }

 private:
  const Indexed& live_;
  const Indexed& applied_;
  std::vector<const PathElement*> shared_;  // in the order of the configuration
  std::set<PathElement> taken_;
  std::size_t l_ = 0;
  std::size_t a_ = 0;
  std::size_t next_ = 0;
};

Result<Node> Merger::merged(View live, View applied, SchemaNode node) {
  if (!applied) return live.node();
  const Shape live_shape = shape_of(node, live);
  const Shape shape = shape_of(node, applied);
  const bool leaf = shape == Shape::whole || (is_hollow(live) && is_hollow(applied)) ||
                    (!is_hollow(live) && live_shape != shape);
  if (leaf) return applied.node();
  if (shape == Shape::object) return merged_members(live, applied, node);
  return merged_elements(live, applied, node);
}

Result<Node> Merger::merged_members(View live, View applied, SchemaNode node) {
  std::vector<Node::Member> members;
  const auto add = [&](std::string_view key, View old, View now) -> Result<void> {
    auto value = merged(old, now, node.member(key));
    if (!value) {
      return Error{value.error().code, fmt::format(".{}{}", key, value.error().message)};
    }
    if (value->type != Type::absent) members.push_back({builder_.text(key), *value});
    return {};
  };
  for (const MemberView member : live.members()) {
    TRY(add(member.key, member.value, applied[member.key]));
  }
  for (const MemberView member : applied.members()) {
    if (!live[member.key]) TRY(add(member.key, View(), member.value));
  }
  return members.empty() ? Node() : builder_.object(members);
}

Result<Node> Merger::merged_elements(View live, View applied, SchemaNode node) {
  const Indexed now = TRY(indexed(applied, node, false));
  const Indexed old = TRY(indexed(live, node, true));
  std::vector<Node> elements;
  const auto take = [&](std::size_t l, std::size_t a) -> Result<void> {
    if (l != ListOrder::none) {
      elements.push_back(live[l].node());
      return {};
    }
    const PathElement& element = now.order[a];
    const auto before = old.values.find(element);
    const View was = before == old.values.end() ? View() : before->second;
    auto value = merged(was, now.values.at(element), node.items());
    if (!value) {
      std::string place;
      element.append_for_people(place);
      return Error{value.error().code, place + value.error().message};
    }
    if (value->type != Type::absent) elements.push_back(*value);
    return {};
  };
  ListOrder order(old, now);
  TRY(order.walk(take));
  return elements.empty() ? Node() : builder_.array(elements);
}

class Remover {
 public:
  explicit Remover(Builder& builder) : builder_(builder) {}

  Node without(View value, const FieldSet& removed, SchemaNode node) {
    const Shape shape = shape_of(node, value);
    if (removed.empty() || is_hollow(value) || shape == Shape::whole) return value.node();
    return shape == Shape::object ? without_members(value, removed, node)
                                  : without_elements(value, removed, node);
  }

 private:
  Node without_members(View value, const FieldSet& removed, SchemaNode node) {
    std::vector<Node::Member> members;
    for (const MemberView member : value.members()) {
      const FieldSet::Entry* entry = removed.find(PathElement::field(member.key));
      if (entry != nullptr && entry->member) continue;
      const Node next = entry == nullptr
                            ? member.value.node()
                            : without(member.value, entry->below, node.member(member.key));
      members.push_back({builder_.text(member.key), next});
    }
    return builder_.object(members);
  }

  Node without_elements(View value, const FieldSet& removed, SchemaNode node) {
    std::vector<Node> elements;
    for (const View each : value.elements()) {
      const auto element = element_of(node, each);
      const FieldSet::Entry* entry = element ? removed.find(*element) : nullptr;
      if (entry != nullptr && entry->member) continue;
      elements.push_back(entry == nullptr ? each.node()
                                          : without(each, entry->below, node.items()));
    }
    return builder_.array(elements);
  }

  Builder& builder_;
};

}  // namespace

Result<Value> merge_configuration(const Value& live, const Value& configuration, SchemaNode node) {
  Builder builder;
  builder.retain(live);
  builder.retain(configuration);
  const Node root = TRY(Merger(builder).merged(live, configuration, node));
  return std::move(builder).finish(root);
}

Value without_fields(const Value& object, const FieldSet& removed, SchemaNode node) {
  if (removed.empty()) return object;
  Builder builder;
  builder.retain(object);
  const Node root = Remover(builder).without(object, removed, node);
  return std::move(builder).finish(root);
}

}  // namespace muster::objects
