// SPDX-License-Identifier: Apache-2.0
// The last steps of compilation: which fields come first, their hash tables, the defaults.
#include <algorithm>
#include <bit>
#include <utility>

#include "objects/builder.h"
#include "objects/limits.h"
#include "objects/schema/compile.h"
#include "objects/schema/rules.h"

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

}  // namespace

// Fields with a default or required first: a walk notes which of these it met in one mask.
void SchemaCompiler::order_fields() {
  for (NodeRecord& node : tables_->nodes) {
    const auto first = tables_->fields.begin() + node.fields;
    const auto last = first + node.field_count;
    const auto has_default = [&](const FieldRecord& field) {
      if (field.node == none_index) return false;
      const NodeRecord& of = tables_->nodes[field.node];
      return of.default_value != none_index || of.default_rule != DefaultRule::none;
    };
    const auto watched = std::stable_partition(first, last, [&](const FieldRecord& field) {
      return field.required || has_default(field);
    });
    node.watched_count = static_cast<std::uint16_t>(watched - first);
    for (auto field = first; field != last; ++field) {
      if (has_default(*field)) field->default_member = 0;
    }
    hash_fields(*tables_, node);
  }
}

Result<std::shared_ptr<const SchemaTables>> SchemaCompiler::finish() && {
  for (std::uint32_t i = 0; i < defaults_.size(); ++i) {
    tables_->nodes[defaults_[i].node].default_value = i;
  }
  order_fields();
  TRY(complete_defaults());
  return std::shared_ptr<const SchemaTables>(std::move(tables_));
}

// Values and key names of all defaults, in one arena.
Result<> SchemaCompiler::complete_defaults() {
  Builder builder;
  std::vector<Node> values;
  for (const Default& entry : defaults_) values.push_back(builder.copy(entry.value));
  std::vector<Node> members;
  for (FieldRecord& field : tables_->fields) {
    if (field.default_member == none_index) continue;
    const std::uint32_t value = tables_->nodes[field.node].default_value;
    field.default_member = static_cast<std::uint32_t>(members.size());
    const Node::Member member[] = {
        {builder.text(field.name), value == none_index ? Builder::null() : values[value]}};
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
  return {};
}

}  // namespace muster::objects
