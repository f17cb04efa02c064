// What Kueue's webhooks ask of the quotas that ClusterQueues and Cohorts share: resource groups,
// limits, and the weight of fair sharing.
//
//   check_resource_groups(spec["resourceGroups"], rules, report);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "core/queueing/webhook_report.h"
#include "objects/value.h"

namespace muster::core {

struct QuotaRules {
  bool has_parent = false;
  bool lends_within_nominal = false;  // a ClusterQueue lends no more than its own
  std::string_view parent_word;       // what an empty parent is called: cohort, parent
};

void check_resource_groups(objects::View groups, const QuotaRules& rules, WebhookReport& report);
void check_fair_sharing(objects::View fair_sharing, WebhookReport& report);

// The flavors of all groups, by name.
std::set<std::string_view> all_flavors(objects::View groups);

}  // namespace muster::core
