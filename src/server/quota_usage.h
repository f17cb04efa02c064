// What objects use of a ResourceQuota: which names a kind counts under, how much one object counts,
// and whether a quota's scopes hold for it. Pure functions; the sums are in server/quota_book.h.
// What pods count under is in core/model/quota_pod.h: the scheduler foresees what is counted here.
//
//   if (matches(hard, scopes, kind, object)) add(used, quota_usage(kind, object));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/quota_pod.h"
#include "objects/kind_registry.h"
#include "objects/value.h"
#include "server/resource_list.h"
#include "server/target.h"

namespace muster::server {

using core::quota_scopes;
using core::QuotaScope;

// Whether objects of the kind count under this name, such as `pods` or `count/jobs.batch`.
bool counts_under(const objects::Kind& kind, std::string_view resource);

// Of spec.hard, what is counted at all: names that some namespaced kind counts under.
bool is_counted(const objects::KindRegistry& registry, std::string_view resource);

// What one object uses, under every name it counts under.
ResourceList quota_usage(const objects::Kind& kind, objects::View object);

// Whether all scopes hold for the object.
bool scopes_hold(const std::vector<QuotaScope>& scopes, const objects::Kind& kind,
                 objects::View object);

// `must specify cpu for: c; memory for: c,d`, or nothing: containers have to say what quota counts.
std::string missing_requests(const std::vector<std::string>& resources, objects::View pod_spec);

// A pod with a deadline of its own, in the words of scopes.
bool is_terminating(objects::View pod);

}  // namespace muster::server
