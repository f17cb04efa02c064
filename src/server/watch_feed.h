// WatchFeed: the changes of a collection as one watcher should see them: what is there first, where
// it asked for that, then what happens, in the order of revisions, relative to its selectors. The
// two forms of a watch, text (server/watch_stream.h) and values (server/in_process_api.cc), pull
// from it.
//
//   auto feed = ALLOWED(WatchFeed::open(context, request, [] { more(); }));
//   FeedStep step = feed->take(256);
//
//   initial state ──► initial events end ──► live ──► ended (timeout, expired, cut off, its kind
//                                                     is another one or gone)
//
// An object that stops matching is deleted for this watcher, one that begins to match is added. A
// deletion shows the last state under the revision of its end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "server/context.h"
#include "server/outcome.h"
#include "server/read.h"
#include "server/target.h"

namespace muster::server {

struct WatchRequest {
  Target target;
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};
  std::string resource_version_match = {};
  std::optional<bool> send_initial_events = {};
  bool allow_bookmarks = false;
  std::optional<std::int64_t> timeout_seconds = {};
};

struct Change {
  enum class Type : std::uint8_t { added, modified, deleted, bookmark, initial_events_end };
  Type type = Type::added;
  store::Bytes bytes = {};  // none for a bookmark
  store::Revision revision;
};

struct FeedStep {
  std::vector<Change> changes;
  bool more = false;  // there is more to take now; otherwise on_ready comes once when there is
  bool ended = false;
  std::optional<Failure> failure = {};  // why it ended, when not by its own time
};

class WatchFeed {
 public:
  // A version that is too old fails here or in the first step, as the store finds out.
  static Outcome<std::unique_ptr<WatchFeed>> open(Context& context, const WatchRequest& request,
                                                  Task on_ready);
  ~WatchFeed();
  WatchFeed(const WatchFeed&) = delete;
  WatchFeed& operator=(const WatchFeed&) = delete;

  FeedStep take(std::size_t limit);

  // For the words of an error.
  const Target& target() const { return target_; }

 private:
  WatchFeed(Context& context, const WatchRequest& request, Selection selection, Task on_ready);

  Outcome<> begin(const WatchRequest& request);
  void start_timers(const WatchRequest& request);
  void wake();
  void bookmark_due();
  std::optional<Change> change_of(const store::Event& event) const;
  bool take_initial(std::size_t limit, FeedStep& step);
  void take_live(std::size_t limit, FeedStep& step);

  Context& context_;
  Target target_;
  Selection selection_;
  Task on_ready_;
  std::deque<Item> initial_;
  bool owes_initial_end_ = false;
  store::Revision initial_revision_;
  store::Revision seen_;  // every event up to here has been handed out
  std::unique_ptr<store::Watch> watch_;
  bool sends_bookmarks_ = false;
  bool bookmark_due_ = false;
  bool timed_out_ = false;
  bool kind_changed_ = false;  // or gone: a client that comes back finds out
  KindChanges::Subscription kind_subscription_;
  bool waiting_ = false;  // the last step had all there was
  TimerId bookmark_timer_;
  TimerId end_timer_;
};

}  // namespace muster::server
