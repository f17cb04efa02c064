// SPDX-License-Identifier: Apache-2.0
//
// Any expression on any object: an answer or a refusal, the same twice, and never more than the
// budget.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "objects/cel/cel.h"
#include "objects/json.h"

namespace {

// Enough for every branch, little enough for many runs a second.
constexpr std::uint64_t steps_max = 20'000;

}  // namespace

// The first line is self, the rest the expression.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace muster::objects;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  const auto object = parse_json(text.substr(0, line));
  const auto program = compile_cel(text.substr(line + 1), {.result = CelResult::any});
  if (!object || !program) return 0;
  const std::array<View, 2> variables = {object->view(), object->view()};
  CelBudget first(steps_max);
  CelBudget second(steps_max);
  const auto once = program->evaluate(variables, first);
  const auto twice = program->evaluate(variables, second);
  CHECK(once.has_value() == twice.has_value());
  CHECK(first.steps_left() == second.steps_left());
  if (once) {
    CHECK(once->view() == twice->view());
  } else {
    CHECK(once.error() == twice.error());
  }
  return 0;
}
