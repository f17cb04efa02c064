// Webhooks: the admission of others. Mutating ones are called one after the other, each seeing what
// those before it made of the object; whoever asks for it is called once more when a later one has
// changed it. Validating ones are called all at once. Who cannot be asked refuses, unless its
// configuration says that it may be ignored. Kueue's are served in process (admission_job.cc and
// those beside it); what they are configured with is remembered here.
//
//   webhooks.change(admission, [](Outcome<> changed) { … });
//   webhooks.check(admission, [](Outcome<> checked) { … });
//
// Assumes: as admission_chain.h. Without any that match, the answer comes at once and nothing is
// allocated. Several may wait: nobody else does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "server/admission.h"
#include "server/admission_chain.h"
#include "server/context.h"
#include "server/kueue_rules.h"
#include "server/webhook_match.h"
#include "server/webhook_transport.h"

namespace muster::server {

class Webhooks {
 public:
  // Null: nobody can be asked, so that whoever must be asked refuses.
  Webhooks(Context& context, WebhookTransport* transport)
      : context_(context), transport_(transport) {}
  Webhooks(const Webhooks&) = delete;
  Webhooks& operator=(const Webhooks&) = delete;

  void change(Admission& admission, AdmitAnswer done);
  void check(Admission& admission, AdmitAnswer done);

  SharedConfiguration kueue_rules() { return kueue_rules_.current(context_); }

 private:
  struct Mutation;
  struct Validation;

  void next(std::unique_ptr<Mutation> mutation);

  Context& context_;
  WebhookTransport* transport_;
  KueueRules kueue_rules_;
};

}  // namespace muster::server
