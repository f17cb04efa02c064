// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_policy.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace muster::cli {

using objects::View;

namespace {

Error wrong(std::string field, std::string message) {
  return Error::bad_request(std::move(message), std::move(field));
}

Result<> read_placement(View view, core::Policy& policy) {
  if (!view) return {};
  const auto placement = core::placement_of(view.string_or(""));
  if (!placement) return wrong("spec.placement", "must be none, checked or pinned");
  policy.placement = *placement;
  return {};
}

Result<> read_backfill(View view, core::Policy& policy) {
  if (!view) return {};
  const std::string_view name = view.string_or("");
  if (name != "none" && name != "reserve") return wrong("spec.backfill", "must be none or reserve");
  policy.backfill = name == "reserve" ? core::Backfill::reserve : core::Backfill::none;
  return {};
}

Result<> read_preemption_cost(View view, core::Policy& policy) {
  if (!view) return {};
  const std::string_view name = view.string_or("");
  if (name == "ignored") {
    policy.preemption_cost = core::PreemptionCost::ignored;
  } else if (name == "ties") {
    policy.preemption_cost = core::PreemptionCost::ties;
  } else if (name == "first") {
    policy.preemption_cost = core::PreemptionCost::first;
  } else {
    return wrong("spec.preemptionCost", "must be ignored, ties or first");
  }
  return {};
}

Result<> read_resource_quotas(View view, core::Policy& policy) {
  if (!view) return {};
  const std::string_view name = view.string_or("");
  if (name != "ignored" && name != "respected") {
    return wrong("spec.resourceQuotas", "must be ignored or respected");
  }
  policy.resource_quotas =
      name == "respected" ? core::ResourceQuotas::respected : core::ResourceQuotas::ignored;
  return {};
}

}  // namespace

Result<core::Policy> read_policy(const objects::Value& object) {
  core::Policy policy;
  policy.placement = core::Placement::none;
  policy.places_unmanaged_pods = false;
  policy.retries_every_head = true;
  policy.admits_on_credit = true;
  policy.drops_slice_remainders = true;
  policy.prefers_preemptors = false;
  policy.tells_everyone = false;
  policy.resource_quotas = core::ResourceQuotas::ignored;
  const View view = object.view();
  if (view.is_absent() || view.is_null()) return policy;
  if (view["apiVersion"].string_or("") != "muster.dev/v1alpha1") {
    return wrong("apiVersion", "must be muster.dev/v1alpha1");
  }
  if (view["kind"].string_or("") != "Policy") return wrong("kind", "must be Policy");
  for (const auto& [key, member] : view["spec"].members()) {
    if (key == "placement" || key == "backfill" || key == "preemptionCost" ||
        key == "resourceQuotas") {
      continue;
    }
    return wrong(fmt::format("spec.{}", key), "is a field that a Policy does not have");
  }
  TRY(read_placement(view["spec"]["placement"], policy));
  TRY(read_backfill(view["spec"]["backfill"], policy));
  TRY(read_preemption_cost(view["spec"]["preemptionCost"], policy));
  TRY(read_resource_quotas(view["spec"]["resourceQuotas"], policy));
  return policy;
}

}  // namespace muster::cli
