// What a ResourceQuota sees of a pod: what it uses under the names of quotas, the scopes that hold
// for it, and what its containers leave unsaid. The same for a pod that is there and for one that a
// template would make, so that the server, which counts, and the scheduler, which foresees, agree.
//
//   const QuotaPod pod = quota_pod_of(object, names);            // a pod that is there
//   const QuotaPod next = quota_pod_of_template(spec, resources, default_class, names);
//   if (holds_for(limits, pod)) …                                // it counts against that quota
//
// Assumes: objects were admitted by their schema; a quantity that cannot be read counts as nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "core/model/effective_requests.h"
#include "core/model/resource_names.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core {

inline constexpr objects::Resource resource_quotas{"", "v1", "resourcequotas", "ResourceQuota"};

// Amounts by name, as `spec.hard` has them.
using QuotaAmounts = std::map<std::string, Quantity, std::less<>>;

// One condition of spec.scopes or spec.scopeSelector.
struct QuotaScope {
  std::string name;
  std::string operation;  // In, NotIn, Exists, DoesNotExist
  std::vector<std::string> values;

  friend bool operator==(const QuotaScope&, const QuotaScope&) = default;
};
std::vector<QuotaScope> quota_scopes(objects::View quota_spec);

// Of a value that may be empty, as a label selector of one requirement.
bool value_holds(const QuotaScope& scope, std::string_view value);

// Whether pods count under this name. `count/pods` is asked for by its whole name elsewhere.
bool counts_pods_under(std::string_view resource);

// Amounts of a container, or of a pod in total, under the names of quotas, and one of `pods`.
QuotaAmounts under_quota_names(const QuotaAmounts& requests, const QuotaAmounts& limits);

// A container has to state these where a quota counts them.
bool must_be_stated(std::string_view resource);

// By resource, the containers that do not state it.
using Unstated = std::map<std::string, std::set<std::string>>;
// `must specify cpu for: c; memory for: c,d`, or nothing.
std::string unstated_text(const Unstated& unstated);

struct QuotaPod {
  QuotaAmounts usage = {};
  bool is_terminating = false;  // has a deadline of its own
  bool is_best_effort = false;
  bool has_far_affinity = false;  // to pods of other namespaces
  std::string priority_class = {};
  Unstated unstated = {};

  friend bool operator==(const QuotaPod&, const QuotaPod&) = default;
};

// A pod without a usage is one that cannot be read.
QuotaPod quota_pod_of(objects::View pod, ResourceNames& names);

// `resources`: of the template after LimitRanges and overhead (effective_requests.h). A pod without
// a priority class gets the cluster's default one.
QuotaPod quota_pod_of_template(objects::View spec, const PodSpecResources& resources,
                               std::string_view default_priority_class, const ResourceNames& names);

bool scope_holds(const QuotaScope& scope, const QuotaPod& pod);

// Affinity to pods of other namespaces.
bool reaches_other_namespaces(objects::View pod_spec);

// What one ResourceQuota allows, of the names that pods count under.
struct QuotaLimits {
  QuotaAmounts hard = {};
  std::vector<QuotaScope> scopes = {};

  friend bool operator==(const QuotaLimits&, const QuotaLimits&) = default;
};
QuotaLimits read_quota_limits(objects::View quota);

bool holds_for(const QuotaLimits& limits, const QuotaPod& pod);

// `cpu=1,memory=2Gi`
std::string amounts_text(const QuotaAmounts& amounts);

}  // namespace muster::core
