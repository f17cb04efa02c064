// SPDX-License-Identifier: Apache-2.0
#include "objects/cel/cel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "objects/builder.h"
#include "objects/cel/checker.h"
#include "objects/cel/evaluator.h"
#include "objects/cel/functions.h"
#include "objects/cel/lexer.h"
#include "objects/cel/parser.h"

namespace muster::objects {

namespace {

using cel::Datum;
using cel::Kind;
using cel::Scratch;

constexpr std::array<View, 2> self_and_old(View self, View old_self) {
  return {self, old_self};
}

Error over_budget() {
  return Error::too_large(
      "validation failed due to running out of cost budget, no further validation rules will be "
      "run");
}

// Evaluates, charges the budget, and turns an error datum into an Error.
Result<Datum> run(const cel::Program& program, std::span<const View> variables, Scratch& scratch,
                  CelBudget& budget) {
  const Datum result = evaluate(program, variables, scratch);
  budget.spend(scratch.steps());
  if (scratch.exhausted()) return over_budget();
  if (result.is_error()) return Error::invalid(std::string(result.string()));
  return result;
}

std::uint64_t steps_allowed(const CelBudget& budget) {
  return std::min(budget.steps_left(), cel_steps_per_expression_max);
}

Error wrong_result(std::string_view wanted, Kind kind) {
  return Error::invalid(
      fmt::format("the expression must yield {}, not {}", wanted, type_value_name(kind)));
}

// A datum as JSON. The steps bound it, because shared lists may be larger than they look.
class Export {
 public:
  Export(Builder& builder, Scratch& scratch) : builder_(builder), scratch_(scratch) {}

  Result<Node> node(const Datum& datum) {
    if (!scratch_.spend(1)) return over_budget();
    switch (datum.kind) {
      case Kind::null:
        return Builder::null();
      case Kind::boolean:
        return Builder::boolean(datum.boolean);
      case Kind::integer:
        return Builder::integer(datum.integer);
      case Kind::real:
        if (!std::isfinite(datum.real)) return Error::invalid("JSON has no such number");
        return Builder::real(datum.real);
      case Kind::text:
        return text(datum.string());
      case Kind::type:
        return Builder::literal(type_value_name(datum.type));
      case Kind::duration:
      case Kind::timestamp:
      case Kind::quantity:
        return printed(datum);
      case Kind::list:
        return list(datum);
      case Kind::map:
        return map(datum);
      case Kind::dynamic:
      case Kind::error:
        break;
    }
    return Error::invalid("the expression has no value");
  }

 private:
  Result<Node> text(std::string_view value) {
    if (!scratch_.spend_text(value.size())) return over_budget();
    return builder_.text(value);
  }

  // As string() prints times, and as objects write quantities.
  Result<Node> printed(const Datum& datum) {
    if (datum.kind == Kind::quantity) return text(datum.quantity->to_string());
    const cel::Call call{scratch_, {&datum, 1}};
    return text(
        (datum.kind == Kind::duration ? text_of_duration(call) : text_of_timestamp(call)).string());
  }

  Result<Node> list(const Datum& datum) {
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < datum.size; ++i) nodes.push_back(TRY(node(datum.element(i))));
    return builder_.array(nodes);
  }

  Result<Node> map(const Datum& datum) {
    std::vector<Node::Member> members;
    for (std::size_t i = 0; i < datum.size; ++i) {
      const Datum key = datum.key_at(i);
      if (!key.is_text()) return Error::invalid("the keys of a JSON object are strings");
      const Node value = TRY(node(datum.value_at(i)));
      const Node name = TRY(text(key.string()));
      members.push_back({name, value});
    }
    return builder_.object(members);
  }

  Builder& builder_;
  Scratch& scratch_;
};

// See Program::optional_field.
std::string_view optional_field_of(const cel::Program& program) {
  const cel::Expression& root = program.expressions[program.root];
  if (root.operation != cel::Operation::logical_or) return {};
  const cel::Expression& first = program.child(root, 0);
  if (first.operation != cel::Operation::logical_not) return {};
  const cel::Expression& presence = program.child(first, 0);
  if (presence.operation != cel::Operation::presence || !presence.unescaped.empty()) return {};
  const cel::Expression& variable = program.child(presence, 0);
  const bool is_first = variable.operation == cel::Operation::identifier && variable.slot == 0;
  return is_first ? presence.name : std::string_view();
}

// The steps that evaluation takes to find that the optional field is absent: ||, !, has and v.
constexpr std::uint64_t optional_field_steps = 4;

Result<> check_result(const cel::Program& program, CelResult wanted) {
  const cel::Expression& root = program.expressions[program.root];
  const Kind expected = wanted == CelResult::boolean ? Kind::boolean : Kind::text;
  if (wanted == CelResult::any || root.kind == Kind::dynamic || root.kind == expected) return {};
  return Error::invalid(fmt::format("must evaluate to a {}", kind_name(expected)));
}

}  // namespace

Result<CelProgram> compile_cel(std::string_view source, const CelOptions& options) {
  if (source.size() > cel_source_bytes_max) {
    return Error::too_large(
        fmt::format("the expression is longer than {} bytes", cel_source_bytes_max));
  }
  auto program = std::make_shared<cel::Program>();
  program->source = source;
  program->variables = options.variables;
  TRY(cel::parse(*program));
  TRY(cel::check(*program, options.schemas));
  TRY(check_result(*program, options.result));
  program->optional_field = optional_field_of(*program);
  return CelProgram(std::move(program));
}

Result<bool> CelProgram::evaluate_bool(View self, View old_self, CelBudget& budget) const {
  const std::string_view optional = program_->optional_field;
  if (!optional.empty() && self.is_object() && steps_allowed(budget) > optional_field_steps &&
      !self[optional]) {
    budget.spend(optional_field_steps);
    return true;
  }
  Scratch scratch(steps_allowed(budget));
  const auto variables = self_and_old(self, old_self);
  const Datum result = TRY(run(*program_, variables, scratch, budget));
  if (result.kind != Kind::boolean) return wrong_result("bool", result.kind);
  return result.boolean;
}

Result<std::string> CelProgram::evaluate_string(View self, View old_self, CelBudget& budget) const {
  Scratch scratch(steps_allowed(budget));
  const auto variables = self_and_old(self, old_self);
  const Datum result = TRY(run(*program_, variables, scratch, budget));
  if (!result.is_text()) return wrong_result("string", result.kind);
  return std::string(result.string());
}

Result<Value> CelProgram::evaluate(std::span<const View> variables, CelBudget& budget) const {
  Scratch scratch(steps_allowed(budget));
  const Datum result = TRY(run(*program_, variables, scratch, budget));
  Builder builder;
  const Node root = TRY(Export(builder, scratch).node(result));
  return std::move(builder).finish(root);
}

bool CelProgram::mentions(std::string_view variable) const {
  const auto& names = program_->variables;
  const auto found = std::find(names.begin(), names.end(), variable);
  return found != names.end() &&
         program_->mentioned[static_cast<std::size_t>(found - names.begin())];
}

std::string_view CelProgram::result_kind() const {
  return kind_name(program_->expressions[program_->root].kind);
}

std::string_view CelProgram::source() const {
  return program_->source;
}

}  // namespace muster::objects
