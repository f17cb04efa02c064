// SPDX-License-Identifier: Apache-2.0
// What a schema demands of values: ranges, patterns, enumerations, branches, rules.
#include <fmt/format.h>
#include <re2/re2.h>

#include <utility>

#include "objects/limits.h"
#include "objects/schema/compile.h"
#include "objects/schema/rules.h"

namespace muster::objects {

namespace {

struct CountKey {
  std::string_view key;
  std::int64_t Constraints::*member;
};

constexpr CountKey count_keys[] = {
    {"minLength", &Constraints::length_min},
    {"maxLength", &Constraints::length_max},
    {"minItems", &Constraints::items_min},
    {"maxItems", &Constraints::items_max},
    {"minProperties", &Constraints::properties_min},
    {"maxProperties", &Constraints::properties_max},
};

struct NumberKey {
  std::string_view key;
  std::optional<double> Constraints::*member;
};

constexpr NumberKey number_keys[] = {
    {"minimum", &Constraints::minimum},
    {"maximum", &Constraints::maximum},
    {"multipleOf", &Constraints::multiple_of},
};

constexpr std::string_view other_keys[] = {"exclusiveMinimum",
                                           "exclusiveMaximum",
                                           "uniqueItems",
                                           "pattern",
                                           "enum",
                                           "allOf",
                                           "anyOf",
                                           "oneOf",
                                           "not"};

bool has_constraints(View schema) {
  for (const CountKey& entry : count_keys) {
    if (schema[entry.key]) return true;
  }
  for (const NumberKey& entry : number_keys) {
    if (schema[entry.key]) return true;
  }
  for (const std::string_view key : other_keys) {
    if (schema[key]) return true;
  }
  return false;
}

}  // namespace

Result<> SchemaCompiler::read_constraints(NodeRecord& node, View schema, const Place& place) {
  if (!has_constraints(schema)) return {};
  Constraints read;
  for (const CountKey& entry : count_keys) {
    const View value = schema[entry.key];
    if (!value) continue;
    if (!value.is_integer()) {
      return Error::invalid("must be an integer", place.path.field(entry.key).to_string());
    }
    read.*entry.member = value.integer_or(-1);
  }
  for (const NumberKey& entry : number_keys) {
    const View value = schema[entry.key];
    if (!value) continue;
    if (!value.is_number()) {
      return Error::invalid("must be a number", place.path.field(entry.key).to_string());
    }
    read.*entry.member = value.real();
  }
  read.exclusive_minimum = schema["exclusiveMinimum"].boolean_or(false);
  read.exclusive_maximum = schema["exclusiveMaximum"].boolean_or(false);
  read.unique_items = schema["uniqueItems"].boolean_or(false);
  if (const auto pattern = schema["pattern"].string(); pattern && !pattern->empty()) {
    read.pattern = TRY(read_pattern(*pattern, place));
  }
  const View choices = schema["enum"];
  if (choices.size() > schema_enum_values_max) {
    return Error::too_large(fmt::format("must have at most {} values", schema_enum_values_max),
                            place.path.field("enum").to_string());
  }
  for (View choice : choices.elements()) read.choices.push_back(Value::copy_of(choice));
  TRY(read_branches(read, schema, place));
  node.constraints = static_cast<std::uint32_t>(tables_->constraints.size());
  tables_->constraints.push_back(std::move(read));
  return {};
}

Result<> SchemaCompiler::read_branches(Constraints& into, View schema, const Place& place) {
  struct Branch {
    std::string_view key;
    std::vector<std::uint32_t>* list;
  };
  const Branch branches[] = {
      {"allOf", &into.all_of}, {"anyOf", &into.any_of}, {"oneOf", &into.one_of}};
  for (const Branch& branch : branches) {
    const PathFrame parent = place.path.field(branch.key);
    std::size_t index = 0;
    for (View entry : schema[branch.key].elements()) {
      branch.list->push_back(TRY(child(entry, place, parent.element(index++))));
    }
  }
  if (const View entry = schema["not"]) {
    into.not_of = TRY(child(entry, place, place.path.field("not")));
  }
  return {};
}

Result<std::uint32_t> SchemaCompiler::read_pattern(std::string_view text, const Place& place) {
  const PathFrame path = place.path.field("pattern");
  if (text.size() > schema_pattern_bytes_max) {
    return Error::too_large(fmt::format("must have at most {} bytes", schema_pattern_bytes_max),
                            path.to_string());
  }
  for (std::uint32_t i = 0; i < tables_->patterns.size(); ++i) {
    if (tables_->patterns[i].text == text) return i;
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(schema_pattern_program_max);
  auto expression = std::make_unique<re2::RE2>(re2::StringPiece(text.data(), text.size()), options);
  if (!expression->ok()) {
    return Error::invalid(
        fmt::format("must be a valid regular expression, but isn't: error parsing regexp: {}",
                    expression->error()),
        path.to_string());
  }
  tables_->patterns.push_back({std::string(text), std::move(expression)});
  return static_cast<std::uint32_t>(tables_->patterns.size() - 1);
}

Result<> SchemaCompiler::read_rules(NodeRecord& node, View schema, const Place& place) {
  const View rules = schema["x-kubernetes-validations"];
  node.rules = static_cast<std::uint32_t>(tables_->rules.size());
  const PathFrame parent = place.path.field("x-kubernetes-validations");
  std::size_t index = 0;
  for (View rule : rules.elements()) {
    if (tables_->rules.size() >= schema_rules_max) {
      return Error::too_large(fmt::format("must have at most {} rules", schema_rules_max),
                              parent.to_string());
    }
    tables_->rules.push_back(TRY(compile_rule(rule, parent.element(index++))));
  }
  node.rule_count = static_cast<std::uint32_t>(rules.size());
  return {};
}

}  // namespace muster::objects
