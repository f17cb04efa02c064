// KeyLoop: the shape of every level-triggered loop: subjects that may need something stand in
// line, a round looks at some of them and submits what pure code asks for, and a subject with
// writes under way is not looked at before they are answered, so that no decision is made from a
// view without its own last one.
//
//   KeyLoop loop(house, cache, writer, [&](const Subject& subject) { return Step{…}; });
//   loop.mark(subject);    // something about it changed
//
//            mark()           round: edits              answered, marked meanwhile
//   (none) ─────────► queued ─────────────► writing ─────────────────────────────► queued
//                      ▲ │ no edits            │ refused: backoff. lost: a new list, then backoff
//     mark(), due time │ ▼                     ▼
//                      waiting (look_again) ◄──┘      … or forgotten, when nothing is left to do
//
// Assumes: the house thread. Rounds begin with start(). The body answers no edits once all is well;
// after a success it is asked again only because something changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "client/backoff.h"
#include "client/list_watch.h"
#include "client/object_cache.h"
#include "control/limits.h"
#include "control/subject.h"
#include "control/writer.h"
#include "core/edit.h"

namespace muster::control {

struct Step {
  std::vector<core::Edit> edits;
  std::optional<Instant> look_again = {};
};

class KeyLoop {
 public:
  using Body = UniqueFunction<Step(const Subject&)>;

  KeyLoop(client::House house, client::ObjectCache& cache, Writer& writer, Body body);
  ~KeyLoop();
  KeyLoop(const KeyLoop&) = delete;
  KeyLoop& operator=(const KeyLoop&) = delete;

  void start();
  void stop();

  void mark(const Subject& subject);

  // After the span, unless it is marked before that.
  void mark_after(const Subject& subject, Span span);

  // Why the last writes for it were refused; null: they were not, or nothing is left to do.
  const WriteOutcome* refusal_of(const Subject& subject) const;

  // Nothing stands in line and nothing is being written. Timers may be set.
  bool is_idle() const { return queue_.empty() && writing_ == 0; }

 private:
  struct Item {
    bool queued = false;
    bool looked_at = false;  // by the body, which may mark whomever it likes, itself too
    bool writing = false;
    bool marked_meanwhile = false;
    client::Backoff backoff{refused_span_min, refused_span_max};
    std::optional<WriteOutcome> refusal;
    std::optional<TimerId> timer;
  };

  void enqueue(const Subject& subject, Item& item);
  void post_round();
  void round();
  void look_at(const Subject& subject);
  void wait(const Subject& subject, Item& item, Span span);
  void on_written(const Subject& subject, const WriteOutcome& outcome);
  void forget_if_idle(const Subject& subject);

  client::House house_;
  client::ObjectCache& cache_;
  Writer& writer_;
  Body body_;
  std::unordered_map<Subject, Item, SubjectHash> items_;  // never iterated but to end it
  std::deque<Subject> queue_;
  std::size_t writing_ = 0;
  bool started_ = false;
  bool round_posted_ = false;
  client::Lifeline lifeline_;
};

}  // namespace muster::control
