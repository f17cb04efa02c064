// SPDX-License-Identifier: Apache-2.0
#include "server/evict.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/timestamp.h"
#include "objects/admit.h"
#include "objects/metadata.h"
#include "server/body.h"
#include "server/commit.h"
#include "server/disruption.h"
#include "server/limits.h"
#include "server/stored_object.h"

namespace muster::server {

using objects::Value;
using objects::View;

namespace {

struct Eviction {
  Context& context;
  RemoveRequest removal;
  WriteAnswer done;
  int attempts = 0;
};

void attempt(std::unique_ptr<Eviction> eviction);

void answer(std::unique_ptr<Eviction> eviction, Outcome<Written> outcome) {
  Context& context = eviction->context;
  answer_later(context, std::move(eviction->done), std::move(outcome));
}

// A pod that has ended, or has not begun, disrupts nobody when it goes.
bool may_always_go(View pod) {
  const std::string_view phase = pod["status"]["phase"].string_or("");
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" ||
         objects::is_being_deleted(pod);
}

std::vector<CachedObject> budgets_of(Context& context, View pod) {
  std::vector<CachedObject> out;
  const auto kind = context.registry.find_resource("policy", "poddisruptionbudgets");
  if (kind == nullptr) return out;
  for (const auto& [key, object] : context.cache.all_in(*kind, objects::namespace_of(pod))) {
    if (selects(context.trees.tree_of(object.bytes), pod)) out.push_back(object);
  }
  return out;
}

Failure more_than_one_budget() {
  Failure failure;  // the peer says so without a reason
  failure.message =
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
      "support.";
  return failure;
}

// Why a budget forbids it. One that could never be counted is a budget that nobody has looked at.
std::string why_blocked(View budget, const Disruption& counted, bool was_counted) {
  const std::string about = fmt::format("The disruption budget {} ", objects::name_of(budget));
  if (!counted.trouble.empty()) {
    if (!was_counted) return about + "is still being processed by the server.";
    return about +
           "does not allow evicting pods currently because it failed sync: " + counted.trouble;
  }
  if (counted.healthy > counted.desired) return about + "does not allow evicting pods currently";
  return about + fmt::format("needs {} healthy pods and has {} currently", counted.desired,
                             counted.healthy);
}

Failure blocked(View budget, const Disruption& counted) {
  constexpr int unseen_retry_seconds = 10;
  const bool was_counted =
      budget["status"]["observedGeneration"].integer_or(0) >= objects::generation_of(budget);
  const bool is_unseen = !counted.trouble.empty() && !was_counted;
  Failure failure = failures::too_many_requests(
      "Cannot evict pod as it would violate the pod's disruption budget.",
      is_unseen ? unseen_retry_seconds : 0);
  failure.details->causes.push_back(
      {"DisruptionBudget", why_blocked(budget, counted, was_counted)});
  return failure;
}

// A pod that is not ready is not what the budget protects, as long as enough others are.
bool goes_unhealthy(View budget, View pod, const Disruption& counted) {
  if (is_ready_pod(pod)) return false;
  return budget["spec"]["unhealthyPodEvictionPolicy"].string_or("") == "AlwaysAllow" ||
         (counted.trouble.empty() && counted.healthy >= counted.desired && counted.desired > 0);
}

void delete_pod(std::unique_ptr<Eviction> eviction) {
  Context& context = eviction->context;
  RemoveRequest removal = std::move(eviction->removal);
  remove(context, std::move(removal),
         [eviction = std::move(eviction)](Outcome<Written> removed) mutable {
           if (removed) removed->created = true;
           eviction->done(std::move(removed));
         });
}

// Others see in the pod why it goes.
void mark_pod(std::unique_ptr<Eviction> eviction) {
  Context& context = eviction->context;
  const Target target = eviction->removal.target;
  const Present now = present(context, target);
  if (!now) return answer(std::move(eviction), not_found(target));
  const client::Preconditions& preconditions = eviction->removal.preconditions;
  const bool is_left_alone = eviction->removal.dry_run || now.cached->uid != preconditions.uid ||
                             !preconditions.resource_version.empty();
  const Value marked = objects::with_condition(now.tree,
                                               {.type = "DisruptionTarget",
                                                .status = "True",
                                                .reason = "EvictionByEvictionAPI",
                                                .message = "Eviction API: evicting"},
                                               context.clock.wall());
  const Value next = objects::apply_defaults(target.kind->storage_version().schema, marked);
  if (is_left_alone || next == now.tree) return delete_pod(std::move(eviction));
  put(context, target, stored_form(next), now.managed(),
      store::Expected::exactly(now.cached->revision),
      [eviction = std::move(eviction)](Outcome<Written> written) mutable {
        if (written) return delete_pod(std::move(eviction));
        if (was_overtaken(written) && eviction->attempts < write_attempts_max) {
          ++eviction->attempts;
          return mark_pod(std::move(eviction));
        }
        const Target& pod = eviction->removal.target;
        eviction->done(as_seen_by_caller(pod, std::move(written)));
      });
}

// The budget remembers the pod until it is gone, so that nobody else is granted its place.
void take_from_budget(std::unique_ptr<Eviction> eviction, const CachedObject& budget,
                      Disruption counted, bool was_ready) {
  Context& context = eviction->context;
  const Instant now = context.clock.wall();
  const Value tree = context.trees.tree_of(budget.bytes);
  if (was_ready) --counted.healthy;
  counted.granted.emplace(eviction->removal.target.name, format_time(Timestamp::of(now)));
  const Target target{.kind = budget.kind,
                      .version = &budget.kind->storage_version(),
                      .name_space = budget.name_space,
                      .name = budget.name};
  const std::string managed(managed_text(budget.bytes.view()));
  put(context, target, stored_form(with_status(tree, counted, now)), managed,
      store::Expected::exactly(budget.revision),
      [eviction = std::move(eviction), target](Outcome<Written> written) mutable {
        if (written) return mark_pod(std::move(eviction));
        if (was_overtaken(written) && eviction->attempts < write_attempts_max) {
          return attempt(std::move(eviction));
        }
        eviction->done(as_seen_by_caller(target, std::move(written)));
      });
}

void attempt(std::unique_ptr<Eviction> eviction) {
  Context& context = eviction->context;
  const Target& target = eviction->removal.target;
  ++eviction->attempts;
  const Present now = present(context, target);
  if (!now) return answer(std::move(eviction), not_found(target));
  client::Preconditions& preconditions = eviction->removal.preconditions;
  if (preconditions.uid.empty()) preconditions.uid = now.cached->uid;
  if (may_always_go(now.tree)) return mark_pod(std::move(eviction));
  const std::vector<CachedObject> budgets = budgets_of(context, now.tree);
  if (budgets.empty()) return mark_pod(std::move(eviction));
  if (budgets.size() > 1) return answer(std::move(eviction), more_than_one_budget());
  const CachedObject& budget = budgets.front();
  const Value tree = context.trees.tree_of(budget.bytes);
  const Disruption counted = disruption_of(context, tree);
  if (goes_unhealthy(tree, now.tree, counted)) return mark_pod(std::move(eviction));
  if (counted.allowed() == 0) return answer(std::move(eviction), blocked(tree, counted));
  if (eviction->removal.dry_run) return mark_pod(std::move(eviction));
  take_from_budget(std::move(eviction), budget, counted, is_ready_pod(now.tree));
}

Outcome<RemoveRequest> removal_of(const WriteRequest& request) {
  if (objects::name_of(request.body) != request.target.name) {
    return Error::bad_request("name in URL does not match name in Eviction object");
  }
  RemoveRequest removal = ALLOWED(delete_options(request.body["deleteOptions"]));
  removal.target = request.target;
  removal.target.subresource.clear();
  removal.identity = request.identity;
  removal.dry_run = removal.dry_run || request.dry_run;
  return removal;
}

}  // namespace

void evict(Context& context, const WriteRequest& request, WriteAnswer done) {
  auto removal = removal_of(request);
  if (!removal) return answer_later(context, std::move(done), std::move(removal).error());
  attempt(
      std::make_unique<Eviction>(Eviction{context, std::move(removal).take(), std::move(done)}));
}

}  // namespace muster::server
