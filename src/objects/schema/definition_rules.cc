// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/definition_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "objects/cel/cel.h"
#include "objects/schema/definition_parts.h"
#include "objects/schema/definition_text.h"

namespace muster::objects {

namespace {

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\v\f");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n\v\f") - first + 1);
}

bool has_line_end(std::string_view text) {
  return text.find_first_of("\r\n") != std::string_view::npos;
}

class RuleTexts {
 public:
  RuleTexts(View schema, View rule, FieldErrors& errors)
      : schema_(schema), rule_(rule), errors_(errors) {}

  void check(const PathFrame& at) {
    check_sentence(at);
    const View expression = rule_["messageExpression"];
    if (!expression.string_or("").empty() && is_blank(expression.string_or(""))) {
      require(at, "messageExpression", "messageExpression must be non-empty if specified");
    }
    check_reason(at);
    check_field_path(at);
  }

 private:
  void require(const PathFrame& at, std::string_view field, std::string_view detail) {
    errors_.add(FieldError::required(at.field(field).to_string(), std::string(detail)));
  }
  void refuse(const PathFrame& at, std::string_view field, std::string_view detail) {
    errors_.add(
        FieldError::invalid(at.field(field).to_string(), rule_[field], std::string(detail)));
  }

  void check_sentence(const PathFrame& at) {
    const std::string_view rule = trimmed(rule_["rule"].string_or(""));
    const std::string_view message = rule_["message"].string_or("");
    if (rule.empty()) {
      require(at, "rule", "rule is not specified");
    } else if (!message.empty() && is_blank(message)) {
      refuse(at, "message", "must be non-empty if specified");
    } else if (has_line_end(trimmed(message))) {
      refuse(at, "message", "must not contain line breaks");
    } else if (has_line_end(rule) && is_blank(message)) {
      require(at, "message", "message must be specified if rule contains line breaks");
    }
  }

  void check_reason(const PathFrame& at) {
    const View reason = rule_["reason"];
    const std::string reasons[] = {"FieldValueDuplicate", "FieldValueForbidden",
                                   "FieldValueInvalid", "FieldValueRequired"};
    if (!reason || std::find(std::begin(reasons), std::end(reasons), reason.string_or("")) !=
                       std::end(reasons)) {
      return;
    }
    errors_.add(FieldError::not_supported(at.field("reason").to_string(), reason, reasons));
  }

  void check_field_path(const PathFrame& at) {
    const std::string_view path = rule_["fieldPath"].string_or("");
    if (path.empty()) return;
    if (is_blank(path)) refuse(at, "fieldPath", "must be non-empty if specified");
    if (has_line_end(path)) refuse(at, "fieldPath", "must not contain line breaks");
    const SchemaPlace place = follow_field_path(schema_, path, true);
    if (!place.schema) refuse(at, "fieldPath", "must be a valid path");
  }

  View schema_;
  View rule_;
  FieldErrors& errors_;
};

void refuse_program(View rule, std::string path, std::string detail, FieldErrors& errors) {
  errors.add(
      FieldError{FieldError::Type::invalid, std::move(path), go_rule(rule), std::move(detail)});
}

// A complaint of the compiler names its place; the others are about the expression as a whole.
std::string compile_complaint(const Error& error) {
  if (error.message.starts_with("ERROR: ")) {
    return fmt::format("compilation failed: {}", error.message);
  }
  return fmt::format("cel expression {}", error.message);
}

void check_message_program(View rule, View schema, const PathFrame& at, FieldErrors& errors) {
  const std::string_view expression = rule["messageExpression"].string_or("");
  if (expression.empty()) return;
  const std::string path = at.field("messageExpression").to_string();
  const auto program =
      compile_cel(expression, {.result = CelResult::any, .schemas = {schema, schema}});
  if (!program) {
    return refuse_program(rule, path,
                          fmt::format("messageExpression {}", compile_complaint(program.error())),
                          errors);
  }
  if (const auto text =
          compile_cel(expression, {.result = CelResult::text, .schemas = {schema, schema}});
      !text) {
    refuse_program(rule, path, "messageExpression must evaluate to a string", errors);
  }
}

}  // namespace

void check_rule_texts(View schema, const PathFrame& path, FieldErrors& errors) {
  const PathFrame parent = path.field("x-kubernetes-validations");
  std::size_t index = 0;
  for (View rule : schema["x-kubernetes-validations"].elements()) {
    RuleTexts(schema, rule, errors).check(parent.element(index++));
  }
}

void check_rule_programs(View schema, const PathFrame& path, const RulePlace& place,
                         FieldErrors& errors) {
  const View rules = schema["x-kubernetes-validations"];
  if (rules.empty()) return;
  const Value resource =
      place.is_resource ? Value::object({{"type", Value::string("object")},
                                         {"x-kubernetes-embedded-resource", Value::boolean(true)},
                                         {"properties", schema["properties"]
                                                            ? Value::copy_of(schema["properties"])
                                                            : Value::object({})}})
                        : Value();
  const View self = place.is_resource ? resource.view() : schema;
  const PathFrame parent = path.field("x-kubernetes-validations");
  std::size_t index = 0;
  for (View rule : rules.elements()) {
    const PathFrame at = parent.element(index++);
    const bool optional_old = rule["optionalOldSelf"].boolean_or(false);
    const auto program =
        compile_cel(rule["rule"].string_or(""), {.schemas = {self, optional_old ? View() : self}});
    if (!program) {
      refuse_program(rule, at.field("rule").to_string(), compile_complaint(program.error()),
                     errors);
    }
    check_message_program(rule, self, at, errors);
    const bool uses_old = program && program->mentions("oldSelf");
    if (uses_old && !place.uncorrelatable.empty()) {
      errors.add(FieldError::invalid(
          at.field("rule").to_string(), rule["rule"],
          fmt::format(
              "oldSelf cannot be used on the uncorrelatable portion of the schema within {}",
              place.uncorrelatable)));
    } else if (!uses_old && rule["optionalOldSelf"]) {
      errors.add(FieldError::invalid(at.field("optionalOldSelf").to_string(),
                                     rule["optionalOldSelf"],
                                     "may not be set if oldSelf is not used in rule"));
    }
  }
}

}  // namespace muster::objects
