// Verbs on the little languages: selectors, JSONPath, CEL.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "objects/cel/cel.h"
#include "objects/field_selector.h"
#include "objects/json_path.h"
#include "objects/label_selector.h"
#include "tests/scenarios/scenario.h"

namespace muster::scenarios {

namespace {

using objects::Value;
using objects::View;

// given: {text or selector, labels}; expect: {prints, matches}.
Result<Value> select_by_labels(const Value& scenario) {
  const View given = scenario["given"];
  const auto selector = given["text"]
                            ? TRY(objects::LabelSelector::parse(given["text"].string_or("")))
                            : TRY(objects::LabelSelector::of(given["selector"]));
  return Value::object({{"prints", Value::string(selector.to_string())},
                        {"matches", Value::boolean(selector.matches(given["labels"]))}});
}

// given: {text, object, supported}; expect: {prints, matches}.
Result<Value> select_by_fields(const Value& scenario) {
  const View given = scenario["given"];
  const auto selector = TRY(objects::FieldSelector::parse(given["text"].string_or("")));
  std::vector<std::string_view> supported;
  for (const View field : given["supported"].elements()) supported.push_back(field.string_or(""));
  if (given["supported"]) TRY(selector.check_supported(supported));
  return Value::object({{"prints", Value::string(selector.to_string())},
                        {"matches", Value::boolean(selector.matches(given["object"]))}});
}

// given: {template or column, object}; expect: what is printed.
Result<Value> print_json_path(const Value& scenario) {
  const View given = scenario["given"];
  const auto path = given["column"]
                        ? TRY(objects::JsonPath::parse_column(given["column"].string_or("")))
                        : TRY(objects::JsonPath::parse(given["template"].string_or(""),
                                                       objects::MissingKeys::allow));
  return Value::string(TRY(path.print(given["object"])));
}

// given: {rule, self, oldSelf}; expect: the value of the expression.
Result<Value> evaluate_cel(const Value& scenario) {
  const View given = scenario["given"];
  const auto program =
      TRY(objects::compile_cel(given["rule"].string_or(""), {.result = objects::CelResult::any}));
  objects::CelBudget budget;
  return program.evaluate(std::array{given["self"], given["oldSelf"]}, budget);
}

constexpr NamedVerb verbs[] = {{"select-by-labels", select_by_labels},
                               {"select-by-fields", select_by_fields},
                               {"print-json-path", print_json_path},
                               {"evaluate-cel", evaluate_cel}};

}  // namespace

std::span<const NamedVerb> language_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
