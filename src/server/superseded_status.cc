// SPDX-License-Identifier: Apache-2.0
#include "server/superseded_status.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "objects/builder.h"
#include "objects/edit.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/commit.h"
#include "server/stored_object.h"
#include "server/superseded.h"

namespace muster::server {

using objects::Builder;
using objects::Condition;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view own_name = "system:muster:superseded";

// When the disk is full or the store is busy, this long until the next attempt.
constexpr Span pause = Span::of_seconds(1);

bool is_deployment(const objects::Kind& kind) {
  return kind.group == "apps" && kind.plural == "deployments";
}

bool is_api_service(const objects::Kind& kind) {
  return kind.group == "apiregistration.k8s.io" && kind.plural == "apiservices";
}

Condition available(bool is_available, std::string_view reason, std::string message) {
  return {.type = "Available",
          .status = is_available ? "True" : "False",
          .reason = std::string(reason),
          .message = std::move(message)};
}

}  // namespace

Value with_available_status(const Value& deployment, Instant now) {
  Builder builder;
  builder.retain(deployment);
  const Node replicas = Builder::integer(deployment["spec"]["replicas"].integer_or(1));
  objects::Rewrite status(deployment["status"]);
  status.set("observedGeneration", Builder::integer(objects::generation_of(deployment)));
  for (const std::string_view field :
       {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"}) {
    status.set(field, replicas);
  }
  objects::Rewrite root(deployment);
  root.set("status", status.finish(builder));
  const Node node = root.finish(builder);
  const Value counted = std::move(builder).finish(node);
  const Value ready = objects::with_condition(
      counted, available(true, "MinimumReplicasAvailable", "Deployment has minimum availability."),
      now);
  return objects::with_condition(
      ready,
      {.type = "Progressing",
       .status = "True",
       .reason = "NewReplicaSetAvailable",
       .message = fmt::format("ReplicaSet \"{}\" has successfully progressed.",
                              objects::name_of(deployment))},
      now);
}

Value with_service_status(const Context& context, const Value& api_service, Instant now) {
  const View service = api_service["spec"]["service"];
  if (!service || service.is_null()) {
    return objects::with_condition(
        api_service, available(true, "Local", "Local APIServices are always available"), now);
  }
  const std::string_view name_space = service["namespace"].string_or("");
  const std::string_view name = service["name"].string_or("");
  if (is_superseded_service(context, name_space, name)) {
    return objects::with_condition(
        api_service, available(true, "Superseded", "Muster does the work of this service itself"),
        now);
  }
  const auto services = context.registry.find_resource("", "services");
  if (context.cache.find(*services, name_space, name) == nullptr) {
    return objects::with_condition(
        api_service,
        available(false, "ServiceNotFound",
                  fmt::format("service/{} in \"{}\" is not present", name, name_space)),
        now);
  }
  return objects::with_condition(
      api_service,
      available(false, "AggregationNotSupported",
                "this server does not forward requests to other API servers"),
      now);
}

SupersededStatus::SupersededStatus(Context& context) : context_(context) {}

void SupersededStatus::start() {
  for (const auto& kind : context_.registry.kinds()) {
    if (!is_deployment(*kind) && !is_api_service(*kind)) continue;
    for (const auto& [key, object] : context_.cache.all_in(*kind, "")) owe(object.uid);
  }
}

void SupersededStatus::on_change(const CacheChange& change) {
  if (change.now == nullptr) return;
  const objects::Kind& kind = *change.now->kind;
  if (is_deployment(kind) || is_api_service(kind)) owe(change.now->uid);
}

void SupersededStatus::owe(const std::string& uid) {
  owed_.insert(uid);
  post_turn();
}

void SupersededStatus::post_turn() {
  if (std::exchange(turn_posted_, true)) return;
  context_.house.post([this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) turn();
  });
}

void SupersededStatus::turn() {
  turn_posted_ = false;
  context_.cache.catch_up();
  const auto owed = std::exchange(owed_, {});
  for (const std::string& uid : owed) {
    const CachedObject* found = context_.cache.find_uid(uid);
    if (found == nullptr || found->is_being_deleted) continue;
    const CachedObject object = *found;  // a copy: the verbs let the cache catch up
    settle(object);
  }
}

void SupersededStatus::settle(const CachedObject& object) {
  const Value tree = context_.trees.tree_of(object.bytes);
  const bool deploys = is_deployment(*object.kind);
  if (deploys && !is_superseded_workload(tree)) return;
  const Instant now = context_.clock.wall();
  const Value next =
      deploys ? with_available_status(tree, now) : with_service_status(context_, tree, now);
  if (next["status"] == tree["status"]) return;
  update(context_,
         {.target = {.kind = object.kind,
                     .version = &object.kind->storage_version(),
                     .name_space = object.name_space,
                     .name = object.name,
                     .subresource = "status"},
          .body = with_revision(next, object.revision),
          .identity = {.name = std::string(own_name)}},
         [this, uid = object.uid, alive = std::weak_ptr(alive_)](const Outcome<Written>& written) {
           if (alive.expired() || written || was_overtaken(written)) return;
           context_.log.warning("a superseded status waits", {{"why", written.error().message}});
           context_.house.post_at(context_.clock.monotonic() + pause, [this, uid, alive] {
             if (!alive.expired()) owe(uid);
           });
         });
}

}  // namespace muster::server
