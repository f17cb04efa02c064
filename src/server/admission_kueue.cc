// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/queueing/validate_kueue.h"
#include "server/admission.h"

// What Kueue's webhooks ask beyond the schemas and expressions of its CRDs.

namespace muster::server {

Outcome<> admit_kueue(Admission& admission) {
  // A webhook is not asked about what the schema has refused.
  if (!admission.errors.empty()) return {};
  core::WebhookReport report = core::check_kueue({.kind = admission.target.kind->kind,
                                                  .object = admission.object,
                                                  .old_object = admission.old_object,
                                                  .is_status = admission.target.is_status()});
  admission.errors.add_all(std::move(report.errors));
  for (core::FieldWarning& warning : report.warnings) {
    admission.warnings.push_back(std::move(warning.message));
  }
  return {};
}

}  // namespace muster::server
