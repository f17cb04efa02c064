// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/tables.h"

#include <re2/re2.h>

#include "base/check.h"
#include "objects/schema/rules.h"

namespace muster::objects {

SchemaTables::SchemaTables() = default;
SchemaTables::~SchemaTables() = default;

std::string_view SchemaTables::name(std::string_view text) {
  return names_.emplace_back(text);
}

namespace {

const NodeRecord& record(SchemaNode node) {
  static const NodeRecord none{};
  return node.is_none() ? none : node.tables()->nodes[node.index()];
}

SchemaNode at(SchemaNode from, std::uint32_t index) {
  return index == none_index ? SchemaNode() : SchemaNode(from.tables(), index);
}

}  // namespace

SchemaType SchemaNode::type() const {
  return record(*this).type;
}
SchemaStyle SchemaNode::style() const {
  return record(*this).style;
}
bool SchemaNode::nullable() const {
  return record(*this).nullable;
}
bool SchemaNode::preserves_unknown_fields() const {
  return record(*this).preserves_unknown;
}
bool SchemaNode::is_embedded_resource() const {
  return record(*this).embedded_resource;
}
bool SchemaNode::is_immutable() const {
  return record(*this).immutable;
}
std::string_view SchemaNode::format() const {
  return format_name(record(*this).format);
}
std::string_view SchemaNode::type_name() const {
  return record(*this).type_name;
}

SchemaNode SchemaNode::field(std::string_view name) const {
  if (is_none()) return {};
  const NodeRecord& node = record(*this);
  const int ordinal = tables_->find_field(node, name);
  return ordinal < 0 ? SchemaNode() : at(*this, tables_->field(node, ordinal).node);
}

SchemaNode SchemaNode::additional_properties() const {
  return at(*this, record(*this).additional);
}

SchemaNode SchemaNode::member(std::string_view name) const {
  const SchemaNode declared = field(name);
  return declared ? declared : additional_properties();
}

SchemaNode SchemaNode::items() const {
  return at(*this, record(*this).items);
}

std::size_t SchemaNode::field_count() const {
  return record(*this).field_count;
}

SchemaField SchemaNode::field_at(std::size_t index) const {
  const NodeRecord& node = record(*this);
  CHECK(index < node.field_count);
  const FieldRecord& field = tables_->field(node, static_cast<int>(index));
  return {field.name,          at(*this, field.node), field.proto_number,
          field.proto_message, field.required,        field.pointer};
}

View SchemaNode::default_value() const {
  return is_none() ? View() : tables_->default_of(record(*this));
}

ListType SchemaNode::list_type() const {
  return record(*this).list_type;
}

std::span<const std::string_view> SchemaNode::list_map_keys() const {
  if (is_none()) return {};
  const NodeRecord& node = record(*this);
  return std::span(tables_->keys).subspan(node.keys, node.key_count);
}

MapType SchemaNode::map_type() const {
  return record(*this).map_type;
}
std::string_view SchemaNode::patch_merge_key() const {
  return record(*this).merge_key;
}
PatchStrategy SchemaNode::patch_strategy() const {
  return record(*this).patch_strategy;
}

}  // namespace muster::objects
