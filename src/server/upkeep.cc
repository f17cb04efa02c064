// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep.h"

#include <algorithm>
#include <utility>

#include "objects/metadata.h"
#include "server/limits.h"
#include "server/write.h"

namespace muster::server {

using objects::Value;

namespace {

constexpr std::string_view upkeep_name = "system:muster:upkeep";

bool is_event(const CachedObject& object) {
  return object.kind->group.empty() && object.kind->plural == "events";
}

}  // namespace

Upkeep::Upkeep(Context& context) : context_(context) {}

Upkeep::~Upkeep() {
  context_.house.cancel(compaction_timer_);
  context_.house.cancel(expiry_timer_);
}

void Upkeep::start() {
  const auto events = context_.registry.find_resource("", "events");
  const Instant now = context_.clock.wall();
  for (const auto& [key, object] : context_.cache.all_in(*events, "")) {
    const Value tree = context_.trees.tree_of(object.bytes);
    auto last = objects::instant_of(tree["lastTimestamp"]);
    if (!last) last = objects::instant_of(tree["metadata"]["creationTimestamp"]);
    const Span age = std::clamp(now - last.value_or(now), Span(), events_kept);
    expire_at(object, context_.clock.monotonic() + (events_kept - age));
  }
  std::ranges::stable_sort(expiries_, {}, &Expiry::due);
  arm_expiry();
  arm_compaction();
}

void Upkeep::on_change(const CacheChange& change) {
  arm_compaction();
  if (change.now == nullptr || !is_event(*change.now)) return;
  expire_at(*change.now, context_.clock.monotonic() + events_kept);
  arm_expiry();
}

void Upkeep::arm_compaction() {
  if (std::exchange(compaction_armed_, true)) return;
  compaction_timer_ = context_.house.post_at(context_.clock.monotonic() + compaction_period,
                                             [this] { mark_and_compact(); });
}

void Upkeep::mark_and_compact() {
  compaction_armed_ = false;
  context_.trees.keep_usual();
  const MonotonicInstant now = context_.clock.monotonic();
  const store::Revision newest = context_.store.revision();
  if (marks_.empty() || marks_.back().revision != newest) marks_.push_back({now, newest});
  store::Revision target = compacted_;
  while (!marks_.empty() && now - marks_.front().at >= history_kept) {
    target = marks_.front().revision;
    marks_.pop_front();
  }
  if (target > compacted_) {
    compacted_ = target;
    context_.store.compact(target, [log = context_.log](const Result<>& done) {
      if (!done) log.warning("history not compacted", {{"why", done.error().message}});
    });
  }
  if (!marks_.empty()) arm_compaction();
}

void Upkeep::expire_at(const CachedObject& event, MonotonicInstant due) {
  expiries_.push_back({due, event.uid, event.revision});
}

void Upkeep::arm_expiry() {
  if (expiries_.empty() || std::exchange(expiry_armed_, true)) return;
  expiry_timer_ = context_.house.post_at(expiries_.front().due, [this] { expire(); });
}

void Upkeep::expire() {
  expiry_armed_ = false;
  context_.cache.catch_up();
  const MonotonicInstant now = context_.clock.monotonic();
  for (std::size_t i = 0; i < upkeep_writes_max; ++i) {
    if (expiries_.empty() || expiries_.front().due > now) break;
    const Expiry expiry = std::move(expiries_.front());
    expiries_.pop_front();
    const CachedObject* event = context_.cache.find_uid(expiry.uid);
    if (event == nullptr || event->revision != expiry.revision) continue;
    const auto kind = context_.registry.find_resource("", "events");
    remove(context_,
           {.target = {.kind = kind,
                       .version = &kind->storage_version(),
                       .name_space = event->name_space,
                       .name = event->name},
            .preconditions = {.uid = event->uid},
            .identity = {.name = std::string(upkeep_name)}},
           [](const Outcome<Written>&) {});
  }
  arm_expiry();
}

}  // namespace muster::server
