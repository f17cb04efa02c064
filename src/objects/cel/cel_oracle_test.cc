// SPDX-License-Identifier: Apache-2.0
// Every row of tests/oracle/cel.inc was evaluated by kube-apiserver's own CEL environment
// (k8s.io/apiserver 0.36.3, cel-go) with self and oldSelf dynamic. A row where Muster answers
// otherwise on purpose carries `ours` and `why`.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "objects/cel/cel.h"
#include "objects/json.h"
#include "tests/oracle/rows.h"

namespace muster::objects {
namespace {

constexpr std::string_view oracle_rows =
#include "tests/oracle/cel.inc"
    ;

constexpr std::string_view rule_rows =
#include "tests/oracle/cel_rules.inc"
    ;

// The oracle writes 1.0 as 1.
bool same_value(View a, View b) {
  if (a.is_number() && b.is_number()) return a.real() == b.real();
  if (!a.is_array() || !b.is_array() || a.size() != b.size()) return a == b;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_value(a[i], b[i])) return false;
  }
  return true;
}

// The place of a complaint: "ERROR: <input>:1:5".
std::string_view place(std::string_view complaint) {
  return complaint.substr(0, complaint.find(": ", complaint.find("<input>")));
}

void expect_complaint(const Error& error, std::string_view wanted) {
  // The parser generator's list of what it expected is not worth copying.
  if (wanted.find("Syntax error") != std::string_view::npos) {
    EXPECT_EQ(place(error.message), place(wanted));
  } else if (wanted.starts_with("program: ")) {
    EXPECT_EQ(error.message, wanted.substr(9));
  } else {
    EXPECT_EQ(error.message, wanted);
  }
}

void check_row(View row) {
  const View wanted = row["ours"] ? row["ours"] : row;
  const auto program = compile_cel(row["rule"].string_or(""), {.result = CelResult::any});
  const std::string_view compile_error = wanted["compile"].string_or("");
  const bool fails_at_compilation = !compile_error.empty() && !compile_error.starts_with("program");
  if (fails_at_compilation) {
    ASSERT_FALSE(program.has_value());
    return expect_complaint(program.error(), compile_error);
  }
  ASSERT_TRUE(program.has_value()) << program.error().message;
  CelBudget budget;
  const std::array<View, 2> variables = {row["self"], row["oldSelf"]};
  const auto result = program->evaluate(variables, budget);
  if (!compile_error.empty()) {
    ASSERT_FALSE(result.has_value()) << to_json(*result);
    return expect_complaint(result.error(), compile_error);
  }
  if (wanted["error"]) {
    ASSERT_FALSE(result.has_value()) << to_json(*result);
    EXPECT_EQ(result.error().message, wanted["error"].string_or(""));
    return;
  }
  const View value = wanted["result"] ? wanted["result"] : wanted["value"];
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_TRUE(same_value(*result, value)) << to_json(*result) << " for " << to_json(value);
}

TEST(CelOracle, every_row_evaluates_as_in_kube_apiserver) {
  for (const Value& row : testing::oracle_rows_of(oracle_rows)) {
    SCOPED_TRACE(to_json(row));
    check_row(row);
  }
}

// Every distinct rule in the CRDs of Kueue, JobSet, Kubeflow's trainer and training operator, and
// Volcano, against objects that keep it, break it and do not fit it.
TEST(CelOracle, every_rule_of_the_crds_evaluates_as_in_kube_apiserver) {
  for (const Value& row : testing::oracle_rows_of(rule_rows)) {
    SCOPED_TRACE(to_json(row));
    check_row(row);
  }
}

}  // namespace
}  // namespace muster::objects
