// SPDX-License-Identifier: Apache-2.0
#include "server/watch_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "server/limits.h"
#include "server/stored_object.h"

namespace muster::server {

using objects::FieldError;
using objects::FieldErrors;

namespace {

Failure refused_option(FieldError error) {
  FieldErrors errors;
  errors.add(std::move(error));
  return failures::invalid("meta.k8s.io", "ListOptions", "", errors);
}

Outcome<> check_initial_events(const WatchRequest& request) {
  if (!request.send_initial_events) {
    if (request.resource_version_match.empty()) return {};
    return refused_option(
        FieldError::forbidden("resourceVersionMatch",
                              "resourceVersionMatch is forbidden for watch unless "
                              "sendInitialEvents is provided"));
  }
  if (request.resource_version_match != "NotOlderThan") {
    FieldErrors errors;
    errors.add(FieldError::forbidden(
        "resourceVersionMatch",
        "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
    if (!request.resource_version_match.empty()) {
      const std::string supported[] = {"NotOlderThan"};
      errors.add(FieldError::not_supported("resourceVersionMatch",
                                           objects::Value::string(request.resource_version_match),
                                           supported));
    }
    return failures::invalid("meta.k8s.io", "ListOptions", "", errors);
  }
  if (!request.allow_bookmarks && *request.send_initial_events) {
    return refused_option(FieldError::forbidden(
        "sendInitialEvents", "sendInitialEvents requires allowWatchBookmarks to be set"));
  }
  return {};
}

}  // namespace

Outcome<std::unique_ptr<WatchFeed>> WatchFeed::open(Context& context, const WatchRequest& request,
                                                    Task on_ready) {
  ALLOWED(check_initial_events(request));
  Selection selection =
      ALLOWED(parse_selection(request.target, request.label_selector, request.field_selector));
  std::unique_ptr<WatchFeed> feed(
      new WatchFeed(context, request, std::move(selection), std::move(on_ready)));
  ALLOWED(feed->begin(request));
  feed->start_timers(request);
  return feed;
}

WatchFeed::WatchFeed(Context& context, const WatchRequest& request, Selection selection,
                     Task on_ready)
    : context_(context),
      target_(request.target),
      selection_(std::move(selection)),
      on_ready_(std::move(on_ready)),
      sends_bookmarks_(request.allow_bookmarks) {}

WatchFeed::~WatchFeed() {
  context_.house.cancel(bookmark_timer_);
  context_.house.cancel(end_timer_);
}

// Without a version, or with 0, what is there comes first, as it does for a caller who asks.
Outcome<> WatchFeed::begin(const WatchRequest& request) {
  const std::string& version = request.resource_version;
  const auto revision = version.empty() ? store::Revision() : parse_revision(version);
  if (!revision) {
    Failure failure;  // the peer's storage says so, without a reason
    failure.message = fmt::format(
        "resourceVersion: Invalid value: {0}: strconv.ParseUint: parsing {0}: invalid syntax",
        objects::go_quoted(version));
    return failure;
  }
  const bool sends_state = request.send_initial_events.value_or(revision->is_none());
  store::Revision after = *revision;
  if (sends_state || revision->is_none()) {
    const Snapshot now = ALLOWED(list(context_, {.target = target_,
                                                 .label_selector = request.label_selector,
                                                 .field_selector = request.field_selector}));
    if (*revision > now.revision) {
      return failures::too_large_resource_version(revision->value, now.revision.value);
    }
    if (sends_state) initial_.assign(now.items.begin(), now.items.end());
    after = now.revision;
    owes_initial_end_ = sends_state && sends_bookmarks_ &&
                        (request.send_initial_events.has_value() || version == "0");
  }
  initial_revision_ = seen_ = after;
  auto watch = context_.store.watch_from(after, prefix_of(*target_.kind, target_.name_space),
                                         [this] { wake(); });
  if (!watch && watch.error().code == ErrorCode::expired) {
    return failures::too_old_resource_version(after.value,
                                              context_.store.statistics().compacted.value);
  }
  watch_ = TRY(std::move(watch));
  return {};
}

void WatchFeed::start_timers(const WatchRequest& request) {
  const std::int64_t seconds = std::clamp<std::int64_t>(
      request.timeout_seconds.value_or(watch_seconds_default), 0, 1'000'000);
  const MonotonicInstant now = context_.clock.monotonic();
  const std::int64_t length = seconds == 0 ? watch_seconds_default : seconds;
  end_timer_ = context_.house.post_at(now + Span::of_seconds(length), [this] {
    timed_out_ = true;
    wake();
  });
  kind_subscription_ = context_.kind_changes.subscribe(target_.kind, [this] {
    kind_changed_ = true;
    wake();
  });
  if (sends_bookmarks_) {
    bookmark_timer_ = context_.house.post_at(now + bookmark_period, [this] { bookmark_due(); });
  }
}

void WatchFeed::bookmark_due() {
  bookmark_due_ = true;
  bookmark_timer_ = context_.house.post_at(context_.clock.monotonic() + bookmark_period,
                                           [this] { bookmark_due(); });
  wake();
}

void WatchFeed::wake() {
  if (!std::exchange(waiting_, false)) return;
  if (on_ready_) on_ready_();
}

std::optional<Change> WatchFeed::change_of(const store::Event& event) const {
  const bool now = !event.is_delete() && selects(context_, target_, selection_, event.value);
  const bool before = !event.previous_value.is_none() &&
                      selects(context_, target_, selection_, event.previous_value);
  if (now) {
    return Change{before ? Change::Type::modified : Change::Type::added, event.value,
                  event.revision};
  }
  if (before) return Change{Change::Type::deleted, event.previous_value, event.revision};
  return std::nullopt;
}

// False when the limit was reached.
bool WatchFeed::take_initial(std::size_t limit, FeedStep& step) {
  while (!initial_.empty()) {
    if (step.changes.size() >= limit) return false;
    step.changes.push_back(
        {Change::Type::added, std::move(initial_.front().bytes), initial_.front().revision});
    initial_.pop_front();
  }
  if (std::exchange(owes_initial_end_, false)) {
    step.changes.push_back({Change::Type::initial_events_end, {}, initial_revision_});
  }
  return true;
}

void WatchFeed::take_live(std::size_t limit, FeedStep& step) {
  auto batch = watch_->take(limit);
  if (!batch) {
    step.ended = true;
    step.failure = batch.error().code == ErrorCode::expired
                       ? failures::too_old_resource_version(
                             seen_.value, context_.store.statistics().compacted.value)
                       : Failure(batch.error());
    return;
  }
  for (const store::EventPointer& event : batch->events) {
    if (auto change = change_of(*event)) step.changes.push_back(std::move(*change));
  }
  seen_ = std::max(seen_, batch->revision);
  step.more = batch->more;
}

FeedStep WatchFeed::take(std::size_t limit) {
  FeedStep step;
  if (!take_initial(limit, step)) {
    step.more = true;
    return step;
  }
  take_live(limit, step);
  if (!step.ended && !step.more) {
    step.ended = timed_out_ || kind_changed_;
    const bool marks = sends_bookmarks_ && (bookmark_due_ || timed_out_);
    if (marks) step.changes.push_back({Change::Type::bookmark, {}, seen_});
    bookmark_due_ = false;
  }
  waiting_ = !step.more && !step.ended;
  return step;
}

}  // namespace muster::server
