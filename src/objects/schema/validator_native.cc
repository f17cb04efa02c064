// SPDX-License-Identifier: Apache-2.0
// The checks of native types, in the words of kube-apiserver's hand-written validation.
#include <fmt/format.h>
#include <re2/re2.h>

#include <vector>

#include "objects/builder.h"
#include "objects/schema/checks.h"
#include "objects/schema/duplicates.h"
#include "objects/schema/error_order.h"
#include "objects/schema/rules.h"
#include "objects/schema/struct_text.h"
#include "objects/schema/update_rules.h"
#include "objects/schema/validator.h"

namespace muster::objects {

namespace {

// The labels of a template inside of an object are reported beside its metadata; those of what a
// claim is made of are not.
std::string labels_path(const PathFrame& path) {
  std::string text = path.to_string();
  constexpr std::string_view inside = ".metadata.labels";
  if (text.ends_with(inside) && text != "spec.metadata.labels")
    text.replace(text.size() - inside.size(), inside.size(), ".labels");
  return text;
}

}  // namespace

Value keys_of(const SchemaTables& tables, std::uint32_t first, std::uint32_t count, View element) {
  Builder builder;
  std::vector<Node::Member> members;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string_view key = tables.keys[first + i];
    if (const View value = element[key])
      members.push_back({builder.text(key), builder.copy(value)});
  }
  const Node root = builder.object(members);
  return std::move(builder).finish(root);
}

void Validator::check_native(const NodeRecord& node, View value, View old_value,
                             const PathFrame& path) {
  if (value.is_null() || (value.is_array() && value.empty())) {
    const bool needs_items =
        node.constraints != none_index && tables_.constraints[node.constraints].items_min > 0;
    if (needs_items) errors_.add(FieldError::required(path.to_string()));
    return;
  }
  if (node.constraints != none_index || node.format != Format::none) {
    check_native_value(node, value, path);
  }
  if (node.rule_count > 0) rules_.run(node, value, old_value, path);
  if (node.check_count > 0) {
    CheckScope scope(value, old_value, root_, path, errors_);
    for (std::uint32_t i = 0; i < node.check_count; ++i) tables_.checks[node.checks + i](scope);
  }
  if (value.is_object()) {
    if (node.key_format != Format::none) check_keys(node, value, path);
    check_fields(node, value, old_value, path);
    if (node.has_update_checks && old_value) check_update(node, value, old_value, path);
  } else if (value.is_array()) {
    if (node.has_unique) check_unique(node, value, path);
    check_items(node, value, old_value, path);
  }
}

void Validator::check_native_value(const NodeRecord& node, View value, const PathFrame& path) {
  if (const auto text = value.string(); text && node.format > Format::quantity && !text->empty()) {
    for (std::string& sentence : native_violations(node.format, *text)) {
      // Values of labels are reported at the map that holds them.
      const bool at_map =
          node.format == Format::label_value && path.step == PathFrame::Step::map_key;
      errors_.add(FieldError::invalid(at_map ? labels_path(*path.parent) : path.to_string(), value,
                                      std::move(sentence)));
    }
  }
  if (node.format == Format::port_number_or_name && value.is_integer()) {
    const std::int64_t port = value.integer_or(0);
    if (port < 1 || port > 65'535) {
      errors_.add(
          FieldError::invalid(path.to_string(), value, "must be between 1 and 65535, inclusive"));
    }
  }
  const bool counts =
      node.format == Format::count_or_percentage || node.format == Format::count_or_any_percentage;
  if (counts && value.is_integer() && value.integer_or(0) < 0) {
    errors_.add(FieldError::invalid(path.to_string(), value, "must be greater than or equal to 0"));
  }
  if (node.constraints == none_index) return;
  const Constraints& constraints = tables_.constraints[node.constraints];
  if (!is_choice(constraints, value)) refuse_choice(constraints, value, path.to_string());
  if (value.is_number()) check_native_range(constraints, value, path);
  if (const auto text = value.string()) {
    if (constraints.length_max >= 0 &&
        text->size() > static_cast<std::size_t>(constraints.length_max)) {
      errors_.add(
          FieldError::too_long(path.to_string(), static_cast<std::size_t>(constraints.length_max)));
    }
    if (constraints.pattern != none_index) {
      const Pattern& pattern = tables_.patterns[constraints.pattern];
      if (!re2::RE2::PartialMatch(re2::StringPiece(text->data(), text->size()),
                                  *pattern.expression)) {
        errors_.add(FieldError::invalid(path.to_string(), value,
                                        fmt::format("must match the regex {}", pattern.text)));
      }
    }
  }
  if (value.is_array() && constraints.items_max >= 0 &&
      value.size() > static_cast<std::size_t>(constraints.items_max)) {
    errors_.add(FieldError::too_many(path.to_string(), value.size(),
                                     static_cast<std::size_t>(constraints.items_max)));
  }
}

void Validator::check_native_range(const Constraints& constraints, View value,
                                   const PathFrame& path) {
  const double number = value.real().value_or(0);
  const bool low =
      constraints.minimum && (constraints.exclusive_minimum ? number <= *constraints.minimum
                                                            : number < *constraints.minimum);
  const bool high = constraints.maximum && number > *constraints.maximum;
  if (!low && !high) return;
  const auto printed = [](const std::optional<double>& limit) { return bound_text(*limit); };
  std::string sentence;
  if (constraints.minimum && constraints.maximum) {
    sentence = fmt::format("must be between {} and {}, inclusive", printed(constraints.minimum),
                           printed(constraints.maximum));
  } else if (low) {
    sentence = fmt::format("must be greater than {}{}",
                           constraints.exclusive_minimum ? "" : "or equal to ",
                           printed(constraints.minimum));
  } else {
    sentence = fmt::format("must be less than or equal to {}", printed(constraints.maximum));
  }
  errors_.add(FieldError::invalid(path.to_string(), value, std::move(sentence)));
}

// Keys of labels are reported at the map, those of a ConfigMap at the key.
void Validator::check_keys(const NodeRecord& node, View value, const PathFrame& path) {
  for (MemberView member : value.members()) {
    for (std::string& sentence : native_violations(node.key_format, member.key)) {
      const bool at_key = node.key_format == Format::config_map_key;
      errors_.add(
          FieldError::invalid(at_key ? path.map_key(member.key).to_string() : labels_path(path),
                              Value::string(member.key), std::move(sentence)));
    }
  }
}

void Validator::check_unique(const NodeRecord& node, View value, const PathFrame& path) {
  const auto key_at = [&](std::uint32_t i) { return tables_.keys[node.unique_keys + i]; };
  const auto same = [&](std::size_t a, std::size_t b) {
    if (node.unique_count == 0) return value[a] == value[b];
    for (std::uint32_t k = 0; k < node.unique_count; ++k) {
      if (!(value[a][key_at(k)] == value[b][key_at(k)])) return false;
    }
    return true;
  };
  const auto hash_at = [&](std::size_t i) {
    if (node.unique_count == 0) return hash(value[i]);
    std::uint64_t sum = 0;
    for (std::uint32_t k = 0; k < node.unique_count; ++k) {
      sum = sum * 31 + hash(value[i][key_at(k)]);
    }
    return sum;
  };
  find_duplicates(value.size(), hash_at, same, [&](std::size_t i) {
    const PathFrame at = path.element(i);
    if (node.unique_count == 0) {
      errors_.add(FieldError::duplicate(at.to_string(), value[i]));
    } else if (node.unique_count == 1) {
      const std::string_view key = key_at(0);
      if (!value[i][key] || value[i][key].string() == "") return;
      errors_.add(FieldError::duplicate(at.field(key).to_string(), value[i][key]));
    } else {
      errors_.add(FieldError::duplicate(
          at.to_string(), keys_of(tables_, node.unique_keys, node.unique_count, value[i])));
    }
  });
}

void Validator::check_update(const NodeRecord& node, View object, View old_object,
                             const PathFrame& path) {
  for (int ordinal = 0; ordinal < node.field_count; ++ordinal) {
    const FieldRecord& field = tables_.field(node, ordinal);
    if (field.node == none_index) continue;
    const NodeRecord& inner = tables_.node(field.node);
    const View value = object[field.name];
    const View old_value = old_object[field.name];
    const UpdateScope scope{object, old_object, root_, old_root_};
    const bool refused = (inner.immutable && !(value == old_value)) ||
                         !update_allowed(inner.update_rule, value, old_value, scope);
    if (!refused) continue;
    const UpdateRefusal refusal = update_refusal(inner.update_rule, scope);
    const PathFrame at = path.field(field.name);
    const bool is_part = !refusal.member.empty();
    FieldError error =
        FieldError::invalid(is_part ? at.field(refusal.member).to_string() : at.to_string(),
                            is_part ? value[refusal.member] : value, std::string(refusal.sentence));
    if (std::string printed = printed_struct(inner.type_name, value);
        !is_part && !printed.empty()) {
      error.value = std::move(printed);
    }
    const bool is_told_there = node.type_name == "apps.v1.DaemonSetSpec";
    error.pass = is_told_there ? error_pass_at_its_field : error_pass_of_changes;
    errors_.add(std::move(error));
  }
}

}  // namespace muster::objects
