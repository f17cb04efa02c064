// Writer: sends the edits of pure code to the API. The edits of one list go in order, each after
// the answer to the one before (those marked `alongside` do not wait), and the rest of a list is
// dropped at the first refusal, but for edits that go `anyway`. Lists are independent: they go out
// concurrently, writes_outstanding_max at a time, in the order in which they were submitted. Every
// answer is in the cache before anybody hears of it, also that an object is gone.
//
//   writer.submit(std::move(edits), [](const WriteOutcome& outcome) { … });
//
// Assumes: the house thread. Notes are recorded when the write before them has succeeded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "client/object_cache.h"
#include "control/events.h"
#include "core/edit.h"

namespace muster::control {

struct WriteOutcome {
  std::optional<Error> refused;     // the first refusal
  objects::Resource resource = {};  // of the refused write

  bool done() const { return !refused.has_value(); }

  // The answer was lost: it may have happened. Only a new list tells.
  bool is_unknown() const;
};

struct WriterCounts {
  std::uint64_t written = 0;
  std::uint64_t refused = 0;
};

class Writer {
 public:
  using Done = UniqueFunction<void(const WriteOutcome&)>;

  Writer(client::Api& api, client::ObjectCache& cache, EventRecorder& events,
         MetricRegistry& metrics, Log log = Log::silent());

  // `done` may be called before this returns where the list holds nothing but notes.
  void submit(std::vector<core::Edit> edits, Done done);

  // Nothing that was not sent is sent any more; nobody hears of what is under way.
  void stop();

  bool is_idle() const { return lists_.empty(); }
  const WriterCounts& counts() const { return counts_; }

 private:
  struct Write {
    core::Edit edit;
    std::vector<core::Note> notes;  // once it is done
  };
  struct List {
    std::vector<Write> writes;
    std::size_t next = 0;
    std::size_t outstanding = 0;
    WriteOutcome outcome;
    Done done;
  };
  using Id = std::uint64_t;

  void send_waiting();
  bool may_send(const List& list) const;
  void send(Id id, List& list);
  void on_answer(Id id, std::size_t index, Result<objects::Value> answer);
  static void drop_rest(List& list);
  void finish_if_over(Id id);
  void hear_of_absence(const core::Edit& edit, const Error& error);
  void log_refusal(const core::Edit& edit, const Error& error) const;
  void complain(const core::Edit& edit, const Error& error);

  client::Api& api_;
  client::ObjectCache& cache_;
  EventRecorder& events_;
  MetricFamily<Counter> writes_total_;
  Log log_;
  std::map<Id, List> lists_;
  std::deque<Id> waiting_;  // lists that have something to send
  Id id_next_ = 1;
  std::size_t outstanding_ = 0;
  WriterCounts counts_;
  client::Lifeline lifeline_;
};

// The request that carries the edit out.
client::Call call_of(const core::Edit& edit);

}  // namespace muster::control
