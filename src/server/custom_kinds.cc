// SPDX-License-Identifier: Apache-2.0
#include "server/custom_kinds.h"

#include <fmt/format.h>

#include <utility>

#include "objects/builder.h"
#include "objects/metadata.h"
#include "server/commit.h"
#include "server/limits.h"
#include "server/stored_object.h"

namespace muster::server {

using objects::Builder;
using objects::KindRegistry;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view own_name = "system:muster:custom-kinds";

// When the disk is full or the store is busy, this long until the next attempt.
constexpr Span pause = Span::of_seconds(1);

bool is_definition(const objects::Kind& kind) {
  return kind.group == definitions_group && kind.plural == definitions_plural;
}

std::string definition_name(const objects::Kind& kind) {
  return fmt::format("{}.{}", kind.plural, kind.group);
}

std::string_view group_of(View definition) {
  return definition["spec"]["group"].string_or("");
}

std::string_view plural_of(View definition) {
  return definition["spec"]["names"]["plural"].string_or("");
}

objects::Condition terminating(bool still, std::string_view reason, std::string_view message) {
  return {.type = "Terminating",
          .status = still ? "True" : "False",
          .reason = std::string(reason),
          .message = std::string(message)};
}

}  // namespace

CustomKinds::CustomKinds(Context& context, KindRegistry& registry)
    : context_(context), registry_(registry) {}

// Definitions that were established before keep their names against those that were not.
Result<> CustomKinds::load() {
  const auto kind = registry_.find_resource(definitions_group, definitions_plural);
  if (kind == nullptr) return {};
  std::vector<store::Entry> waiting;
  store::Revision at;
  std::string start;
  const std::string prefix = prefix_of(*kind);
  const auto take = [&](const store::Entry& entry) {
    const Value tree = context_.trees.tree_of(entry.value);
    take_in(std::string(objects::name_of(tree)), tree, entry.revision);
  };
  while (true) {
    const auto page = TRY(context_.store.list({.prefix = prefix, .at = at, .start = start}));
    at = page.revision;
    for (const store::Entry& entry : page.entries) {
      if (is_established(context_.trees.tree_of(entry.value))) {
        take(entry);
      } else {
        waiting.push_back(entry);
      }
    }
    if (page.remaining == 0) break;
    start = std::string(page.entries.back().key.view()) + '\0';
  }
  for (const store::Entry& entry : waiting) take(entry);
  return {};
}

void CustomKinds::start() {
  for (const auto& [name, definition] : definitions_) owe(name);
}

void CustomKinds::on_change(const CacheChange& change) {
  const CachedObject& object = change.now != nullptr ? *change.now : *change.before;
  if (object.kind->is_built_in && !is_definition(*object.kind)) return;
  if (!is_definition(*object.kind)) {
    if (change.now != nullptr || terminating_.empty()) return;
    const std::string name = definition_name(*object.kind);
    if (terminating_.contains(name)) owe(name);
    return;
  }
  if (change.now == nullptr) return forget(object.name);
  take_in(object.name, context_.trees.tree_of(object.bytes), object.revision);
}

UsedNames CustomKinds::used_names(std::string_view group) const {
  UsedNames used;
  for (const auto& [name, definition] : definitions_) {
    if (group_of(definition.tree) == group) used.add(definition.names.accepted);
  }
  // Kinds of ours have their names whether or not somebody has stored a definition of them.
  for (const KindRegistry::Found& kind : registry_.kinds()) {
    if (!kind->is_built_in || kind->group != group) continue;
    used.add(kind->definition["spec"]["names"]);
  }
  return used;
}

void CustomKinds::take_in(const std::string& name, const Value& tree, store::Revision revision) {
  Definition& definition = definitions_[name];
  const Definition before = definition;
  definition.tree = tree;
  definition.first_class = is_first_class(registry_, tree);
  if (definition.first_class) {
    definition.names = decide_names(tree, UsedNames());
  } else {
    // A name that was given in memory counts, also before the status says so.
    UsedNames used = used_names(group_of(tree));
    const bool settled = before.tree["spec"]["names"] == tree["spec"]["names"] && before.names.all;
    if (!settled) definition.names = decide_names(tree, used);
  }
  if (objects::is_being_deleted(tree)) terminating_.insert(name);
  serve(definition, before, revision);
  owe(name);
  if (!(before.names.accepted.view() == definition.names.accepted.view())) {
    reconsider_group(group_of(tree));
  }
}

// A stored definition was checked when it was written. One that does not compile all the same, by
// an older or newer program, is not served: its objects stay where they are.
void CustomKinds::serve(Definition& definition, const Definition& before,
                        store::Revision revision) {
  if (definition.first_class) return;
  if (!definition.names.all && !is_established(definition.tree) && !definition.served) return;
  const bool same = definition.served && before.tree["spec"] == definition.tree["spec"] &&
                    before.names.accepted.view() == definition.names.accepted.view();
  if (same) return;
  auto old = registry_.find_resource(group_of(definition.tree), plural_of(definition.tree));
  const auto errors = registry_.add(definition.tree, definition.names.accepted, revision.value);
  if (!errors.empty()) {
    context_.log.warning(
        "a definition cannot be served",
        {{"name", objects::name_of(definition.tree)}, {"why", errors.to_string()}});
    return;
  }
  definition.served = true;
  context_.cache.kind_changed(group_of(definition.tree), plural_of(definition.tree));
  if (old != nullptr) retired_.push_back(std::move(old));
}

void CustomKinds::forget(const std::string& name) {
  const auto found = definitions_.find(name);
  if (found == definitions_.end()) return;
  const Definition definition = std::move(found->second);
  definitions_.erase(found);
  terminating_.erase(name);
  const std::string_view group = group_of(definition.tree);
  const std::string_view plural = plural_of(definition.tree);
  if (definition.served) {
    auto old = registry_.find_resource(group, plural);
    if (registry_.remove(group, plural)) {
      context_.cache.kind_changed(group, plural);
      retired_.push_back(std::move(old));
      post_turn();
    }
  }
  reconsider_group(group);
}

// Somebody gave up a name: those who want it are asked again.
void CustomKinds::reconsider_group(std::string_view group) {
  for (auto& [name, definition] : definitions_) {
    if (definition.names.all || definition.first_class) continue;
    if (group_of(definition.tree) != group) continue;
    NamesDecision next = decide_names(definition.tree, used_names(group));
    if (!next.all) continue;
    const Definition before = definition;
    definition.names = std::move(next);
    serve(definition, before, context_.cache.revision());
    owe(name);
  }
}

void CustomKinds::owe(const std::string& name) {
  owed_.insert(name);
  post_turn();
}

void CustomKinds::post_turn() {
  if (std::exchange(turn_posted_, true)) return;
  context_.house.post([this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) turn();
  });
}

void CustomKinds::turn() {
  turn_posted_ = false;
  const auto retired = std::exchange(retired_, {});
  for (const KindRegistry::Found& kind : retired) context_.kind_changes.announce(*kind);
  context_.cache.catch_up();
  const auto owed = std::exchange(owed_, {});
  for (const std::string& name : owed) settle(name);
}

void CustomKinds::settle(const std::string& name) {
  const auto found = definitions_.find(name);
  const auto kind = registry_.find_resource(definitions_group, definitions_plural);
  const CachedObject* object = context_.cache.find(*kind, "", name);
  if (found == definitions_.end() || object == nullptr) return;
  const CachedObject cached = *object;  // a copy: the verbs let the cache catch up
  const Value tree = context_.trees.tree_of(cached.bytes);
  if (cached.is_being_deleted) return clean_up(cached, tree);
  write_status(cached, with_established(tree, found->second.names, context_.clock.wall()));
}

void CustomKinds::write_status(const CachedObject& cached, const Value& next) {
  if (next["status"] == context_.trees.tree_of(cached.bytes)["status"]) return;
  ++under_way_;
  update(context_,
         {.target = {.kind = cached.kind,
                     .version = &cached.kind->storage_version(),
                     .name = cached.name,
                     .subresource = "status"},
          .body = with_revision(next, cached.revision),
          .identity = {.name = std::string(own_name)}},
         counted(cached.name));
}

void CustomKinds::clean_up(const CachedObject& cached, const Value& tree) {
  if (!objects::has_finalizer(tree, cleanup_finalizer)) return;
  const auto found = definitions_.find(cached.name);
  const bool serves = found != definitions_.end() && found->second.served;
  const Instant now = context_.clock.wall();
  const View condition = objects::condition(tree, "Terminating");
  const bool told_the_end = objects::is_false(condition);
  if (told_the_end) return drop_finalizer(cached, tree);
  if (!serves) {
    const bool ours = found != definitions_.end() && found->second.first_class;
    return write_status(
        cached, objects::with_condition(
                    tree,
                    ours ? terminating(false, "OverlappingBuiltInResource",
                                       "instances overlap with built-in resources in storage")
                         : terminating(false, "NeverEstablished", "resource was never established"),
                    now));
  }
  if (condition["reason"].string_or("") == "InstanceDeletionPending") {
    return write_status(
        cached, objects::with_condition(tree,
                                        terminating(true, "InstanceDeletionInProgress",
                                                    "CustomResource deletion is in progress"),
                                        now));
  }
  const auto kind = registry_.find_resource(group_of(tree), plural_of(tree));
  if (remove_instances(cached.name, kind) > 0) return;
  write_status(
      cached,
      objects::with_condition(
          tree, terminating(false, "InstanceDeletionCompleted", "removed all instances"), now));
}

// How many are still there. Those that finalizers hold come back here when they go.
std::size_t CustomKinds::remove_instances(const std::string& name,
                                          const KindRegistry::Found& kind) {
  std::size_t left = 0;
  std::vector<CachedObject> doomed;
  for (const auto& [key, object] : context_.cache.all_in(*kind, "")) {
    ++left;
    if (object.is_being_deleted) continue;
    if (under_way_ + doomed.size() < upkeep_writes_max) doomed.push_back(object);
  }
  for (const CachedObject& object : doomed) {
    ++under_way_;
    remove(context_,
           {.target = {.kind = kind,
                       .version = &kind->storage_version(),
                       .name_space = object.name_space,
                       .name = object.name},
            .preconditions = {.uid = object.uid},
            .identity = {.name = std::string(own_name)}},
           counted(name));
  }
  return left;
}

void CustomKinds::drop_finalizer(const CachedObject& cached, const Value& tree) {
  Builder builder;
  std::vector<Node> kept;
  for (View each : tree["metadata"]["finalizers"].elements()) {
    if (each.string_or("") != cleanup_finalizer) kept.push_back(builder.copy(each));
  }
  const Node node = kept.empty() ? Builder::null() : builder.array(kept);
  const Value finalizers = std::move(builder).finish(node);
  const Value body = Value::object(
      {{"metadata",
        Value::object({{"resourceVersion", Value::string(fmt::to_string(cached.revision.value))},
                       {"finalizers", finalizers}})}});
  ++under_way_;
  patch(context_,
        {.target = {.kind = cached.kind,
                    .version = &cached.kind->storage_version(),
                    .name = cached.name},
         .body = body,
         .identity = {.name = std::string(own_name)}},
        objects::PatchType::merge, counted(cached.name));
}

// A write that was overtaken comes back with the change that overtook it. One that the store could
// not take comes back after a pause.
WriteAnswer CustomKinds::counted(std::string name) {
  return [this, name = std::move(name),
          alive = std::weak_ptr(alive_)](const Outcome<Written>& outcome) {
    if (alive.expired()) return;
    --under_way_;
    const bool overtaken = was_overtaken(outcome);
    if ((outcome && terminating_.contains(name)) || overtaken) owe(name);
    if (outcome || overtaken) return;
    context_.log.warning("a definition's status waits", {{"why", outcome.error().message}});
    context_.house.post_at(context_.clock.monotonic() + pause, [this, name, alive] {
      if (!alive.expired()) owe(name);
    });
  };
}

Outcome<> check_kind_stays(const Context& context, const Target& target) {
  if (target.kind->is_built_in) return {};
  const auto definitions = context.registry.find_resource(definitions_group, definitions_plural);
  const CachedObject* found = context.cache.find(*definitions, "", definition_name(*target.kind));
  const std::string_view made_by = objects::uid_of(target.kind->definition);
  const bool is_another = found != nullptr && !made_by.empty() && found->uid != made_by;
  if (found == nullptr || is_another) return failures::unknown_resource();
  if (!found->is_being_deleted) return {};
  return forbidden(target, "create not allowed while custom resource definition is terminating");
}

}  // namespace muster::server
