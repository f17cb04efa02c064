// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <string>

#include "objects/cel/cel.h"
#include "objects/json.h"
#include "tests/suites/arbitrary_value.h"

namespace muster::objects {
namespace {

// An expression that compiles or not, of every operator there is.
std::string some_expression(int depth) {
  if (depth == 0) {
    return *rc::gen::element<std::string>("self", "self.a", "self.b[0]", "1", "-2", "1.5", "'x'",
                                          "true", "false", "null", "[]", "[1, 2]", "{'a': 1}",
                                          "self.a.b", "9223372036854775807", "''", "x");
  }
  const auto shape = *rc::gen::element<std::string>(
      "(%) + (%)", "(%) - (%)", "(%) * (%)", "(%) / (%)", "(%) % (%)", "(%) == (%)", "(%) != (%)",
      "(%) < (%)", "(%) >= (%)", "(%) && (%)", "(%) || (%)", "!(%)", "-(%)", "(%) ? (%) : (%)",
      "(%) in (%)", "size(%)", "string(%)", "int(%)", "(%).all(x, %)", "(%).exists(x, %)",
      "(%).exists_one(x, %)", "(%).map(x, %)", "(%).filter(x, %)", "[%, %]", "{'k': %}",
      "has((%).a)", "(%)[%]", "(%).matches('x')", "(%).split(%)", "(%).substring(%, %)",
      "(%).replace(%, %)", "(%).join(%)", "type(%)", "dyn(%)", "(%).indexOf(%)");
  std::string text;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool is_operator = shape[i] == '%' && i > 0 && shape[i - 1] == ' ' &&
                             i + 1 < shape.size() && shape[i + 1] == ' ';
    if (shape[i] == '%' && !is_operator) {
      text += some_expression(depth - 1);
    } else {
      text.push_back(shape[i]);
    }
  }
  return text;
}

// A truth value: true, false or an error.
std::string some_truth() {
  return *rc::gen::element<std::string>("true", "false", "self.missing", "(1 / 0 == 1)",
                                        "dyn('no truth')");
}

std::string answer(const std::string& source, View self) {
  const auto program = compile_cel(source, {.result = CelResult::any});
  if (!program) return "refused: " + program.error().message;
  CelBudget budget(100'000);
  const auto result = program->evaluate(std::array{self, View()}, budget);
  const std::string left = " with " + std::to_string(budget.steps_left());
  return (result ? to_json(*result) : "error: " + result.error().message) + left;
}

bool is_error(const std::string& source) {
  return answer(source, Value::object({})).starts_with("error: ");
}

std::string truth(const std::string& source) {
  const std::string text = answer(source, Value::object({}));
  return text.substr(0, text.find(" with "));
}

RC_GTEST_PROP(CelProperty, expressions_end_and_answer_the_same_twice, ()) {
  const std::string source = some_expression(*rc::gen::inRange(0, 5));
  const Value self = *rc::gen::arbitrary<Value>();
  RC_ASSERT(answer(source, self) == answer(source, self));
}

RC_GTEST_PROP(CelProperty, and_and_or_do_not_care_about_order, ()) {
  const std::string a = some_truth();
  const std::string b = some_truth();
  for (const std::string operation : {" && ", " || "}) {
    const std::string there = a + operation + b;
    const std::string back = b + operation + a;
    RC_ASSERT(is_error(there) == is_error(back));
    if (!is_error(there)) RC_ASSERT(truth(there) == truth(back));
  }
}

RC_GTEST_PROP(CelProperty, de_morgan_holds_where_there_is_an_answer, ()) {
  const std::string a = some_truth();
  const std::string b = some_truth();
  const std::string outside = "!(" + a + " && " + b + ")";
  const std::string inside = "!(" + a + ") || !(" + b + ")";
  RC_ASSERT(is_error(outside) == is_error(inside));
  if (!is_error(outside)) RC_ASSERT(truth(outside) == truth(inside));
}

RC_GTEST_PROP(CelProperty, an_operand_that_decides_hides_every_error, ()) {
  const std::string error = some_truth();
  RC_ASSERT(truth(error + " || true") == "true");
  RC_ASSERT(truth("false && " + error) == "false");
}

RC_GTEST_PROP(CelProperty, quantifiers_are_chains_of_operators, ()) {
  const auto truths = *rc::gen::container<std::vector<bool>>(rc::gen::arbitrary<bool>());
  std::string list = "[";
  std::string all = "true";
  std::string any = "false";
  for (const bool each : truths) {
    const std::string text = each ? "true" : "false";
    list += (list.size() == 1 ? "" : ", ") + text;
    all += " && " + text;
    any += " || " + text;
  }
  list += "]";
  RC_ASSERT(truth(list + ".all(x, x)") == truth(all));
  RC_ASSERT(truth(list + ".exists(x, x)") == truth(any));
  RC_ASSERT(truth("size(" + list + ".filter(x, x)) == 1") == truth(list + ".exists_one(x, x)"));
}

RC_GTEST_PROP(CelProperty, any_object_equals_itself, (const Value& value)) {
  CelBudget budget;
  const CelProgram rule = compile_cel("self == oldSelf").must();
  RC_ASSERT(rule.evaluate_bool(value, Value::copy_of(value), budget).must());
}

RC_GTEST_PROP(CelProperty, no_text_does_any_harm, (const std::string& text)) {
  (void)compile_cel(text);
}

}  // namespace
}  // namespace muster::objects
