// EventRecorder: turns the notes of pure code into core/v1 Events. The same thing said again about
// the same object raises the count of the Event that is there; an object that says too much is not
// listened to for a while, and all objects together are told of at a bounded pace. Events are an
// aid for people: they never hold up a decision, and one that cannot be written is lost.
//
//   recorder.record({.resource = resources::jobs, .about = job, .reason = "Started", …});
//
// Assumes: the house thread. Names are <object>.<hex>, as client-go makes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "client/api.h"
#include "client/lifeline.h"
#include "client/list_watch.h"
#include "core/edit.h"

namespace muster::control {

class EventRecorder {
 public:
  EventRecorder(client::Api& api, client::House house) : api_(api), house_(house) {}
  ~EventRecorder();
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  void record(const core::Note& note);

  std::uint64_t recorded() const { return recorded_; }  // notes that became or raised an Event
  std::uint64_t dropped() const { return dropped_; }    // too many, or refused

  bool is_idle() const { return outstanding_ == 0 && waiting_.empty(); }

 private:
  // One Event in the API, by what makes two notes the same.
  struct Series {
    std::string name_space;
    std::string name;
    std::int64_t count = 0;
    std::int64_t count_written = 0;  // 0: not created yet
    bool is_waiting = false;         // in line, or under way
    std::uint64_t used = 0;          // when it was last heard of
    objects::Value event = {};       // until it has been created
  };
  struct Bucket {
    std::int64_t tokens = 0;
    MonotonicInstant filled = {};
    std::uint64_t used = 0;
  };

  bool is_allowed(const core::Note& note);
  void enqueue(const std::string& identity, Series& series);
  void send_next();
  void send(const std::string& identity, Series& series);
  bool is_too_soon();
  void on_answer(const std::string& identity, bool done, std::int64_t count);

  client::Api& api_;
  client::House house_;
  std::map<std::string, Series> series_;
  std::map<std::string, Bucket> buckets_;  // by component and uid
  std::deque<std::string> waiting_;        // identities of series
  std::size_t outstanding_ = 0;
  MonotonicInstant paid_until_ = {};  // as if all were sent at their pace
  std::optional<TimerId> timer_;      // while the pace holds the next one back
  std::uint64_t heard_ = 0;
  std::uint64_t recorded_ = 0;
  std::uint64_t dropped_ = 0;
  client::Lifeline lifeline_;
};

}  // namespace muster::control
