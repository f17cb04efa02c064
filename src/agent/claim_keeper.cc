// SPDX-License-Identifier: Apache-2.0
#include "agent/claim_keeper.h"

#include <fmt/format.h>

#include <utility>

#include "agent/environment.h"
#include "agent/pod_status.h"
#include "agent/surroundings.h"
#include "base/timestamp.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using client::Verb;
using objects::Value;
using objects::View;
namespace resources = objects::resources;
using Kind = ClaimStep::Kind;

constexpr Span retry_span = Span::of_seconds(1);
constexpr std::size_t told_max = 10'000;

}  // namespace

ClaimKeeper::ClaimKeeper(client::Api& api, client::House house, client::ObjectCache& cache,
                         std::string claims_folder, Discard discard)
    : api_(api),
      house_(house),
      cache_(cache),
      claims_folder_(std::move(claims_folder)),
      discard_(std::move(discard)) {}

void ClaimKeeper::on_change(const client::CacheChange& change) {
  if (change.resource == volume_resource && change.after.is_absent()) {
    const View path = change.before["spec"]["hostPath"]["path"];
    const std::string own = fmt::format("{}/{}", claims_folder_, objects::name_of(change.before));
    const bool is_kept =
        change.before["spec"]["persistentVolumeReclaimPolicy"].string_or("") == "Retain";
    if (path.string_or("") == own && !is_kept) discard_(own);
  }
  const bool is_pod = change.resource == resources::pods;
  if (is_pod && claims_named_in(change.object()).empty()) return;
  if (is_pod || change.resource == claim_resource || change.resource == volume_resource ||
      change.resource == class_resource) {
    look();
  }
}

void ClaimKeeper::look() {
  if (std::exchange(is_planned_, true)) return;
  house_.executor.post(lifeline_.guard([this] {
    is_planned_ = false;
    look_now();
  }));
}

void ClaimKeeper::look_now() {
  if (!cache_.has_synced()) return;
  make_default_class();
  look_at_pods();
  const std::vector<Value> volumes = cache_.all(volume_resource);
  for (const Value& claim : cache_.all(claim_resource)) {
    const std::string class_name(claim["spec"]["storageClassName"].string_or(""));
    const auto consumer = consumers_.find(
        fmt::format("{}/{}", objects::namespace_of(claim), objects::name_of(claim)));
    ClaimWorld world{.volumes = volumes,
                     .storage_class = cache_.find(class_resource, {"", class_name}),
                     .claims_folder = claims_folder_};
    if (consumer != consumers_.end()) {
      world.has_consumer = true;
      world.consumer_node = consumer->second.node;
      const Value node = cache_.find(resources::nodes, {"", world.consumer_node});
      world.node_labels = node.part(node["metadata"]["labels"]);
    }
    take(step_of_claim(claim, world), claim);
  }
  for (const Value& volume : volumes) {
    const View reference = volume["spec"]["claimRef"];
    const Value claim =
        cache_.find(claim_resource, {std::string(reference["namespace"].string_or("")),
                                     std::string(reference["name"].string_or(""))});
    take(step_of_volume(volume, claim), {});
  }
}

// Once, and only where nobody made classes of his own.
void ClaimKeeper::make_default_class() {
  if (std::exchange(has_class_, true) || cache_.size(class_resource) > 0) return;
  call({.verb = Verb::create, .resource = class_resource, .body = default_class()}, class_resource);
}

void ClaimKeeper::look_at_pods() {
  consumers_.clear();
  for (const Value& pod : cache_.all(resources::pods)) {
    if (is_terminal(pod.view())) continue;
    for (const std::string& name : claims_named_in(pod)) {
      Consumer& consumer = consumers_[fmt::format("{}/{}", objects::namespace_of(pod), name)];
      consumer.is_there = true;
      if (consumer.node.empty()) consumer.node = pod["spec"]["nodeName"].string_or("");
    }
    for (View volume : pod["spec"]["volumes"].elements()) {
      if (!volume["ephemeral"] || objects::is_being_deleted(pod)) continue;
      const Value claim = ephemeral_claim(pod, volume);
      const objects::ObjectKey key{std::string(objects::namespace_of(pod)),
                                   std::string(objects::name_of(claim))};
      if (cache_.find(claim_resource, key).is_object()) continue;
      call({.verb = Verb::create,
            .resource = claim_resource,
            .name_space = key.name_space,
            .body = claim},
           claim_resource);
    }
  }
}

void ClaimKeeper::take(const ClaimStep& step, const Value& claim) {
  if (!step.reason.empty() && !claim.is_absent()) tell(claim, step);
  if (step.kind == Kind::none) return;
  const bool is_claim = step.kind == Kind::update_claim || step.kind == Kind::update_claim_status;
  const objects::Resource& resource = is_claim ? claim_resource : volume_resource;
  client::Call made{.verb = Verb::update,
                    .resource = resource,
                    .name_space = std::string(objects::namespace_of(step.object)),
                    .name = std::string(objects::name_of(step.object)),
                    .body = step.object};
  if (step.kind == Kind::make_volume) made.verb = Verb::create;
  if (step.kind == Kind::update_claim_status || step.kind == Kind::update_volume_status) {
    made.subresource = "status";
  }
  if (step.kind == Kind::remove_volume) {
    made.verb = Verb::remove;
    made.body = {};
    made.preconditions.uid = objects::uid_of(step.object);
  }
  call(std::move(made), resource);
}

// One write of an object at a time; what it brought is looked at when its answer is here.
void ClaimKeeper::call(client::Call call, const objects::Resource& resource) {
  const std::string key =
      fmt::format("{}/{}/{}", resource.plural, call.name_space,
                  call.name.empty() ? objects::name_of(call.body) : std::string_view(call.name));
  if (!under_way_.insert(key).second) return;
  const bool is_removal = call.verb == Verb::remove;
  if (call.verb == Verb::create) call.name.clear();
  api_.call(std::move(call),
            lifeline_.guard([this, key, resource, is_removal](Result<Value> answer) {
              under_way_.erase(key);
              if (answer) {
                if (!is_removal) cache_.saw_written(resource, *answer);
                return look();
              }
              const ErrorCode code = answer.error().code;
              if (code == ErrorCode::not_found || code == ErrorCode::already_exists) return;
              house_.executor.post_at(house_.clock.monotonic() + retry_span,
                                      lifeline_.guard([this] { look(); }));
            }));
}

// What is said once is not said again until something else was.
void ClaimKeeper::tell(const Value& claim, const ClaimStep& step) {
  if (told_.size() >= told_max) told_.clear();
  std::string& told = told_[std::string(objects::uid_of(claim))];
  if (told == step.message) return;
  told = step.message;
  const std::string now = format_time(Timestamp::of(house_.clock.wall()));
  const Value about =
      Value::object({{"apiVersion", Value::string("v1")},
                     {"kind", Value::string("PersistentVolumeClaim")},
                     {"name", Value::string(objects::name_of(claim))},
                     {"namespace", Value::string(objects::namespace_of(claim))},
                     {"resourceVersion", Value::string(objects::resource_version_of(claim))},
                     {"uid", Value::string(objects::uid_of(claim))}});
  const Value metadata = Value::object(
      {{"name",
        Value::string(fmt::format("{}.{:016x}", objects::name_of(claim), house_.random.next()))},
       {"namespace", Value::string(objects::namespace_of(claim))}});
  const Value source = Value::object({{"component", Value::string("persistentvolume-controller")}});
  api_.call(
      {.verb = Verb::create,
       .resource = resources::events,
       .name_space = std::string(objects::namespace_of(claim)),
       .body = Value::object({{"apiVersion", Value::string("v1")},
                              {"kind", Value::string("Event")},
                              {"metadata", metadata},
                              {"involvedObject", about},
                              {"reason", Value::string(step.reason)},
                              {"message", Value::string(step.message)},
                              {"source", source},
                              {"firstTimestamp", Value::string(now)},
                              {"lastTimestamp", Value::string(now)},
                              {"count", Value::integer(1)},
                              {"type", Value::string(step.is_warning ? "Warning" : "Normal")},
                              {"reportingComponent", Value::string("persistentvolume-controller")},
                              {"reportingInstance", Value::string("")}})},
      [](const Result<Value>&) {});
}

}  // namespace muster::agent
