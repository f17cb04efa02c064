// CEL: the rules that CRDs carry (x-kubernetes-validations). An expression is compiled once into
// an immutable program, which any number of threads may evaluate against objects at the same
// time. Values are read from the object in place.
//
//   auto rule = TRY(compile_cel("!has(oldSelf.queue) || self.queue == oldSelf.queue"));
//   if (rule.mentions("oldSelf") && old.is_absent()) …      // a transition rule, on create
//   CelBudget budget;                                       // one for all rules of an object
//   bool holds = TRY(rule.evaluate_bool(workload, old_workload, budget));
//
// Assumes: where no schema is at hand, types are those of the JSON value, and what a schema would
// have refused at compile time is refused at evaluation (docs/decisions/0013-own-cel.md). An
// error of evaluation has code `invalid` and cel-go's words (`no such key: x`); an exhausted
// budget has code `too_large`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/limits.h"
#include "objects/value.h"

namespace muster::objects {

namespace cel {
struct Program;
}

enum class CelResult : std::uint8_t { boolean, text, any };

struct CelOptions {
  // The names an expression may use, in the order in which evaluation receives their values.
  std::vector<std::string> variables = {"self", "oldSelf"};
  // An expression that is known to yield another type does not compile.
  CelResult result = CelResult::boolean;
  // The OpenAPI schemas of the variables, in their order, as far as they are known: what cannot be
  // right by them does not compile. They must live as long as compile_cel runs.
  std::vector<View> schemas = {};
};

// How much evaluation one object may cost, counted in steps: about one for each operation and
// for each ten bytes of text that it touches.
class CelBudget {
 public:
  explicit CelBudget(std::uint64_t steps = cel_steps_per_object_max) : steps_left_(steps) {}

  std::uint64_t steps_left() const { return steps_left_; }
  void spend(std::uint64_t steps) { steps_left_ -= steps < steps_left_ ? steps : steps_left_; }

 private:
  std::uint64_t steps_left_;
};

class CelProgram {
 public:
  // The rule's answer; an error when it yields anything but a boolean. An absent view is a
  // variable without a value: using it is an error of evaluation.
  Result<bool> evaluate_bool(View self, View old_self, CelBudget& budget) const;

  // What a messageExpression yields.
  Result<std::string> evaluate_string(View self, View old_self, CelBudget& budget) const;

  // Any result as a JSON value. `variables` are in the order of CelOptions::variables.
  Result<Value> evaluate(std::span<const View> variables, CelBudget& budget) const;

  // Whether the expression uses the variable: a rule that mentions oldSelf is a transition rule.
  bool mentions(std::string_view variable) const;

  // What it yields, as far as that is known without the object: `bool`, `int`, `dyn`.
  std::string_view result_kind() const;

  std::string_view source() const;

 private:
  friend Result<CelProgram> compile_cel(std::string_view source, const CelOptions& options);
  explicit CelProgram(std::shared_ptr<const cel::Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const cel::Program> program_;
};

// Errors have code `invalid` and read as cel-go's do: the place, the complaint, the line and a
// mark below it. A source beyond cel_source_bytes_max or cel_depth_max is `too_large`.
Result<CelProgram> compile_cel(std::string_view source, const CelOptions& options = {});

}  // namespace muster::objects
