// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/validator.h"

#include <algorithm>

#include "objects/schema/correlation.h"
#include "objects/schema/rules.h"

namespace muster::objects {

namespace {

// Go cannot tell an empty text, an empty list or a zero from an absent one.
bool is_empty(View value) {
  if (!value || value.is_null()) return true;
  if (value.is_string()) return value.string_or("").empty();
  if (value.is_integer()) return value.integer_or(0) == 0;
  return value.is_array() && value.empty();
}

}  // namespace

void Validator::check(std::uint32_t index, View value, View old_value, const PathFrame& path) {
  if (errors_.is_full()) return;
  const NodeRecord& node = tables_.node(index);
  if (!node.has_checks) return;
  if (node.style == SchemaStyle::native) {
    check_native(node, value, old_value, path);
    return;
  }
  const std::size_t before = errors_.size();
  check_custom(node, value, old_value, path);
  // What was wrong before and has not changed does not stop an update.
  if (errors_.size() > before && old_value && value == old_value) errors_.truncate(before);
}

void Validator::check_fields(const NodeRecord& node, View value, View old_value,
                             const PathFrame& path) {
  const bool native = node.style == SchemaStyle::native;
  FieldMask seen;
  for (MemberView member : value.members()) {
    const int ordinal = tables_.find_field(node, member.key);
    if (ordinal >= 0) {
      const FieldRecord& field = tables_.field(node, ordinal);
      if (native && field.required && is_empty(member.value)) continue;
      seen.add(ordinal);
      if (field.node == none_index || !tables_.node(field.node).has_checks) continue;
      // The metadata of the object itself is checked by check_metadata().
      if (path.step == PathFrame::Step::root && member.key == "metadata") continue;
      check(field.node, member.value, old_value[member.key], path.field(member.key));
    } else if (node.additional != none_index && tables_.node(node.additional).has_checks) {
      check(node.additional, member.value, old_value[member.key], path.map_key(member.key));
    }
  }
  if (!node.has_all_required(seen)) check_required(node, value, seen, path);
}

// Those that were seen are there and not empty; fields beyond the mask are looked up.
void Validator::check_required(const NodeRecord& node, View value, FieldMask seen,
                               const PathFrame& path) {
  const bool native = node.style == SchemaStyle::native;
  for (int ordinal = 0; ordinal < node.watched_count; ++ordinal) {
    const FieldRecord& field = tables_.field(node, ordinal);
    if (!field.required) continue;
    const View found = FieldMask::holds(ordinal) ? View() : value[field.name];
    if (seen.has(ordinal) || (native ? !is_empty(found) : !found.is_absent())) continue;
    const PathFrame at = path.field(field.name);
    errors_.add(FieldError::required(native ? at.to_string() : at.to_dotted_string()));
  }
}

void Validator::check_items(const NodeRecord& node, View value, View old_value,
                            const PathFrame& path) {
  if (node.items == none_index) return;
  const bool by_position = node.style == SchemaStyle::native && node.list_type != ListType::map;
  const Correlation old_elements(tables_, node, by_position ? View() : old_value);
  std::size_t index = 0;
  for (View element : value.elements()) {
    const View old_element = by_position ? old_value[index] : old_elements.find(element);
    check(node.items, element, old_element, path.element(index));
    ++index;
  }
}

}  // namespace muster::objects
