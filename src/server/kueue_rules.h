// KueueRules: Kueue's Configuration as admission needs it, from the ConfigMap that the controllers
// follow too (kueue-system/kueue-manager-config). The text is read once for each change of it. One
// that cannot be read changes nothing (the controllers say so on it); where there is none, Kueue's
// defaults hold.
//
//   const auto rules = kueue_rules(context);
//   if (rules->jobs.without_queue_name) …
//
// Assumes: the house thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/model/configuration.h"
#include "server/context.h"
#include "store/store.h"

namespace muster::server {

using SharedConfiguration = std::shared_ptr<const core::Configuration>;

class KueueRules {
 public:
  SharedConfiguration current(Context& context);

 private:
  store::Revision seen_ = {};
  SharedConfiguration rules_ = std::make_shared<const core::Configuration>();
};

// As the server's webhooks remember them; read anew where a server has none.
SharedConfiguration kueue_rules(Context& context);

}  // namespace muster::server
