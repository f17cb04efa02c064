// AdmissionReview: what a webhook is asked and how its answer is read. Pure functions of values.
//
//   Value review = ALLOWED(admission_review(webhook, admission, uid));
//   WebhookVerdict verdict = TRY(read_verdict(reply, uid));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/value.h"
#include "server/admission.h"
#include "server/outcome.h"
#include "server/webhook_match.h"
#include "store/store.h"

namespace muster::server {

// The revision is that of the object that is there; none on create.
Outcome<objects::Value> admission_review(const Webhook& webhook, const Admission& admission,
                                         std::string_view uid, store::Revision revision);

struct WebhookVerdict {
  bool allowed = false;
  std::optional<Failure> refusal = {};  // where it is not
  std::string patch = {};               // a JSON patch, as text; empty: none
  std::vector<std::string> warnings = {};
};

// An error says what is wrong with the answer itself.
Result<WebhookVerdict> read_verdict(std::string_view body, std::string_view uid,
                                    const Webhook& webhook);

}  // namespace muster::server
