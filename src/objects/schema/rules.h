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

// Compiles one entry; errors carry the path below the given one.
Result<ValidationRule> compile_rule(View rule, const PathFrame& path);

void check_rules(const SchemaTables& tables, std::uint32_t root, View object, View old_object,
                 FieldErrors& errors);

}  // namespace muster::objects
