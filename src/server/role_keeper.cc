// SPDX-License-Identifier: Apache-2.0
#include "server/role_keeper.h"

#include <array>
#include <utility>
#include <vector>

#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/default_roles.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::Value;

namespace {

constexpr std::array<std::string_view, 4> plurals = {"roles", "clusterroles", "rolebindings",
                                                     "clusterrolebindings"};

bool is_role_or_binding(const CachedObject& object) {
  return object.kind->group == rbac_group;
}

Identity keeper_identity() {
  return {.name = "system:muster:role-keeper", .groups = {std::string(masters_group)}};
}

Value with_rules(const Value& role, const Value& rules) {
  Builder builder;
  builder.retain(role);
  Rewrite root(role);
  root.set("rules", rules.view().empty() ? Builder::null() : builder.embed(rules));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

}  // namespace

objects::KindRegistry::Found RoleKeeper::kind_of(const Value& object) const {
  const std::string_view kind = object["kind"].string_or("");
  for (const std::string_view plural : plurals) {
    auto found = context_.registry.find_resource(rbac_group, plural);
    if (found != nullptr && found->kind == kind) return found;
  }
  return nullptr;
}

void RoleKeeper::start(bool with_defaults) {
  keeps_ = with_defaults;
  for (const std::string_view plural : plurals) {
    const auto kind = context_.registry.find_resource(rbac_group, plural);
    if (kind == nullptr) continue;
    for (const auto& [key, object] : context_.cache.all_in(*kind, "")) {
      index_.put(context_.trees.tree_of(object.bytes));
    }
  }
  if (!keeps_) return;
  for (const Value& wanted : default_policy()) ensure_default(wanted);
  // Those of a namespace come last, when it is there.
  for (std::size_t count = 0; count < role_writes_max; ++count) write_next();
  aggregate_later();
}

void RoleKeeper::on_change(const CacheChange& change) {
  const CachedObject* about = change.now != nullptr ? change.now : change.before;
  if (!is_role_or_binding(*about)) return;
  if (change.now != nullptr) {
    index_.put(context_.trees.tree_of(change.now->bytes));
  } else {
    index_.erase(about->kind->kind, about->name_space, about->name);
  }
  if (about->kind->kind == "ClusterRole") aggregate_later();
}

void RoleKeeper::ensure_default(const Value& wanted) {
  const auto kind = kind_of(wanted);
  if (kind == nullptr) {
    index_.put(wanted);
    return;
  }
  const CachedObject* found =
      context_.cache.find(*kind, objects::namespace_of(wanted), objects::name_of(wanted));
  if (found == nullptr) {
    index_.put(wanted);
    work_.push_back({wanted});
    return;
  }
  Reconciled next = reconcile_default(wanted, context_.trees.tree_of(found->bytes));
  if (!next.changed) return;
  Value object = wanted;
  if (!next.recreate) object = std::move(next.object);
  index_.put(object);
  work_.push_back({std::move(object), next.recreate});
}

void RoleKeeper::write_next() {
  if (work_.empty()) return;
  const Work work = std::move(work_.front());
  work_.pop_front();
  write(work);
}

void RoleKeeper::write(const Work& work) {
  const auto kind = kind_of(work.object);
  Target target{.kind = kind,
                .version = &kind->storage_version(),
                .name_space = std::string(objects::namespace_of(work.object)),
                .name = std::string(objects::name_of(work.object))};
  const CachedObject* found = context_.cache.find(*kind, target.name_space, target.name);
  if (work.recreate && found != nullptr) {
    return remove(context_, {.target = std::move(target), .identity = keeper_identity()},
                  [this, alive = alive_, object = work.object](const Outcome<Written>& removed) {
                    if (*alive && removed) write({object});
                  });
  }
  WriteAnswer done = [this, alive = alive_](const Outcome<Written>& written) {
    if (!*alive) return;
    if (!written) {
      context_.log.warning("a default role was not written", {{"why", written.error().message}});
    }
    write_next();
  };
  WriteRequest request{
      .target = std::move(target), .body = work.object, .identity = keeper_identity()};
  if (found == nullptr) return create(context_, std::move(request), std::move(done));
  update(context_, std::move(request), std::move(done));
}

void RoleKeeper::aggregate_later() {
  if (!keeps_ || std::exchange(aggregation_posted_, true)) return;
  context_.house.post([this, alive = alive_] {
    if (*alive) aggregate();
  });
}

// A change of one aggregated role may concern another; the write's own change brings us back here.
void RoleKeeper::aggregate() {
  aggregation_posted_ = false;
  const auto kind = context_.registry.find_resource(rbac_group, "clusterroles");
  if (kind == nullptr) return;
  std::vector<Value> roles;
  for (const auto& [key, object] : context_.cache.all_in(*kind, "")) {
    roles.push_back(context_.trees.tree_of(object.bytes));
  }
  for (const Value& role : roles) {
    if (role["aggregationRule"]["clusterRoleSelectors"].empty()) continue;
    if (objects::is_being_deleted(role)) continue;
    const Value rules = aggregated_rules(role, roles);
    const bool same = rules == role["rules"] || (rules.view().empty() && role["rules"].empty());
    if (same) continue;
    update(context_,
           {.target = {.kind = kind,
                       .version = &kind->storage_version(),
                       .name = std::string(objects::name_of(role))},
            .body = with_rules(role, rules),
            .identity = keeper_identity()},
           [](const Outcome<Written>&) {});
  }
}

}  // namespace muster::server
