// Kueue's validating webhooks as one pure function: which kinds have one, and what it says.
//
//   const WebhookReport report = check_kueue({.kind = "ClusterQueue", .object = queue});
//   if (!report.errors.empty()) refuse(report.errors);
//
// Assumes: objects are v1beta2 with their defaults, and decode as Go's structs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/model/feature_gates.h"
#include "core/queueing/webhook_report.h"
#include "objects/value.h"

namespace muster::core {

struct WebhookRequest {
  std::string_view kind;
  objects::Value object;
  objects::Value old_object = {};  // absent on create
  bool is_status = false;          // a write of the status subresource
  FeatureGates gates = {};
};

WebhookReport check_kueue(const WebhookRequest& request);

// Fields that people write and no version of Kueue ever had, refused with the name of the right
// one. Pruning would drop them without a word, and the quota would not be what was meant.
objects::FieldErrors check_invented_fields(objects::View object);

}  // namespace muster::core
