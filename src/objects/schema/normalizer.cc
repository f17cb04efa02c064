// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/normalizer.h"

#include <algorithm>
#include <utility>

#include "objects/limits.h"
#include "objects/schema/default_rules.h"
#include "objects/schema/rules.h"

namespace muster::objects {

namespace {

// apiVersion, kind and metadata of a resource inside another are kept whatever its schema says.
bool is_resource_field(std::string_view key) {
  return key == "apiVersion" || key == "kind" || key == "metadata";
}

}  // namespace

// An object under reconstruction. Until something changes, its members are those that came in.
struct Normalizer::Open {
  const Node& value;
  std::size_t mark;  // of members_, where its new members begin
  std::size_t seen_members = 0;
  bool changed = false;
  FieldMask seen = {};

  Node current(const std::vector<Node::Member>& members) const {
    Node node = value;
    if (!changed) {
      node.size = static_cast<std::uint32_t>(seen_members);
      return node;
    }
    node.members = members.data() + mark;
    node.size = static_cast<std::uint32_t>(members.size() - mark);
    return node;
  }
};

Builder& Normalizer::builder() {
  if (!builder_) {
    builder_.emplace();
    builder_->retain(*root_);
    builder_->retain(tables_.default_store);
  }
  return *builder_;
}

Value Normalizer::run(std::uint32_t node, const Value& value, const PathFrame& path) {
  root_ = &value;
  is_custom_ = tables_.node(node).style == SchemaStyle::custom;
  Node out;
  if (value.type() == Type::null) return value;
  switch (walk(node, value.view().node(), path, out)) {
    case Outcome::keep:
      return value;
    case Outcome::drop:
      return Value();
    case Outcome::replace:
      break;
  }
  builder();
  return std::move(*builder_).finish(out);
}

void Normalizer::report_unknown(const PathFrame& path) {
  if (report_.unknown_fields.size() >= unknown_fields_max) return;
  report_.unknown_fields.push_back(path.to_dotted_string());
}

Normalizer::Outcome Normalizer::walk(std::uint32_t index, const Node& value, const PathFrame& path,
                                     Node& out) {
  const NodeRecord& node = tables_.node(index);
  const bool native = node.style == SchemaStyle::native;
  if (native && !has_native_type(node, value)) {
    report_type(node, value, path);
    return Outcome::keep;
  }
  // Whatever was sent is read as the text of an amount.
  if (native && node.format == Format::quantity) return walk_quantity(value, in_map_, out);
  if (value.type == Type::object) {
    if (depth_ >= depth_max) return Outcome::keep;
    ++depth_;
    const bool is_struct = native && node.additional == none_index;
    if (is_struct) structs_.push_back(&node);
    const Outcome outcome = walk_object(node, value, path, out);
    if (is_struct) structs_.pop_back();
    --depth_;
    return outcome;
  }
  if (value.type == Type::array) {
    if (depth_ >= depth_max) return Outcome::keep;
    ++depth_;
    const Outcome outcome = walk_array(node, value, path, out);
    --depth_;
    return outcome;
  }
  return native ? walk_native_scalar(node, value, path, out) : Outcome::keep;
}

Normalizer::Outcome Normalizer::walk_array(const NodeRecord& node, const Node& value,
                                           const PathFrame& path, Node& out) {
  if (node.items == none_index) return Outcome::keep;
  const NodeRecord& item = tables_.node(node.items);
  const std::size_t mark = elements_.size();
  bool changed = false;
  for (std::uint32_t i = 0; i < value.size; ++i) {
    const Node& element = value.elements[i];
    Node replaced;
    const Outcome outcome = keeps(item, element) ? Outcome::keep
                            : element.type == Type::null
                                ? walk_null_element(node.items, path.element(i), replaced)
                                : walk(node.items, element, path.element(i), replaced);
    if (outcome == Outcome::keep) {
      if (changed) elements_.push_back(element);
      continue;
    }
    if (!changed) {
      changed = true;
      elements_.insert(elements_.end(), value.elements, value.elements + i);
    }
    elements_.push_back(replaced);
  }
  if (!changed) return Outcome::keep;
  out = builder().array(std::span(elements_).subspan(mark));
  elements_.resize(mark);
  return Outcome::replace;
}

// A null in a list: Go makes it the zero of the element's type, apiextensions the default.
Normalizer::Outcome Normalizer::walk_null_element(std::uint32_t index, const PathFrame& path,
                                                  Node& out) {
  const NodeRecord& node = tables_.node(index);
  if (node.style == SchemaStyle::custom) {
    if (node.nullable || node.default_value == none_index) return Outcome::keep;
    builder();
    out = tables_.defaults[node.default_value];
    return Outcome::replace;
  }
  switch (node.type) {
    case SchemaType::string:
      out = Builder::literal("");
      break;
    case SchemaType::integer:
    case SchemaType::number:
      out = Builder::integer(0);
      break;
    case SchemaType::boolean:
      out = Builder::boolean(false);
      break;
    case SchemaType::object: {
      const Node nothing = builder().object({});
      if (walk(index, nothing, path, out) != Outcome::replace) out = nothing;
      break;
    }
    default:
      if (node.format != Format::quantity) return Outcome::keep;
      out = Builder::literal("0");
  }
  return Outcome::replace;
}

void Normalizer::open(Open& object) {
  if (object.changed) return;
  object.changed = true;
  members_.insert(members_.end(), object.value.members, object.value.members + object.seen_members);
}

Normalizer::Outcome Normalizer::walk_object(const NodeRecord& node, const Node& value,
                                            const PathFrame& path, Node& out) {
  Open object{.value = value, .mark = members_.size()};
  for (std::uint32_t i = 0; i < value.size; ++i) {
    const Node::Member& member = value.members[i];
    const int ordinal = tables_.find_field(node, {member.key.text, member.key.size});
    Node replaced;
    const Outcome outcome = is_plain(node, ordinal, member.value)
                                ? Outcome::keep
                                : walk_member(node, member, ordinal, path, replaced);
    if (outcome != Outcome::keep) open(object);
    if (object.changed && outcome != Outcome::drop) {
      members_.push_back({member.key, outcome == Outcome::keep ? member.value : replaced});
    }
    if (outcome != Outcome::drop) object.seen.add(ordinal);
    ++object.seen_members;
  }
  if (defaults_ != Defaults::leave) {
    if (node.default_rule_count > 0 || node.has_field_rules) run_rules(node, object);
    if (!node.has_all_defaulted(object.seen)) fill_defaults(node, object, path);
  }
  if (!object.changed) return Outcome::keep;
  out = builder().object(std::span(members_).subspan(object.mark));
  members_.resize(object.mark);
  return Outcome::replace;
}

Normalizer::Outcome Normalizer::walk_member(const NodeRecord& node, const Node::Member& member,
                                            int ordinal, const PathFrame& path, Node& out) {
  const std::string_view key(member.key.text, member.key.size);
  const bool is_field = ordinal >= 0 && tables_.field(node, ordinal).node != none_index;
  const std::uint32_t index = is_field ? tables_.field(node, ordinal).node : node.additional;
  if (index == none_index) {
    if (node.preserves_unknown) return Outcome::keep;
    if (node.embedded_resource && is_resource_field(key)) return Outcome::keep;
    report_unknown(path.field(key));
    return Outcome::drop;
  }
  const NodeRecord& inner = tables_.node(index);
  if (member.value.type == Type::null) {
    if (inner.style == SchemaStyle::native) {
      if (!is_field) return walk_null_element(index, path.map_key(key), out);
      // A field that is always written keeps the null that stands for its zero.
      const std::uint32_t zero = tables_.field(node, ordinal).default_member;
      const bool is_zero =
          zero != none_index && tables_.default_members[zero].value.type == Type::null;
      return is_zero ? Outcome::keep : Outcome::drop;
    }
    if (inner.nullable) return Outcome::keep;
    if (inner.default_value == none_index) {
      const bool drops = is_field && defaults_ != Defaults::fill_keeping_nulls;
      return drops ? Outcome::drop : Outcome::keep;
    }
    builder();
    out = tables_.defaults[inner.default_value];
    return defaults_ == Defaults::leave ? Outcome::drop : Outcome::replace;
  }
  const bool was_in_map = std::exchange(in_map_, !is_field);
  const Outcome outcome =
      walk(index, member.value, is_field ? path.field(key) : path.map_key(key), out);
  in_map_ = was_in_map;
  if (is_field && inner.style == SchemaStyle::native &&
      is_dropped_zero(inner, tables_.field(node, ordinal),
                      outcome == Outcome::replace ? out : member.value)) {
    return Outcome::drop;
  }
  return outcome;
}

void Normalizer::run_rules(const NodeRecord& node, Open& object) {
  const auto run_all = [&](const NodeRecord& of, bool on_field, bool is_set) {
    for (std::uint32_t i = 0; i < of.default_rule_count; ++i) {
      const DefaultRule rule = tables_.default_rules[of.default_rules + i];
      if (is_field_rule(rule) != on_field) continue;
      if (is_set && is_rule_of_absence(rule)) continue;
      run_rule(rule, node, object);
    }
  };
  run_all(node, false, false);
  if (!node.has_field_rules) return;
  for (int ordinal = 0; ordinal < node.watched_count; ++ordinal) {
    const std::uint32_t field = tables_.field(node, ordinal).node;
    if (field == none_index || tables_.node(field).default_rule_count == 0) continue;
    run_all(tables_.node(field), true, object.seen.has(ordinal));
  }
}

void Normalizer::run_rule(DefaultRule rule, const NodeRecord& node, Open& object) {
  const Node current = object.current(members_);
  if (!rule_applies(rule, View(&current))) return;
  RuleEdits edits{builder(), {}};
  apply_rule(rule, View(&current), edits);
  for (const Node::Member& edit : edits.members) {
    open(object);
    const std::string_view key(edit.key.text, edit.key.size);
    object.seen.add(tables_.find_field(node, key));
    const auto found =
        std::find_if(members_.begin() + static_cast<std::ptrdiff_t>(object.mark), members_.end(),
                     [&](const Node::Member& member) {
                       return std::string_view(member.key.text, member.key.size) == key;
                     });
    if (edit.value.type == Type::absent) {
      if (found != members_.end()) members_.erase(found);
    } else if (found != members_.end()) {
      found->value = edit.value;
    } else {
      members_.push_back(edit);
    }
  }
}

void Normalizer::fill_defaults(const NodeRecord& node, Open& object, const PathFrame& path) {
  for (int ordinal = 0; ordinal < node.watched_count; ++ordinal) {
    if (object.seen.has(ordinal)) continue;
    const FieldRecord& field = tables_.field(node, ordinal);
    if (field.default_member == none_index) continue;
    const Node::Member& member = tables_.default_members[field.default_member];
    if (!FieldMask::holds(ordinal)) {
      const Node current = object.current(members_);
      if (View(&current)[field.name]) continue;
    }
    builder();
    open(object);
    Node value = member.value;
    if (defaults_ == Defaults::fill_and_walk && value.type != Type::null) {
      Node replaced;
      if (walk(field.node, value, path.field(field.name), replaced) == Outcome::replace) {
        value = replaced;
      }
    }
    members_.push_back({member.key, value});
  }
}

}  // namespace muster::objects
