// SPDX-License-Identifier: Apache-2.0
#include "objects/cel/cel.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "objects/json.h"

namespace muster::objects {
namespace {

Value json(std::string_view text) {
  return parse_json(text).must();
}

CelProgram any(std::string_view source) {
  return compile_cel(source, {.result = CelResult::any}).must();
}

std::string value_of(std::string_view source, std::string_view self = "null") {
  const Value object = json(self);
  CelBudget budget;
  return to_json(any(source).evaluate(std::array{object.view(), View()}, budget).must());
}

std::string error_of(std::string_view source, std::string_view self = "null") {
  const Value object = json(self);
  CelBudget budget;
  return any(source).evaluate(std::array{object.view(), View()}, budget).error().message;
}

std::string nested(std::size_t levels, std::string_view open, std::string_view inside,
                   std::string_view close) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) text += open;
  text += inside;
  for (std::size_t i = 0; i < levels; ++i) text += close;
  return text;
}

TEST(Cel, a_rule_answers_for_an_object) {
  const CelProgram rule = compile_cel("self.minCount <= self.count").must();
  CelBudget budget;
  EXPECT_TRUE(rule.evaluate_bool(json(R"({"minCount":1,"count":2})"), View(), budget).must());
  EXPECT_FALSE(rule.evaluate_bool(json(R"({"minCount":3,"count":2})"), View(), budget).must());
  EXPECT_EQ(rule.source(), "self.minCount <= self.count");
}

// Such rules are answered before evaluation begins; the answer and its price stay the same.
TEST(Cel, a_rule_about_an_absent_field_costs_what_its_evaluation_costs) {
  for (const std::string_view source :
       {"!has(self.a) || self.a > 1", "!has(self.a) || !has(self.b) || self.a > self.b",
        "!has(oldSelf.a) || self.a > 1", "!has(self.a__dash__b) || self.b > 2",
        "!has(self.b) || !has(self.a)"}) {
    for (const std::string_view object :
         {"{}", R"({"a":1})", R"({"a":null})", R"({"a-b":1})", R"({"a":2,"b":1})", "[]", "1"}) {
      const Value self = json(object);
      for (const std::uint64_t steps : {1U, 3U, 4U, 5U, 100U}) {
        CelBudget quick(steps);
        CelBudget whole(steps);
        const auto answer = compile_cel(source).must().evaluate_bool(self, self, quick);
        const auto evaluated = any(source).evaluate(std::array{self.view(), self.view()}, whole);
        SCOPED_TRACE(std::string(source) + " of " + std::string(object));
        EXPECT_EQ(quick.steps_left(), whole.steps_left());
        if (!evaluated || !answer) continue;
        EXPECT_EQ(*answer, evaluated->view().boolean_or(!*answer));
      }
    }
  }
}

TEST(Cel, a_transition_rule_mentions_old_self) {
  EXPECT_TRUE(compile_cel("self == oldSelf").must().mentions("oldSelf"));
  EXPECT_TRUE(compile_cel("has(oldSelf.a)").must().mentions("oldSelf"));
  EXPECT_FALSE(compile_cel("self.oldSelf == 'oldSelf'").must().mentions("oldSelf"));
  EXPECT_FALSE(compile_cel("self.all(oldSelf, oldSelf > 1)").must().mentions("oldSelf"));
}

TEST(Cel, a_rule_must_yield_a_boolean) {
  EXPECT_EQ(compile_cel("1 + 1").error().message, "must evaluate to a bool");
  CelBudget budget;
  const auto result = compile_cel("self.a").must().evaluate_bool(json(R"({"a":1})"), {}, budget);
  EXPECT_EQ(result.error().code, ErrorCode::invalid);
  EXPECT_EQ(result.error().message, "the expression must yield bool, not int");
}

// As cel-go does: what the types say first, and what literals say only when all types are right.
TEST(Cel, every_mistake_is_told_in_the_order_of_the_text) {
  EXPECT_EQ(compile_cel("foo(self.s) || 1 + 'a' > 1").error().message,
            "ERROR: <input>:1:4: undeclared reference to 'foo' (in container '')\n"
            " | foo(self.s) || 1 + 'a' > 1\n"
            " | ...^\n"
            "ERROR: <input>:1:18: found no matching overload for '_+_' applied to '(int, string)'\n"
            " | foo(self.s) || 1 + 'a' > 1\n"
            " | .................^");
  EXPECT_EQ(compile_cel("'a'.matches('[') && gone").error().message,
            "ERROR: <input>:1:21: undeclared reference to 'gone' (in container '')\n"
            " | 'a'.matches('[') && gone\n"
            " | ....................^");
  std::string many = "gone";
  for (int i = 0; i < 120; ++i) many += " || gone";
  const std::string told = compile_cel(many).error().message;
  EXPECT_TRUE(told.ends_with(" more errors were truncated")) << told.size();
}

TEST(Cel, a_message_expression_yields_text) {
  const CelProgram message =
      compile_cel("'found ' + string(self.n)", {.result = CelResult::text}).must();
  CelBudget budget;
  EXPECT_EQ(message.evaluate_string(json(R"({"n":7})"), View(), budget).must(), "found 7");
  EXPECT_EQ(compile_cel("true", {.result = CelResult::text}).error().message,
            "must evaluate to a string");
}

TEST(Cel, variables_have_the_names_they_were_given) {
  const CelProgram program =
      compile_cel("object.a == request.b", {.variables = {"object", "request"}}).must();
  const Value object = json(R"({"a":1})");
  const Value request = json(R"({"b":1})");
  CelBudget budget;
  EXPECT_EQ(to_json(program.evaluate(std::array{object.view(), request.view()}, budget).must()),
            "true");
  EXPECT_FALSE(compile_cel("self", {.variables = {"object"}}).has_value());
}

TEST(Cel, complaints_point_at_the_place) {
  EXPECT_EQ(compile_cel("self.a ==\n  other").error().message,
            "ERROR: <input>:2:3: undeclared reference to 'other' (in container '')\n |   other\n "
            "| ..^");
}

TEST(Cel, nesting_beyond_the_limit_is_refused_and_long_chains_are_not_nesting) {
  const auto refused = [](const std::string& source) {
    const auto program = compile_cel(source, {.result = CelResult::any});
    return !program.has_value() && program.error().code == ErrorCode::too_large;
  };
  EXPECT_TRUE(refused(nested(200, "(", "1", ")")));
  EXPECT_TRUE(refused(nested(200, "[", "1", "]")));
  EXPECT_TRUE(refused(nested(200, "!", "true", "")));
  EXPECT_TRUE(refused(nested(200, "", "self", ".a")));
  EXPECT_TRUE(refused(nested(200, "", "1", "+1")));
  EXPECT_TRUE(refused(nested(200, "true ? true : ", "true", "")));
  EXPECT_TRUE(refused(std::string(cel_source_bytes_max + 1, ' ')));
  EXPECT_EQ(value_of(nested(2000, "", "true", " && true")), "true");
  EXPECT_EQ(value_of(nested(cel_depth_max - 1, "", "1", "+1")), "100");
}

TEST(Cel, work_beyond_the_budget_is_refused) {
  const CelProgram rule =
      compile_cel("self.all(a, self.all(b, self.all(c, a + b + c >= 0)))").must();
  std::string numbers = "[0";
  for (int i = 1; i < 200; ++i) numbers += ",1";
  const Value object = json(numbers + "]");
  CelBudget budget;
  const auto result = rule.evaluate_bool(object, View(), budget);
  EXPECT_EQ(result.error().code, ErrorCode::too_large);
  EXPECT_EQ(budget.steps_left(), cel_steps_per_object_max - cel_steps_per_expression_max);
  // An error that exhaustion caused is not absorbed by what stands beside it.
  const CelProgram other = compile_cel("self.all(a, self.all(b, a < b)) || true").must();
  CelBudget small(10);
  EXPECT_EQ(other.evaluate_bool(object, View(), small).error().code, ErrorCode::too_large);
  EXPECT_EQ(small.steps_left(), 0U);
}

TEST(Cel, lists_that_share_their_elements_cannot_outgrow_the_budget) {
  // Forty doublings: a terabyte if it were walked.
  std::string source = "[1]";
  for (int i = 0; i < 40; ++i) source += ".map(x, [x, x])";
  const CelProgram program = any(source);
  CelBudget budget;
  EXPECT_EQ(program.evaluate(std::array{View(), View()}, budget).error().code,
            ErrorCode::too_large);
  const CelProgram equality = compile_cel(source + " == " + source).must();
  EXPECT_EQ(equality.evaluate_bool(View(), View(), budget).error().code, ErrorCode::too_large);
  std::string text = "['aaaaaaaaaaaaaaaa']";
  for (int i = 0; i < 40; ++i) text += ".map(x, x + x)";
  EXPECT_EQ(any(text).evaluate(std::array{View(), View()}, budget).error().code,
            ErrorCode::too_large);
}

TEST(Cel, errors_are_absorbed_by_an_operand_that_decides) {
  EXPECT_EQ(value_of("self.missing == 1 || true", "{}"), "true");
  EXPECT_EQ(value_of("self.missing == 1 && false", "{}"), "false");
  EXPECT_EQ(error_of("self.missing == 1 || false", "{}"), "no such key: missing");
  EXPECT_EQ(value_of("[1, 0].exists(x, 1 / (x - 1) == -1)"), "true");
}

TEST(Cel, a_whole_number_of_the_object_joins_a_double) {
  EXPECT_EQ(value_of("self.weight * 1.5", R"({"weight":3})"), "4.5");
  EXPECT_FALSE(compile_cel("(self.weight + 1) * 1.5 > 1.0").has_value());
}

TEST(Cel, a_variable_without_a_value_is_an_error_where_it_is_used) {
  CelBudget budget;
  const CelProgram rule = compile_cel("has(self.a) || oldSelf.b == 1").must();
  EXPECT_TRUE(rule.evaluate_bool(json(R"({"a":1})"), View(), budget).must());
  EXPECT_EQ(rule.evaluate_bool(json("{}"), View(), budget).error().message,
            "no such attribute(s): oldSelf");
}

TEST(Cel, a_program_is_shared_by_copying) {
  const CelProgram copy = [] { return compile_cel("self in ['a', 'b']").must(); }();
  CelBudget budget;
  EXPECT_TRUE(copy.evaluate_bool(json(R"("b")"), View(), budget).must());
}

}  // namespace
}  // namespace muster::objects
