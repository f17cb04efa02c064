// SPDX-License-Identifier: Apache-2.0
#include "server/disruption_keeper.h"

#include <utility>
#include <vector>

#include "server/commit.h"
#include "server/disruption.h"
#include "server/stored_object.h"
#include "server/write.h"

namespace muster::server {

using objects::Value;

namespace {

constexpr std::string_view own_name = "system:muster:disruption";

constexpr Span gathering_span = Span::of_milliseconds(20);
constexpr Span refused_span = Span::of_seconds(1);

}  // namespace

DisruptionKeeper::DisruptionKeeper(Context& context) : context_(context) {}

void DisruptionKeeper::start() {
  const auto kind = context_.registry.find_resource("policy", "poddisruptionbudgets");
  if (kind == nullptr) return;
  for (const auto& [key, budget] : context_.cache.all_in(*kind, "")) {
    ++budgets_[budget.name_space];
    owe(budget.name_space);
  }
}

void DisruptionKeeper::on_change(const CacheChange& change) {
  const CachedObject& object = change.now != nullptr ? *change.now : *change.before;
  if (is_budget(*object.kind)) {
    if (change.before == nullptr) ++budgets_[object.name_space];
    if (change.now == nullptr && --budgets_[object.name_space] == 0) {
      budgets_.erase(object.name_space);
    }
    if (change.now != nullptr) owe(object.name_space);
    return;
  }
  const bool is_pod = object.kind->group.empty() && object.kind->plural == "pods";
  if (is_pod && budgets_.contains(object.name_space)) owe(object.name_space);
}

void DisruptionKeeper::owe(const std::string& name_space) {
  owed_.insert(name_space);
  if (std::exchange(turn_posted_, true)) return;
  context_.house.post_at(context_.clock.monotonic() + gathering_span,
                         [this, alive = std::weak_ptr(alive_)] {
                           if (!alive.expired()) turn();
                         });
}

// One timer at most for a namespace: the first that is due looks at everything there.
void DisruptionKeeper::owe_later(const std::string& name_space, Span after) {
  if (!later_.insert(name_space).second) return;
  context_.house.post_at(context_.clock.monotonic() + after,
                         [this, name_space, alive = std::weak_ptr(alive_)] {
                           if (alive.expired()) return;
                           later_.erase(name_space);
                           owe(name_space);
                         });
}

void DisruptionKeeper::turn() {
  turn_posted_ = false;
  context_.cache.catch_up();
  const auto kind = context_.registry.find_resource("policy", "poddisruptionbudgets");
  if (kind == nullptr) return;
  std::vector<CachedObject> budgets;  // copies: the verbs let the cache catch up
  for (const std::string& name_space : std::exchange(owed_, {})) {
    for (const auto& [key, budget] : context_.cache.all_in(*kind, name_space)) {
      if (!budget.is_being_deleted) budgets.push_back(budget);
    }
  }
  for (const CachedObject& budget : budgets) settle(budget);
}

void DisruptionKeeper::settle(const CachedObject& budget) {
  const Value tree = context_.trees.tree_of(budget.bytes);
  const Disruption counted = disruption_of(context_, tree);
  if (counted.look_again) {
    owe_later(budget.name_space, *counted.look_again - context_.clock.wall() + refused_span);
  }
  const Value next = with_status(tree, counted, context_.clock.wall());
  if (next["status"] == tree["status"]) return;
  update(context_,
         {.target = {.kind = budget.kind,
                     .version = &budget.kind->storage_version(),
                     .name_space = budget.name_space,
                     .name = budget.name,
                     .subresource = "status"},
          .body = with_revision(next, budget.revision),
          .identity = {.name = std::string(own_name)}},
         [this, name_space = budget.name_space,
          alive = std::weak_ptr(alive_)](const Outcome<Written>& written) {
           if (alive.expired() || written || was_overtaken(written)) return;
           context_.log.warning("a disruption budget waits", {{"why", written.error().message}});
           owe_later(name_space, refused_span);
         });
}

}  // namespace muster::server
