// SPDX-License-Identifier: Apache-2.0
#include "server/quota_book.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/commit.h"
#include "server/limits.h"
#include "server/stored_object.h"

namespace muster::server {

using objects::Builder;
using objects::Kind;
using objects::Node;
using objects::Rewrite;
using objects::Value;

namespace {

bool is_quota(const CachedObject& object) {
  return object.kind->group.empty() && object.kind->plural == "resourcequotas";
}

// Events come and go too fast to be counted.
bool is_ignored(const Target& target) {
  return target.is("", "events") || target.is("events.k8s.io", "events");
}

// Whether the request may use more of a quota than what was there before.
bool may_use(const Admission& admission) {
  const Target& target = admission.target;
  if (!target.is_namespaced() || is_ignored(target)) return false;
  const bool creates = admission.operation == Operation::create;
  const bool updates = admission.operation == Operation::update;
  if (target.is("", "pods")) {
    if (target.subresource == "resize") return updates;
    if (!target.subresource.empty()) return false;
    return creates ||
           (updates && is_terminating(admission.object) != is_terminating(admission.old_object));
  }
  if (target.is("", "persistentvolumeclaims") && target.is_status()) return updates;
  if (!target.subresource.empty()) return false;
  if (target.is("", "services") || target.is("", "persistentvolumeclaims")) {
    return creates || updates;
  }
  return creates;
}

std::vector<std::string> names_counted(const ResourceList& hard, const Kind& kind) {
  std::vector<std::string> names;
  for (const auto& [name, amount] : hard) {
    if (counts_under(kind, name)) names.push_back(name);
  }
  return names;
}

ResourceList only(const ResourceList& list, const std::vector<std::string>& names) {
  ResourceList result;
  for (const std::string& name : names) {
    const auto found = list.find(name);
    if (found != list.end()) result.emplace(name, found->second);
  }
  return result;
}

void subtract(ResourceList& from, const ResourceList& less) {
  for (const auto& [name, amount] : less) from[name] -= amount;
}

void drop_what_is_not_positive(ResourceList& list) {
  std::erase_if(list, [](const auto& entry) { return entry.second.sign() <= 0; });
}

Value with_status(const Value& quota, const ResourceList& used) {
  Builder builder;
  builder.retain(quota);
  const Node::Member members[] = {{Builder::literal("hard"), quota["spec"]["hard"].node()},
                                  {Builder::literal("used"), node_of(used, builder)}};
  Rewrite root(quota);
  root.set("status", builder.object(members));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

}  // namespace

QuotaBook::QuotaBook(Context& context) : context_(context) {}

void QuotaBook::start() {
  const auto kind = context_.registry.find_resource("", "resourcequotas");
  if (kind == nullptr) return;
  for (const auto& [key, cached] : context_.cache.all_in(*kind, "")) {
    unread_.insert(cached.name_space);
  }
  if (!unread_.empty()) post_settle();
}

// --- admission --------------------------------------------------------------------------------

void QuotaBook::admit(Admission& admission, AdmitAnswer done) {
  const std::string& name_space = admission.target.name_space;
  if (!may_use(admission)) return done({});
  if (!pages_.contains(name_space) && !unread_.contains(name_space)) return done({});
  context_.cache.catch_up();
  if (unread_.erase(name_space) > 0) read_quotas(name_space);
  Page& page = pages_[name_space];
  auto amounts = check(admission, page);
  if (!amounts) return done(std::move(amounts).error());
  if (amounts->empty() || admission.dry_run) return done({});
  admission.keep(set_aside(admission, page, std::move(amounts).take()));
  page.waiting.push_back(std::move(done));
  write_statuses(name_space);
}

Outcome<QuotaBook::Amounts> QuotaBook::check(const Admission& admission, const Page& page) const {
  const Target& target = admission.target;
  // What a pod must say is asked by all quotas before any of them is found too small.
  for (const auto& [name, quota] : page.quotas) {
    if (!target.is("", "pods")) break;
    const auto names = names_counted(quota.hard, *target.kind);
    if (names.empty() || !scopes_hold(quota.scopes, *target.kind, admission.object)) continue;
    const std::string missing = missing_requests(names, admission.object["spec"]);
    if (!missing.empty())
      return forbidden(target, fmt::format("failed quota: {}: {}", name, missing));
  }
  Amounts amounts;
  for (const auto& [name, quota] : page.quotas) {
    ResourceList asked = ALLOWED(check_quota(admission, page, name, quota));
    if (!asked.empty()) amounts.emplace(name, std::move(asked));
  }
  return amounts;
}

Outcome<ResourceList> QuotaBook::check_quota(const Admission& admission, const Page& page,
                                             const std::string& name, const Quota& quota) const {
  const Target& target = admission.target;
  const Kind& kind = *target.kind;
  const auto names = names_counted(quota.hard, kind);
  if (names.empty() || !scopes_hold(quota.scopes, kind, admission.object)) return ResourceList();
  const ResourceList usage = quota_usage(kind, admission.object);
  std::vector<std::string> negative;
  for (const auto& [resource, amount] : usage) {
    if (amount.sign() < 0) negative.push_back(resource);
  }
  if (!negative.empty()) {
    return forbidden(target, fmt::format("quota usage is negative for resource(s): {}",
                                         fmt::join(negative, ",")));
  }
  ResourceList asked = only(usage, names);
  if (!admission.is_create() && scopes_hold(quota.scopes, kind, admission.old_object)) {
    subtract(asked, only(quota_usage(kind, admission.old_object), names));
  }
  drop_what_is_not_positive(asked);
  if (asked.empty() || target.is_status()) return asked;
  const ResourceList used = used_and_set_aside(page, name, quota, target.name_space);
  std::vector<std::string> exceeded;
  for (const auto& [resource, amount] : asked) {
    if (amount_of(used, resource) + amount > amount_of(quota.hard, resource)) {
      exceeded.push_back(resource);
    }
  }
  if (exceeded.empty()) return asked;
  return forbidden(target,
                   fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", name,
                               to_text(only(asked, exceeded)), to_text(only(used, exceeded)),
                               to_text(only(quota.hard, exceeded))));
}

ResourceList QuotaBook::used_and_set_aside(const Page& page, const std::string& name,
                                           const Quota& quota, std::string_view name_space) const {
  ResourceList used = quota.used;
  for (const SetAside& part : page.set_aside) {
    const auto amounts = part.amounts.find(name);
    if (amounts != part.amounts.end() && still_counts(part, name_space)) add(used, amounts->second);
  }
  return used;
}

bool QuotaBook::still_counts(const SetAside& part, std::string_view name_space) const {
  const CachedObject* now = context_.cache.find(*part.kind, name_space, part.name);
  if (part.replaces.is_none()) return now == nullptr || now->uid != part.uid;
  return now != nullptr && now->revision == part.replaces;
}

std::shared_ptr<void> QuotaBook::set_aside(const Admission& admission, Page& page,
                                           Amounts amounts) {
  const Target& target = admission.target;
  SetAside part{.kind = target.kind,
                .name = target.name,
                .uid = std::string(objects::uid_of(admission.object)),
                .replaces = {},
                .amounts = std::move(amounts)};
  if (!admission.is_create()) {
    const CachedObject* now = context_.cache.find(*target.kind, target.name_space, target.name);
    if (now == nullptr) return nullptr;  // the write will find that out
    part.replaces = now->revision;
  }
  page.set_aside.push_back(std::move(part));
  const auto at = std::prev(page.set_aside.end());
  auto give_back = [this, alive = std::weak_ptr(alive_), at,
                    name_space = target.name_space](void*) {
    if (alive.expired()) return;
    Page& mine = pages_[name_space];
    mine.set_aside.erase(at);
    mine.is_dirty = true;
    post_settle();
  };
  return {&*at, std::move(give_back)};
}

// --- sums -------------------------------------------------------------------------------------

void QuotaBook::on_change(const CacheChange& change) {
  const CachedObject& object = change.now != nullptr ? *change.now : *change.before;
  if (is_quota(object)) {
    const bool same_spec = change.before != nullptr && change.now != nullptr &&
                           context_.trees.tree_of(change.before->bytes)["spec"] ==
                               context_.trees.tree_of(change.now->bytes)["spec"];
    if (!same_spec) {
      unread_.insert(object.name_space);
      post_settle();
    }
  }
  const auto page = pages_.find(object.name_space);
  if (page == pages_.end()) return;
  for (auto& [name, quota] : page->second.quotas) {
    const ResourceList before = used_by(quota, change.before);
    const ResourceList now = used_by(quota, change.now);
    if (before == now) continue;
    subtract(quota.used, before);
    add(quota.used, now);
    page->second.is_dirty = true;
  }
  if (page->second.is_dirty) post_settle();
}

// What the object uses of the quota, under the names of the quota.
ResourceList QuotaBook::used_by(const Quota& quota, const CachedObject* object) const {
  if (object == nullptr) return {};
  const auto names = names_counted(quota.hard, *object->kind);
  if (names.empty()) return {};
  const Value tree = context_.trees.tree_of(object->bytes);
  if (!scopes_hold(quota.scopes, *object->kind, tree)) return {};
  return only(quota_usage(*object->kind, tree), names);
}

void QuotaBook::read_quotas(const std::string& name_space) {
  Page& page = pages_[name_space];
  page.quotas.clear();
  page.is_dirty = true;
  const auto quotas = context_.registry.find_resource("", "resourcequotas");
  for (const auto& [key, cached] : context_.cache.all_in(*quotas, name_space)) {
    const Value tree = context_.trees.tree_of(cached.bytes);
    Quota quota{.hard = resource_list_of(tree["spec"]["hard"]),
                .scopes = quota_scopes(tree["spec"])};
    for (const auto& [resource, amount] : quota.hard) {
      if (is_counted(context_.registry, resource)) quota.used.emplace(resource, Quantity());
    }
    page.quotas.emplace(cached.name, std::move(quota));
  }
  for (const auto& kind : context_.registry.kinds()) {
    if (kind->scope != objects::Scope::namespaced) continue;
    for (auto& [name, quota] : page.quotas) {
      if (names_counted(quota.hard, *kind).empty()) continue;
      for (const auto& [key, cached] : context_.cache.all_in(*kind, name_space)) {
        add(quota.used, used_by(quota, &cached));
      }
    }
  }
}

// --- status -----------------------------------------------------------------------------------

void QuotaBook::post_settle() {
  if (std::exchange(settle_posted_, true)) return;
  context_.house.post([this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) settle();
  });
}

void QuotaBook::settle() {
  settle_posted_ = false;
  context_.cache.catch_up();
  for (const std::string& name_space : std::exchange(unread_, {})) read_quotas(name_space);
  std::vector<std::string> dirty;
  for (auto& [name_space, page] : pages_) {
    if (page.is_dirty) dirty.push_back(name_space);
  }
  for (const std::string& name_space : dirty) write_statuses(name_space);
  std::erase_if(pages_, [](const auto& entry) {
    const Page& page = entry.second;
    return page.quotas.empty() && page.set_aside.empty() && page.waiting.empty() &&
           page.writes_under_way == 0;
  });
}

// One round: the status of every quota that differs, for everybody who waits.
void QuotaBook::write_statuses(const std::string& name_space) {
  Page& page = pages_[name_space];
  if (page.writes_under_way > 0) return;  // those who wait are the next round's
  page.is_dirty = false;
  page.failure.reset();
  for (AdmitAnswer& each : page.waiting) page.answering.push_back(std::move(each));
  page.waiting.clear();
  for (const auto& [name, quota] : page.quotas) {
    if (write_status(page, name_space, name)) ++page.writes_under_way;
  }
  if (page.writes_under_way == 0) end_round(name_space);
}

bool QuotaBook::write_status(const Page& page, const std::string& name_space,
                             const std::string& name) {
  const auto kind = context_.registry.find_resource("", "resourcequotas");
  const CachedObject* cached = context_.cache.find(*kind, name_space, name);
  if (cached == nullptr) return false;
  const Value tree = context_.trees.tree_of(cached->bytes);
  Value next = with_status(tree, used_and_set_aside(page, name, page.quotas.at(name), name_space));
  if (next["status"] == tree["status"]) return false;
  const Target target{
      .kind = kind, .version = &kind->storage_version(), .name_space = name_space, .name = name};
  const std::string managed(managed_text(cached->bytes.view()));
  put(context_, target, stored_form(next), managed, store::Expected::exactly(cached->revision),
      [this, alive = std::weak_ptr(alive_), name_space](const Outcome<Written>& written) {
        if (!alive.expired()) on_written(name_space, written);
      });
  return true;
}

void QuotaBook::on_written(const std::string& name_space, const Outcome<Written>& written) {
  Page& page = pages_[name_space];
  if (!written && !page.failure) page.failure = written.error();
  if (--page.writes_under_way > 0) return;
  end_round(name_space);
}

void QuotaBook::end_round(const std::string& name_space) {
  Page& page = pages_[name_space];
  const bool overtaken = page.failure && was_overtaken(Outcome<Written>(*page.failure));
  if (overtaken && ++page.attempts < write_attempts_max) {
    // Somebody else wrote the quota: those who wait go first in the next round.
    for (AdmitAnswer& each : page.waiting) page.answering.push_back(std::move(each));
    page.waiting = std::exchange(page.answering, {});
    context_.cache.catch_up();
    return write_statuses(name_space);
  }
  page.attempts = 0;
  const std::optional<Failure> failure = page.failure;
  if (failure) retry_later(page);
  for (AdmitAnswer& answer : std::exchange(page.answering, {})) {
    answer(failure ? Outcome<>(*failure) : Outcome<>());
  }
  if (!page.waiting.empty()) write_statuses(name_space);
}

// A disk that is full will have room again.
void QuotaBook::retry_later(Page& page) {
  page.is_dirty = true;
  context_.house.post_at(context_.clock.monotonic() + quota_retry_pause,
                         [this, alive = std::weak_ptr(alive_)] {
                           if (!alive.expired()) post_settle();
                         });
}

}  // namespace muster::server
