// Upkeep: what the server forgets by itself: history beyond what late watchers need, and core
// Events an hour after their last change. Timers stand only while there is something to forget.
//
//   Upkeep upkeep(context);
//   cache.set_on_change([&](const CacheChange& change) { upkeep.on_change(change); });
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "base/executor.h"
#include "server/context.h"
#include "server/object_cache.h"

namespace muster::server {

class Upkeep {
 public:
  explicit Upkeep(Context& context);
  ~Upkeep();
  Upkeep(const Upkeep&) = delete;
  Upkeep& operator=(const Upkeep&) = delete;

  // The cache is loaded: events of before get the rest of their time.
  void start();

  void on_change(const CacheChange& change);

 private:
  struct Mark {
    MonotonicInstant at;
    store::Revision revision;
  };
  struct Expiry {
    MonotonicInstant due;
    std::string uid;
    store::Revision revision;  // a later change has a later expiry of its own
  };

  void arm_compaction();
  void mark_and_compact();
  void expire_at(const CachedObject& event, MonotonicInstant due);
  void arm_expiry();
  void expire();

  Context& context_;
  std::deque<Mark> marks_;  // where the store was, oldest first
  store::Revision compacted_;
  bool compaction_armed_ = false;
  TimerId compaction_timer_;
  std::deque<Expiry> expiries_;  // in the order of due
  bool expiry_armed_ = false;
  TimerId expiry_timer_;
};

}  // namespace muster::server
