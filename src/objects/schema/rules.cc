// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include <utility>

#include "objects/schema/correlation.h"

namespace muster::objects {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view spaces = " \t\r\n";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

std::string_view schema_type_word(SchemaType type) {
  switch (type) {
    case SchemaType::object:
      return "object";
    case SchemaType::array:
      return "array";
    case SchemaType::string:
      return "string";
    case SchemaType::integer:
      return "integer";
    case SchemaType::number:
      return "number";
    case SchemaType::boolean:
      return "boolean";
    case SchemaType::any:
    case SchemaType::int_or_string:
      return "";
  }
  return "";
}

FieldError::Type violation_type(View reason) {
  const std::string_view name = reason.string_or("");
  if (name == "FieldValueForbidden") return FieldError::Type::forbidden;
  if (name == "FieldValueRequired") return FieldError::Type::required;
  if (name == "FieldValueDuplicate") return FieldError::Type::duplicate;
  return FieldError::Type::invalid;
}

void walk(const SchemaTables& tables, RuleRun& rules, std::uint32_t index, View value,
          View old_value, const PathFrame& path) {
  const NodeRecord& node = tables.node(index);
  if (!node.has_rules || node.style == SchemaStyle::native || value.is_null() || rules.stopped()) {
    return;
  }
  rules.run(node, value, old_value, path);
  if (value.is_object()) {
    for (MemberView member : value.members()) {
      const int ordinal = tables.find_field(node, member.key);
      const std::uint32_t inner = ordinal >= 0 ? tables.field(node, ordinal).node : node.additional;
      if (inner == none_index) continue;
      walk(tables, rules, inner, member.value, old_value[member.key],
           ordinal >= 0 ? path.field(member.key) : path.map_key(member.key));
    }
  } else if (value.is_array() && node.items != none_index) {
    const Correlation old_elements(tables, node, old_value);
    std::size_t at = 0;
    for (View element : value.elements()) {
      walk(tables, rules, node.items, element, old_elements.find(element), path.element(at++));
    }
  }
}

View at_field_path(View value, std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    value = value[path.substr(begin, end - begin)];
    begin = end + 1;
  }
  return value;
}

// A scalar is shown, an object is not. Native checks show the field that they report, and what
// is absent is "" in Go.
std::string shown_value(const NodeRecord& node, const ValidationRule& rule, View value) {
  if (node.style == SchemaStyle::native && !rule.field_path.empty()) {
    value = at_field_path(value, rule.field_path);
    if (!value) return "\"\"";
  }
  return value.is_object() || value.is_array() ? "" : go_printed(value);
}

}  // namespace

void RuleRun::run(const NodeRecord& node, View value, View old_value, const PathFrame& path) {
  for (std::uint32_t i = 0; i < node.rule_count && !stopped_; ++i) {
    run_one(node, tables_.rules[node.rules + i], value, old_value, path);
  }
}

void RuleRun::run_one(const NodeRecord& node, const ValidationRule& rule, View value,
                      View old_value, const PathFrame& path) {
  if (rule.is_transition && !old_value && !rule.optional_old_self) return;
  const auto holds = rule.program.evaluate_bool(value, old_value, budget_);
  if (holds && *holds) return;
  if (!holds) {
    refuse_evaluation(node, rule, holds.error(), path);
    return;
  }
  if (ratcheting_ == Ratcheting::unchanged_passes && !rule.is_transition && old_value &&
      value == old_value) {
    return;
  }
  std::string detail = rule.message;
  if (rule.message_expression) {
    auto text = rule.message_expression->evaluate_string(value, old_value, budget_);
    if (text) detail = std::move(*text);
  }
  std::string at = path.to_string();
  if (!rule.field_path.empty()) {
    if (!at.empty()) at += '.';
    at += rule.field_path;
  }
  FieldError error{rule.type, std::move(at), {}, std::move(detail)};
  const bool shows_value =
      rule.type == FieldError::Type::invalid || rule.type == FieldError::Type::duplicate;
  if (shows_value) error.value = shown_value(node, rule, value);
  if (rule.type == FieldError::Type::duplicate) error.detail.clear();
  errors_.add(std::move(error));
}

void RuleRun::refuse_evaluation(const NodeRecord& node, const ValidationRule& rule,
                                const Error& error, const PathFrame& path) {
  // Native rules speak of fields that may be absent; what is absent is another check's matter.
  if (node.style == SchemaStyle::native && error.code != ErrorCode::too_large) return;
  const Value type = Value::string(schema_type_word(node.type));
  if (error.code == ErrorCode::too_large) {
    stopped_ = true;
    errors_.add(FieldError::invalid(
        path.to_string(), type,
        budget_.steps_left() == 0
            ? "validation failed due to running out of cost budget, no further validation "
              "rules will be run"
            : fmt::format("'{}': no further validation rules will be run due to call cost "
                          "exceeds limit for rule: {}",
                          error.message, rule.short_text)));
    return;
  }
  const bool overload = error.message.starts_with("no such overload");
  errors_.add(FieldError::invalid(
      path.to_string(), type,
      overload ? fmt::format("'{}': call arguments did not match a supported operator, function "
                             "or macro signature for rule: {}",
                             error.message, rule.short_text)
               : fmt::format("{} evaluating rule: {}", error.message, rule.short_text)));
}

Result<ValidationRule> compile_rule(View rule, const PathFrame& path) {
  const std::string_view source = rule["rule"].string_or("");
  auto program = compile_cel(source);
  if (!program) {
    return Error::invalid(program.error().message, path.field("rule").to_string());
  }
  ValidationRule compiled{std::move(*program), std::nullopt, {}, {}, {}};
  compiled.is_transition = compiled.program.mentions("oldSelf");
  compiled.optional_old_self = rule["optionalOldSelf"].boolean_or(false);
  compiled.type = violation_type(rule["reason"]);
  const View message = rule["message"];
  compiled.message = message ? std::string(trimmed(message.string_or("")))
                             : fmt::format("failed rule: {}", trimmed(source));
  compiled.short_text =
      compiled.message.empty() || !message ? std::string(trimmed(source)) : compiled.message;
  std::string_view field_path = rule["fieldPath"].string_or("");
  if (field_path.starts_with('.')) field_path.remove_prefix(1);
  compiled.field_path = field_path;
  if (const auto expression = rule["messageExpression"].string()) {
    auto message_program = compile_cel(*expression, {.result = CelResult::text});
    if (!message_program) {
      return Error::invalid(message_program.error().message,
                            path.field("messageExpression").to_string());
    }
    compiled.message_expression = std::move(*message_program);
  }
  return compiled;
}

void check_rules(const SchemaTables& tables, std::uint32_t root, View object, View old_object,
                 FieldErrors& errors, Ratcheting ratcheting) {
  const PathFrame path;
  RuleRun rules(tables, errors, ratcheting);
  walk(tables, rules, root, object, old_object, path);
}

}  // namespace muster::objects
