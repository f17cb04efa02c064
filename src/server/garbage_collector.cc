// SPDX-License-Identifier: Apache-2.0
#include "server/garbage_collector.h"

#include <utility>
#include <vector>

#include "objects/builder.h"
#include "objects/metadata.h"
#include "server/commit.h"
#include "server/limits.h"
#include "server/stored_object.h"

namespace muster::server {

using client::Propagation;
using objects::Builder;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view uid_item = "uid/";
constexpr std::string_view namespace_item = "namespace/";
constexpr std::string_view orphan_finalizer = "orphan";
constexpr std::string_view foreground_finalizer = "foregroundDeletion";
constexpr std::string_view collector_name = "system:muster:garbage-collector";

// When the disk is full or the store is busy, this long until the next attempt.
constexpr Span pause = Span::of_seconds(1);

bool is_namespace(const CachedObject& object) {
  return object.kind->group.empty() && object.kind->plural == "namespaces";
}

bool waits_for_dependents(const Value& tree) {
  return objects::is_being_deleted(tree) && objects::has_finalizer(tree, foreground_finalizer);
}

// The list without the elements for which the test holds.
template <class Test>
Value without(const Value& tree, std::string_view field, Test test) {
  Builder builder;
  builder.retain(tree);
  std::vector<Node> kept;
  for (View each : tree["metadata"][field].elements()) {
    if (!test(each)) kept.push_back(each.node());
  }
  const Node node = kept.empty() ? Builder::null() : builder.array(kept);
  return std::move(builder).finish(node);
}

}  // namespace

GarbageCollector::GarbageCollector(Context& context) : context_(context) {}

void GarbageCollector::start() {
  const auto namespaces = context_.registry.find_resource("", "namespaces");
  for (const auto& kind : context_.registry.kinds()) {
    if (kind->stored_as != nullptr) continue;
    std::string_view seen;  // objects come by namespace
    for (const auto& [key, object] : context_.cache.all_in(*kind, "")) {
      on_change({nullptr, &object});
      if (object.name_space == seen) continue;
      seen = object.name_space;
      const bool homeless = context_.cache.find(*namespaces, "", seen) == nullptr;
      if (homeless) enqueue_namespace(object.name_space);
    }
  }
}

void GarbageCollector::on_change(const CacheChange& change) {
  const CachedObject& object = change.now != nullptr ? *change.now : *change.before;
  if (is_namespace(object)) {
    if (change.now == nullptr) ending_namespaces_.erase(object.name);
    if (change.now != nullptr && object.is_being_deleted) ending_namespaces_.insert(object.name);
    if (change.now == nullptr || object.is_being_deleted) enqueue_namespace(object.name);
  }
  if (ending_namespaces_.contains(object.name_space)) enqueue_namespace(object.name_space);
  if (change.now != nullptr) {
    const bool held = object.is_being_deleted && object.has_finalizers;
    if (held || !object.owners.empty()) enqueue_uid(object.uid);
  }
  if (change.before == nullptr) return;
  // Owners may have waited for a dependent that is gone or has forgotten them.
  const bool gone = change.now == nullptr || change.now->uid != change.before->uid;
  if (gone) enqueue_uid(change.before->uid);
  if (gone || change.before->owners != change.now->owners) {
    for (const Owner& owner : change.before->owners) enqueue_uid(owner.uid);
  }
}

void GarbageCollector::enqueue_uid(const std::string& uid) {
  if (!uid.empty()) enqueue(std::string(uid_item) + uid);
}

void GarbageCollector::enqueue_namespace(const std::string& name) {
  enqueue(std::string(namespace_item) + name);
}

void GarbageCollector::enqueue(std::string item) {
  if (!queued_.insert(item).second) return;
  queue_.push_back(std::move(item));
  post_turn();
}

void GarbageCollector::post_turn() {
  if (std::exchange(turn_posted_, true)) return;
  context_.house.post([this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) turn();
  });
}

void GarbageCollector::turn() {
  turn_posted_ = false;
  context_.cache.catch_up();
  std::size_t seen = 0;
  while (!queue_.empty() && under_way_ < upkeep_writes_max &&
         seen++ < upkeep_objects_per_turn_max) {
    const std::string item = std::move(queue_.front());
    queue_.pop_front();
    queued_.erase(item);
    if (item.starts_with(namespace_item)) {
      examine_namespace(item.substr(namespace_item.size()));
      continue;
    }
    const std::string uid = item.substr(uid_item.size());
    if (const CachedObject* found = context_.cache.find_uid(uid)) {
      const CachedObject object = *found;  // a copy: the verbs let the cache catch up
      examine(object);
    } else {
      for (const CachedObject* dependent : context_.cache.dependents_of(uid)) {
        enqueue_uid(dependent->uid);
      }
    }
  }
  if (!queue_.empty() && under_way_ < upkeep_writes_max) post_turn();
}

void GarbageCollector::examine(const CachedObject& object) {
  const Value tree = context_.trees.tree_of(object.bytes);
  if (object.is_being_deleted) return examine_dying(object, tree);
  if (!object.owners.empty()) examine_owners(object, tree);
}

void GarbageCollector::examine_dying(const CachedObject& object, const Value& tree) {
  const bool orphans = objects::has_finalizer(tree, orphan_finalizer);
  const bool in_foreground = objects::has_finalizer(tree, foreground_finalizer);
  if (!orphans && !in_foreground) return;
  bool blocked = false;
  for (const CachedObject* dependent : context_.cache.dependents_of(object.uid)) {
    if (orphans) {
      blocked = true;
      continue;
    }
    for (const Owner& owner : dependent->owners) {
      blocked = blocked || (owner.uid == object.uid && owner.blocks_deletion);
    }
    if (!dependent->is_being_deleted) enqueue_uid(dependent->uid);
  }
  if (orphans && blocked) return release_dependents(object);
  if (blocked) return;
  const std::string_view finalizer = orphans ? orphan_finalizer : foreground_finalizer;
  patch_metadata(object, "finalizers", without(tree, "finalizers", [finalizer](View each) {
                   return each.string_or("") == finalizer;
                 }));
}

// The dependents of an orphaned owner forget it; their changes bring the owner back here.
void GarbageCollector::release_dependents(const CachedObject& owner) {
  std::vector<CachedObject> dependents;
  for (const CachedObject* dependent : context_.cache.dependents_of(owner.uid)) {
    dependents.push_back(*dependent);
  }
  for (const CachedObject& dependent : dependents) {
    const Value tree = context_.trees.tree_of(dependent.bytes);
    patch_metadata(dependent, "ownerReferences", without(tree, "ownerReferences", [&](View each) {
                     return each["uid"].string_or("") == owner.uid;
                   }));
  }
}

void GarbageCollector::examine_owners(const CachedObject& object, const Value& tree) {
  bool has_solid = false;
  bool has_waiting = false;
  std::set<std::string, std::less<>> lost;
  for (View reference : tree["metadata"]["ownerReferences"].elements()) {
    const std::string_view uid = reference["uid"].string_or("");
    const std::string_view version = reference["apiVersion"].string_or("");
    const std::size_t slash = version.find('/');
    const std::string_view group =
        slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
    if (context_.registry.find(group, reference["kind"].string_or("")) == nullptr) {
      has_solid = true;
      continue;
    }
    const CachedObject* owner = context_.cache.find_uid(uid);
    const bool reachable =
        owner != nullptr && (owner->name_space.empty() || owner->name_space == object.name_space);
    const bool waits = reachable && owner->is_being_deleted &&
                       waits_for_dependents(context_.trees.tree_of(owner->bytes));
    has_solid = has_solid || (reachable && !waits);
    has_waiting = has_waiting || waits;
    if (!reachable || waits) lost.emplace(uid);
  }
  if (lost.empty()) return;
  if (has_solid) {
    return patch_metadata(object, "ownerReferences",
                          without(tree, "ownerReferences", [&](View each) {
                            return lost.contains(each["uid"].string_or(""));
                          }));
  }
  const bool in_foreground = has_waiting && !context_.cache.dependents_of(object.uid).empty();
  remove_object(object, in_foreground ? Propagation::foreground : Propagation::background);
}

// A namespace on its way out, or one that is gone and left something behind.
void GarbageCollector::examine_namespace(const std::string& name) {
  if (remove_contents(name)) return;
  const auto kind = context_.registry.find_resource("", "namespaces");
  const CachedObject* object = context_.cache.find(*kind, "", name);
  if (object == nullptr || !object->is_being_deleted || object->has_finalizers) return;
  ++under_way_;
  erase(context_, target_of(*object), context_.trees.tree_of(object->bytes),
        std::string(managed_text(object->bytes.view())), object->revision,
        counted(std::string(namespace_item) + name));
}

// Whether something is still there. What is more than may be under way is not looked at: a hundred
// thousand pods would be, for each few that go.
bool GarbageCollector::remove_contents(const std::string& name_space) {
  bool is_left = false;
  std::vector<CachedObject> doomed;
  const auto is_full = [&] { return under_way_ + doomed.size() >= upkeep_writes_max; };
  for (const auto& kind : context_.registry.kinds()) {
    if (kind->scope != objects::Scope::namespaced || kind->stored_as != nullptr) continue;
    for (const auto& [key, object] : context_.cache.all_in(*kind, name_space)) {
      is_left = true;
      if (is_full()) break;
      if (!object.is_being_deleted) doomed.push_back(object);
    }
    if (is_left && is_full()) break;
  }
  for (const CachedObject& object : doomed) remove_object(object, Propagation::background);
  return is_left;
}

Target GarbageCollector::target_of(const CachedObject& object) const {
  return {.kind = object.kind,
          .version = &object.kind->storage_version(),
          .name_space = object.name_space,
          .name = object.name};
}

void GarbageCollector::remove_object(const CachedObject& object, Propagation propagation) {
  ++under_way_;
  remove(context_,
         {.target = target_of(object),
          .propagation = propagation,
          .preconditions = {.uid = object.uid,
                            .resource_version = std::to_string(object.revision.value)},
          .identity = {.name = std::string(collector_name)}},
         counted(std::string(uid_item) + object.uid));
}

void GarbageCollector::patch_metadata(const CachedObject& object, std::string_view field,
                                      const Value& value) {
  ++under_way_;
  const Value patch_body = Value::object(
      {{"metadata",
        Value::object({{"resourceVersion", Value::string(std::to_string(object.revision.value))},
                       {field, value}})}});
  patch(context_,
        {.target = target_of(object),
         .body = patch_body,
         .identity = {.name = std::string(collector_name)}},
        objects::PatchType::merge, counted(std::string(uid_item) + object.uid));
}

// A write that was overtaken comes back with the change that overtook it. One that the store could
// not take comes back after a pause.
WriteAnswer GarbageCollector::counted(std::string item) {
  return [this, item = std::move(item),
          alive = std::weak_ptr(alive_)](const Outcome<Written>& outcome) {
    if (alive.expired()) return;
    --under_way_;
    if (!outcome && outcome.error().code >= http_status(ErrorCode::too_many_requests)) {
      context_.log.warning("garbage collection waits", {{"why", outcome.error().message}});
      context_.house.post_at(context_.clock.monotonic() + pause, [this, item, alive] {
        if (!alive.expired()) enqueue(item);
      });
    }
    if (!outcome && outcome.error().code == http_status(ErrorCode::conflict)) enqueue(item);
    if (!queue_.empty()) post_turn();
  };
}

}  // namespace muster::server
