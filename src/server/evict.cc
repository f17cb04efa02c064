// SPDX-License-Identifier: Apache-2.0
#include "server/evict.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "objects/label_selector.h"
#include "objects/metadata.h"
#include "server/body.h"
#include "server/commit.h"

namespace muster::server {

using objects::LabelSelector;
using objects::Value;
using objects::View;

namespace {

bool is_finished(View pod) {
  const std::string_view phase = pod["status"]["phase"].string_or("");
  return phase == "Succeeded" || phase == "Failed";
}

bool is_ready(View pod) {
  return objects::is_true(objects::condition(pod, "Ready"));
}

// A count, or a percentage of the expected pods, rounded up.
std::int64_t scaled(View value, std::int64_t of) {
  if (value.is_integer()) return value.integer_or(0);
  std::int64_t percent = 0;
  for (const char c : value.string_or("")) {
    if (c < '0' || c > '9' || percent > 1'000) break;
    percent = percent * 10 + (c - '0');
  }
  return (of * percent + 99) / 100;
}

bool selects(View budget, View pod) {
  const auto selector = LabelSelector::of(budget["spec"]["selector"]);
  return selector && selector->matches(objects::labels_of(pod));
}

std::vector<Value> budgets_of(Context& context, View pod) {
  std::vector<Value> out;
  const auto kind = context.registry.find_resource("policy", "poddisruptionbudgets");
  if (kind == nullptr) return out;
  for (const auto& [key, object] : context.cache.all_in(*kind, objects::namespace_of(pod))) {
    Value budget = context.trees.tree_of(object.bytes);
    if (selects(budget, pod)) out.push_back(std::move(budget));
  }
  return out;
}

Failure blocked(View budget, const Budget& counts) {
  Failure failure = failures::too_many_requests(
      "Cannot evict pod as it would violate the pod's disruption budget.", 0);
  failure.details->causes.push_back(
      {"DisruptionBudget",
       fmt::format("The disruption budget {} needs {} healthy pods and has {} currently",
                   objects::name_of(budget), counts.desired, counts.healthy)});
  return failure;
}

// Whether the pod may go now.
Outcome<> check_budgets(Context& context, View pod) {
  const bool disrupts = !is_finished(pod) && !objects::is_being_deleted(pod) &&
                        pod["status"]["phase"].string_or("") != "Pending";
  if (!disrupts) return {};
  const std::vector<Value> budgets = budgets_of(context, pod);
  if (budgets.empty()) return {};
  if (budgets.size() > 1) {
    Failure failure;
    failure.reason = "InternalError";
    failure.message =
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
        "support.";
    return failure;
  }
  const Value& budget = budgets.front();
  const Budget counts = budget_of(context, budget);
  if (!is_ready(pod)) {
    const bool always = budget["spec"]["unhealthyPodEvictionPolicy"].string_or("") == "AlwaysAllow";
    if (always || (counts.healthy >= counts.desired && counts.desired > 0)) return {};
  }
  if (counts.allowed() > 0) return {};
  return blocked(budget, counts);
}

}  // namespace

Budget budget_of(Context& context, View budget) {
  Budget counts;
  const auto pods = context.registry.find_resource("", "pods");
  for (const auto& [key, object] : context.cache.all_in(*pods, objects::namespace_of(budget))) {
    const Value pod = context.trees.tree_of(object.bytes);
    if (!selects(budget, pod) || is_finished(pod)) continue;
    ++counts.expected;
    if (is_ready(pod) && !objects::is_being_deleted(pod)) ++counts.healthy;
  }
  const View most = budget["spec"]["maxUnavailable"];
  if (most && !most.is_null()) {
    const std::int64_t least = counts.expected - scaled(most, counts.expected);
    counts.desired = least > 0 ? least : 0;
  } else {
    counts.desired = scaled(budget["spec"]["minAvailable"], counts.expected);
  }
  return counts;
}

void evict(Context& context, WriteRequest request, WriteAnswer done) {
  const Target& target = request.target;
  const auto refuse = [&](Failure failure) {
    answer_later(context, std::move(done), std::move(failure));
  };
  const std::string_view name = objects::name_of(request.body);
  if (name != target.name) {
    return refuse(Error::bad_request("name in URL does not match name in Eviction object"));
  }
  const Present now = present(context, target);
  if (!now) return refuse(not_found(target));
  if (auto allowed = check_budgets(context, now.tree); !allowed) {
    return refuse(std::move(allowed).error());
  }
  auto removal = delete_options(request.body["deleteOptions"]);
  if (!removal) return refuse(std::move(removal).error());
  removal->target = target;
  removal->target.subresource.clear();
  removal->identity = request.identity;
  removal->dry_run = removal->dry_run || request.dry_run;
  if (removal->preconditions.uid.empty()) removal->preconditions.uid = now.cached->uid;
  remove(context, std::move(removal).take(),
         [done = std::move(done)](Outcome<Written> removed) mutable {
           if (removed) removed->created = true;
           done(std::move(removed));
         });
}

}  // namespace muster::server
