// ValidationRule: one entry of x-kubernetes-validations, compiled. check_rules runs those of a
// whole object within one budget; transition rules (those that mention oldSelf) run where the old
// object has a matching part.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "objects/cel/cel.h"
#include "objects/field_error.h"
#include "objects/schema/tables.h"
#include "objects/value.h"

namespace muster::objects {

struct ValidationRule {
  CelProgram program;
  std::optional<CelProgram> message_expression;
  std::string message;     // what a violation says
  std::string short_text;  // what an error of evaluation quotes
  std::string field_path;  // relative to the node, without its first dot
  FieldError::Type type = FieldError::Type::invalid;
  bool is_transition = false;
  bool optional_old_self = false;
};

// Whether what was wrong before and has not changed passes, as in an API server, or counts again.
enum class Ratcheting : std::uint8_t { unchanged_passes, everything_counts };

// Runs the rules of one node after another, within one budget.
class RuleRun {
 public:
  RuleRun(const SchemaTables& tables, FieldErrors& errors,
          Ratcheting ratcheting = Ratcheting::unchanged_passes)
      : tables_(tables), errors_(errors), ratcheting_(ratcheting) {}

  // The budget is spent: nothing runs any more.
  bool stopped() const { return stopped_; }

  void run(const NodeRecord& node, View value, View old_value, const PathFrame& path);

 private:
  void run_one(const NodeRecord& node, const ValidationRule& rule, View value, View old_value,
               const PathFrame& path);
  void refuse_evaluation(const NodeRecord& node, const ValidationRule& rule, const Error& error,
                         const PathFrame& path);

  const SchemaTables& tables_;
  FieldErrors& errors_;
  Ratcheting ratcheting_;
  CelBudget budget_;
  bool stopped_ = false;
};

// Compiles one entry; errors carry the path below the given one.
Result<ValidationRule> compile_rule(View rule, const PathFrame& path);

// The rules of a custom object, in a walk of their own: they may rely on what the schema says.
// Rules of native types run while the Validator walks.
void check_rules(const SchemaTables& tables, std::uint32_t root, View object, View old_object,
                 FieldErrors& errors, Ratcheting ratcheting = Ratcheting::unchanged_passes);

}  // namespace muster::objects
