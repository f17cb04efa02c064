// ListWatch: follows one resource of an API for ever: a list, then a watch from the list's
// version, bookmarks included; a new list when the version has expired; the watch again from the
// last version seen when it closed for any other reason. The sink hears everything in order.
//
//   ListWatch pods({.resource = resources::pods}, api, {house, clock, random}, sink);
//   pods.start();
//
//                    list answered            closed: expired, or refresh()
//   stopped ──► listing ─────────► watching ───────────────────────────────► listing
//                 ▲ │ refused         ▲ │ closed otherwise
//                 └─┴ backoff         └─┴ backoff
//
// Assumes: the house thread. A list holds everything, so what it does not name is gone: deletions
// that were missed between watch and list are found by the sink (client/object_cache.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "base/random.h"
#include "client/api.h"
#include "client/backoff.h"
#include "client/lifeline.h"

namespace muster::client {

class ListWatchSink {
 public:
  virtual ~ListWatchSink() = default;

  // All objects there are, as of the version.
  virtual void on_list(const objects::Resource& resource, const Listed& list) = 0;

  // One change; of a bookmark only the version counts.
  virtual void on_event(const objects::Resource& resource, WatchEvent event) = 0;

  // It cannot be followed at present, and why: a list was refused, or a watch twice in a row. Not
  // told again before the reason has another code or all was well in between.
  virtual void on_trouble(const objects::Resource& /*resource*/, const Error& /*error*/) {}
};

// What every component on the house thread is given.
struct House {
  Executor& executor;
  const Clock& clock;
  Random& random;
};

// Which objects of a resource are followed.
struct Selection {
  objects::Resource resource;
  std::string name_space = {};  // empty: all
  std::string label_selector = {};
  std::string field_selector = {};
};

class ListWatch {
 public:
  ListWatch(Selection selection, Api& api, House house, ListWatchSink& sink);
  ~ListWatch();
  ListWatch(const ListWatch&) = delete;
  ListWatch& operator=(const ListWatch&) = delete;

  void start();
  void stop();

  // Lists anew; `then` is called after the sink has heard a list that was asked for after this
  // call. For a caller that lost an answer and must know what became of its write.
  void refresh(Task then);

  const objects::Resource& resource() const { return selection_.resource; }
  bool has_listed() const { return has_listed_; }

  // Lists so far: a number that grows quickly is a sign of trouble.
  std::uint64_t lists() const { return lists_; }

  // Why the last attempt failed; nothing while all is well.
  const std::optional<Error>& trouble() const { return trouble_; }

 private:
  enum class State : std::uint8_t { stopped, waiting, listing, watching };

  void list();
  void on_list(Result<Listed> answer);
  void watch();
  void on_event(WatchEvent event);
  void on_closed(const Error& error);

  void be_troubled(const Error& error, bool is_told);
  void be_well();

  // After the span that the backoff says, or at once.
  void try_again(bool from_list);

  Selection selection_;
  Api& api_;
  House house_;
  ListWatchSink& sink_;

  State state_ = State::stopped;
  std::string version_;
  bool has_listed_ = false;
  std::uint64_t lists_ = 0;
  std::optional<Error> trouble_;
  std::optional<ErrorCode> trouble_told_;
  Backoff backoff_;
  MonotonicInstant watching_since_ = {};
  bool is_list_new_ = false;  // no watch from it has closed
  std::optional<TimerId> timer_;
  std::vector<Task> refreshed_by_next_list_;
  std::vector<Task> refreshed_by_this_list_;
  std::unique_ptr<Watch> watch_;
  Lifeline lifeline_;
};

}  // namespace muster::client
