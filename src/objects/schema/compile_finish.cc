// SPDX-License-Identifier: Apache-2.0
// The last steps of compilation: which fields come first, their hash tables, the defaults.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "objects/builder.h"
#include "objects/limits.h"
#include "objects/schema/compile.h"
#include "objects/schema/normalizer.h"
#include "objects/schema/rules.h"
#include "objects/schema/update_rules.h"
#include "objects/schema/validator.h"

namespace muster::objects {

namespace {

// A table of at least twice the fields and a seed that spreads them; whatever still collides is
// found by walking on.
void hash_fields(SchemaTables& tables, NodeRecord& node) {
  if (node.field_count == 0) return;
  const unsigned bits = std::bit_width(std::uint32_t{node.field_count}) + 1u;
  const std::uint32_t size = std::uint32_t{1} << bits;
  node.hash_shift = static_cast<std::uint8_t>(32 - bits);
  node.slots = static_cast<std::uint32_t>(tables.slots.size());
  std::vector<std::uint16_t> best;
  std::size_t best_steps = static_cast<std::size_t>(-1);
  std::uint32_t seed = 0x9E3779B1;
  for (int attempt = 0; attempt < 64 && best_steps > 0; ++attempt, seed = seed * 5 + 2) {
    std::vector<std::uint16_t> slots(size, 0);
    std::size_t steps = 0;
    for (std::uint16_t i = 0; i < node.field_count; ++i) {
      std::uint32_t at =
          SchemaTables::hash_name(tables.fields[node.fields + i].name, seed | 1) >> node.hash_shift;
      for (; slots[at] != 0; at = (at + 1) & (size - 1)) ++steps;
      slots[at] = static_cast<std::uint16_t>(i + 1);
    }
    if (steps < best_steps) {
      best_steps = steps;
      best = std::move(slots);
      node.hash_seed = seed | 1;
    }
  }
  tables.slots.insert(tables.slots.end(), best.begin(), best.end());
}

// What Go writes for a field that is always written and was not set.
Value zero_of(const NodeRecord& node) {
  switch (node.type) {
    case SchemaType::string:
      if (node.format == Format::date_time || node.format == Format::micro_time) {
        return Value::null();
      }
      return Value::string("");
    case SchemaType::integer:
    case SchemaType::number:
      return Value::integer(0);
    case SchemaType::boolean:
      return Value::boolean(false);
    case SchemaType::array:
      return Value::null();
    case SchemaType::object:
      // JSON that is carried along is no struct either.
      if (node.preserves_unknown && node.field_count == 0) return Value::null();
      return node.additional == none_index ? Value::object({}) : Value::null();
    case SchemaType::any:
    case SchemaType::int_or_string:
      return {};
  }
  return {};
}

// The type of scalar that decoding has nothing to do with, as long as integers are small.
Type plain_type(const NodeRecord& node) {
  if (node.style != SchemaStyle::native) return Type::absent;
  const bool has_canonical_text = node.format == Format::quantity || node.format == Format::byte ||
                                  node.format == Format::date_time ||
                                  node.format == Format::micro_time;
  if (node.type == SchemaType::string && !has_canonical_text) return Type::string;
  if (node.type == SchemaType::integer) return Type::integer;
  return node.type == SchemaType::boolean ? Type::boolean : Type::absent;
}

}  // namespace

// Fields with a default or required first: a walk notes which of these it met in one mask.
void SchemaCompiler::order_fields() {
  for (NodeRecord& node : tables_->nodes) {
    node.plain = plain_type(node);
    const auto first = tables_->fields.begin() + node.fields;
    const auto last = first + node.field_count;
    for (auto field = first; field != last; ++field) {
      if (field->node == none_index) continue;
      const NodeRecord& of = tables_->nodes[field->node];
      field->default_member = of.default_value;
      if (of.default_rule_count > 0) node.has_field_rules = true;
      if (of.immutable || of.update_rule != UpdateRule::none) node.has_update_checks = true;
      if (!field->always || of.default_value != none_index) continue;
      if (Value zero = zero_of(of)) {
        field->default_member = static_cast<std::uint32_t>(defaults_.size());
        defaults_.push_back({field->node, std::move(zero), std::string(field->name)});
      }
    }
    const auto watched = std::stable_partition(first, last, [&](const FieldRecord& field) {
      return field.required || field.default_member != none_index ||
             (field.node != none_index && tables_->nodes[field.node].default_rule_count > 0);
    });
    node.watched_count = static_cast<std::uint16_t>(watched - first);
    for (int i = 0; i < node.watched_count; ++i) {
      if (tables_->field(node, i).required) node.required.add(i);
      if (tables_->field(node, i).default_member != none_index) node.defaulted.add(i);
    }
    hash_fields(*tables_, node);
  }
}

Result<std::shared_ptr<const SchemaTables>> SchemaCompiler::finish() && {
  for (std::uint32_t i = 0; i < defaults_.size(); ++i) {
    tables_->nodes[defaults_[i].node].default_value = i;
  }
  order_fields();
  mark_what_is_below();
  TRY(complete_defaults());
  return std::shared_ptr<const SchemaTables>(std::move(tables_));
}

Result<std::shared_ptr<const SchemaTables>> SchemaCompiler::finish_checked(std::string_view path,
                                                                           FieldErrors& errors) && {
  const std::vector<Default> written = defaults_;
  auto finished = TRY(std::move(*this).finish());
  for (const Default& entry : written) {
    const PathFrame root;
    NormalizeReport report;
    Normalizer normalizer(*finished, report, Normalizer::Defaults::leave);
    static_cast<void>(normalizer.run(entry.node, entry.value, root));
    const std::string at = fmt::format("{}.{}", path, entry.path);
    if (!report.unknown_fields.empty()) {
      errors.add(FieldError::invalid(at, entry.value, "must not have unknown fields"));
    }
    FieldErrors found;
    Validator(*finished, found, entry.value, {}).check(entry.node, entry.value, {}, root);
    if (found.empty()) check_rules(*finished, entry.node, entry.value, {}, found);
    for (const FieldError& error : found) {
      FieldError placed = error;
      placed.path = error.path.empty() ? at : fmt::format("{}.{}", at, error.path);
      errors.add(std::move(placed));
    }
  }
  return finished;
}

// Which nodes have something to check at or below them; walks leave out the others. Types may be
// recursive, so marks spread until nothing changes.
void SchemaCompiler::mark_what_is_below() {
  for (NodeRecord& node : tables_->nodes) {
    node.has_rules = node.rule_count > 0;
    node.has_checks = node.style == SchemaStyle::custom || node.rule_count > 0 ||
                      node.constraints != none_index || node.format > Format::quantity ||
                      node.key_format != Format::none || node.has_unique ||
                      node.has_update_checks || node.check_count > 0;
    for (int i = 0; i < node.field_count; ++i) {
      if (tables_->field(node, i).required) node.has_checks = true;
    }
  }
  bool changed = true;
  while (changed) {
    changed = false;
    for (NodeRecord& node : tables_->nodes) {
      const auto spread = [&](std::uint32_t below) {
        if (below == none_index) return;
        const NodeRecord& inner = tables_->nodes[below];
        if (inner.has_rules && !node.has_rules) changed = node.has_rules = true;
        if (inner.has_checks && !node.has_checks) changed = node.has_checks = true;
      };
      spread(node.items);
      spread(node.additional);
      for (int i = 0; i < node.field_count; ++i) spread(tables_->field(node, i).node);
    }
  }
}

// Values and key names of all defaults, in one arena. Which default a field has is first an index
// into defaults_, and afterwards one into default_members.
void SchemaCompiler::store_defaults(const std::vector<std::uint32_t>& sources) {
  Builder builder;
  std::vector<Node> values;
  for (const Default& entry : defaults_) values.push_back(builder.copy(entry.value));
  std::vector<Node> members;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] == none_index) continue;
    FieldRecord& field = tables_->fields[i];
    field.default_member = static_cast<std::uint32_t>(members.size());
    const Node::Member member[] = {{builder.text(field.name), values[sources[i]]}};
    members.push_back(builder.object(member));
  }
  const Node both[] = {builder.array(values), builder.array(members)};
  const Node root = builder.array(both);
  tables_->default_store = std::move(builder).finish(root);
  tables_->defaults.clear();
  tables_->default_members.clear();
  for (View value : tables_->default_store[std::size_t{0}].elements()) {
    tables_->defaults.push_back(value.node());
  }
  for (View member : tables_->default_store[std::size_t{1}].elements()) {
    tables_->default_members.push_back(member.node().members[0]);
  }
}

// Puts nested defaults into each default and drops what its schema does not know, so that filling
// in one at run time is one assignment.
Result<> SchemaCompiler::complete_defaults() {
  std::vector<std::uint32_t> sources;
  for (const FieldRecord& field : tables_->fields) sources.push_back(field.default_member);
  store_defaults(sources);
  const PathFrame root;
  std::vector<Value> completed;
  for (const Default& entry : defaults_) {
    NormalizeReport report;
    Normalizer normalizer(*tables_, report, Normalizer::Defaults::fill_and_walk);
    completed.push_back(normalizer.run(entry.node, entry.value, root));
    if (!report.type_error.empty()) return Error::invalid(report.type_error, entry.path);
  }
  for (std::size_t i = 0; i < defaults_.size(); ++i) defaults_[i].value = completed[i];
  store_defaults(sources);
  return {};
}

}  // namespace muster::objects
