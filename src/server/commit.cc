// SPDX-License-Identifier: Apache-2.0
#include "server/commit.h"

#include <utility>

#include "server/stored_object.h"

namespace muster::server {

using objects::Value;

Present present(Context& context, const Target& target) {
  context.cache.catch_up();
  const CachedObject* cached = context.cache.find(*target.kind, target.name_space, target.name);
  if (cached == nullptr) return {};
  return {cached, context.trees.tree_of(cached->bytes)};
}

std::string_view Present::managed() const {
  return cached == nullptr ? std::string_view() : managed_text(cached->bytes.view());
}

Value shown(const Written& written) {
  return with_managed(written.object, written.bytes.is_none() ? std::string_view(written.managed)
                                                              : managed_text(written.bytes.view()));
}

void answer_later(Context& context, WriteAnswer done, Outcome<Written> outcome) {
  context.house.post([done = std::move(done), outcome = std::move(outcome)]() mutable {
    done(std::move(outcome));
  });
}

void put(Context& context, const Target& target, Value object, std::string_view managed,
         store::Expected expected, WriteAnswer done) {
  // It lives on in caches, and everybody who shows it adds a revision: one arena is shared by all
  // of them, and what admission left behind goes.
  if (object.arenas() > 1) object = Value::copy_of(object);
  store::Bytes bytes = stored_bytes(object, managed);
  context.trees.remember(bytes, object);
  const std::string key = key_of(*target.kind, target.name_space, target.name);
  store::Bytes bytes_to_store = bytes;
  auto written = [trees = context.trees.weak_from_this(), bytes = std::move(bytes),
                  done = std::move(done)](Result<store::Revision> revision) mutable {
    if (!revision) return done(std::move(revision).error());
    const auto alive = trees.lock();  // the store may answer after the server has gone
    Value shown = alive ? alive->tree_at(bytes, *revision) : TreeCache().tree_at(bytes, *revision);
    done(Written{.object = std::move(shown), .bytes = std::move(bytes), .revision = *revision});
  };
  context.store.put_if(key, std::move(bytes_to_store), expected, std::move(written));
}

void erase(Context& context, const Target& target, Value last, std::string managed,
           store::Revision revision, WriteAnswer done) {
  const std::string key = key_of(*target.kind, target.name_space, target.name);
  auto written = [last = std::move(last), managed = std::move(managed),
                  done = std::move(done)](Result<store::Revision> at) mutable {
    if (!at) return done(std::move(at).error());
    done(Written{.object = with_revision(last, *at),
                 .managed = std::move(managed),
                 .revision = *at,
                 .removed = true});
  };
  context.store.delete_if(key, store::Expected::exactly(revision), std::move(written));
}

bool was_overtaken(const Outcome<Written>& outcome) {
  if (outcome) return false;
  const std::string& why = outcome.error().reason;
  return why == reason(ErrorCode::conflict) || why == reason(ErrorCode::not_found);
}

Outcome<Written> as_seen_by_caller(const Target& target, Outcome<Written> outcome) {
  if (outcome) return outcome;
  const std::string& why = outcome.error().reason;
  if (why == reason(ErrorCode::conflict)) return stale(target);
  if (why == reason(ErrorCode::not_found)) return not_found(target);
  if (why == reason(ErrorCode::already_exists)) return already_exists(target);
  return outcome;
}

}  // namespace muster::server
