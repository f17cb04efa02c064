// The ClusterRoles that come with Kueue, under the names that its release gives them: one to edit
// and one to view each of its kinds and each kind of job, and kueue-batch-admin-role and
// kueue-batch-user-role, which are made of them by aggregation. Charts and guides bind them.
//
//   for (Value& role : kueue_roles()) objects.push_back(std::move(role));
//
// Assumes: nothing. Those that are aggregated come last, with their rules.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "objects/value.h"

namespace muster::server {

std::vector<objects::Value> kueue_roles();

}  // namespace muster::server
