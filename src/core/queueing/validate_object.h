// The whole judgement of one object, as an API server with Kueue's CRDs and webhooks would reach
// it: what the schema asks, what its expressions ask, what the webhook asks. Where a server stops
// at the first of the three, this names everything.
//
//   const auto verdict = TRY(validate_object(registry, {.object = queue, .old_object = before}));
//   if (!verdict.is_valid()) …
//
// An object whose values do not even decode has only the schema's errors: the others cannot be
// asked. Of the object's own metadata only what is there is looked at: a name that is missing may
// come later. Kinds other than Kueue's are judged by their schema, and Jobs also by what a queue
// asks of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/feature_gates.h"
#include "core/queueing/webhook_report.h"
#include "objects/field_error.h"
#include "objects/kind_registry.h"
#include "objects/value.h"

namespace muster::core {

struct ValidationRequest {
  objects::Value object;
  objects::Value old_object = {};  // absent: the object is created
  FeatureGates gates = {};
};

struct Verdict {
  std::vector<objects::FieldError> errors;
  std::vector<FieldWarning> warnings;

  bool is_valid() const { return errors.empty(); }
};

// {"valid", "errors": [{"field", "type", "message"}], "warnings": [{"field", "message"}]}
objects::Value document_of(const Verdict& verdict);

// Fails for what is no object of a known kind.
Result<Verdict> validate_object(const objects::KindRegistry& registry,
                                const ValidationRequest& request);

}  // namespace muster::core
