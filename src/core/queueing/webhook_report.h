// WebhookReport: what Kueue's admission webhooks say about one object, in their words: errors as a
// Status has them, and warnings. Kueue's webhooks see Go structs, so absent texts are "", null is
// absent and quantities print canonically (objects/go_structs.h).
//
//   WebhookReport report;
//   report.invalid("spec.fairSharing", quoted(amount), "must be greater than or equal to 0");
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "objects/field_error.h"
#include "objects/value.h"

namespace muster::core {

struct FieldWarning {
  std::string field;
  std::string message;
};

struct WebhookReport {
  objects::FieldErrors errors;
  std::vector<FieldWarning> warnings;

  // The value as it prints: quoted(), word(), or a number's digits.
  void invalid(std::string path, std::string value, std::string detail);
};

// A string as Go's %q prints it, and a string type of its own, which prints as JSON.
std::string quoted(std::string_view text);
std::string word(std::string_view text);

bool is_set(objects::View value);  // neither absent nor null

// Zero where it is absent or no quantity.
Quantity amount_of(objects::View value);

inline constexpr std::string_view not_negative = "must be greater than or equal to 0";
void check_not_negative(objects::View value, const std::string& path, WebhookReport& report);

}  // namespace muster::core
