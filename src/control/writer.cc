// SPDX-License-Identifier: Apache-2.0
#include "control/writer.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "control/limits.h"
#include "objects/metadata.h"

namespace muster::control {

using core::Edit;
using objects::Value;

namespace {

std::string_view verb_name(Edit::Verb verb) {
  switch (verb) {
    case Edit::Verb::create:
      return "create";
    case Edit::Verb::update:
      return "update";
    case Edit::Verb::update_status:
      return "update_status";
    case Edit::Verb::remove:
      return "remove";
    case Edit::Verb::bind:
      return "bind";
    case Edit::Verb::record:
      return "record";
  }
  return "";
}

}  // namespace

client::Call call_of(const Edit& edit) {
  client::Call call{.resource = edit.resource};
  call.name_space = std::string(objects::namespace_of(edit.object));
  call.name = std::string(objects::name_of(edit.object));
  switch (edit.verb) {
    case Edit::Verb::create:
      call.verb = client::Verb::create;
      call.name.clear();
      call.body = edit.object;
      break;
    case Edit::Verb::update:
      call.verb = client::Verb::update;
      call.body = edit.object;
      break;
    case Edit::Verb::update_status:
      call.verb = client::Verb::update;
      call.subresource = "status";
      call.body = edit.object;
      break;
    case Edit::Verb::remove:
      call.verb = client::Verb::remove;
      call.grace_period_seconds = edit.grace_period_seconds;
      if (edit.in_foreground) call.propagation = client::Propagation::foreground;
      call.preconditions.uid = std::string(objects::uid_of(edit.object));
      break;
    case Edit::Verb::bind:
      call.verb = client::Verb::create;
      call.subresource = "binding";
      call.body = edit.object;
      break;
    case Edit::Verb::record:
      CHECK(edit.verb != Edit::Verb::record);  // notes are no calls
  }
  return call;
}

bool WriteOutcome::is_unknown() const {
  if (!refused) return false;
  switch (refused->code) {
    case ErrorCode::unavailable:
    case ErrorCode::timeout:
    case ErrorCode::internal:
      return true;
    default:
      return false;
  }
}

Writer::Writer(client::Api& api, client::ObjectCache& cache, EventRecorder& events,
               MetricRegistry& metrics, Log log)
    : api_(api),
      cache_(cache),
      events_(events),
      writes_total_(metrics
                        .counter({.name = "muster_control_writes_total",
                                  .help = "Writes of the controllers by what became of them.",
                                  .labels = {"resource", "verb", "result"}})
                        .must()),
      log_(std::move(log)) {}

void Writer::submit(std::vector<Edit> edits, Done done) {
  const Id id = id_next_++;
  List& list = lists_[id];
  list.done = std::move(done);
  for (Edit& edit : edits) {
    if (edit.verb != Edit::Verb::record) {
      list.writes.push_back({.edit = std::move(edit), .notes = {}});
    } else if (!edit.note) {
      continue;
    } else if (list.writes.empty()) {
      events_.record(*edit.note);
    } else {
      list.writes.back().notes.push_back(std::move(*edit.note));
    }
  }
  waiting_.push_back(id);
  send_waiting();
  finish_if_over(id);
}

void Writer::stop() {
  lifeline_.renew();
  lists_.clear();
  waiting_.clear();
  outstanding_ = 0;
}

void Writer::send_waiting() {
  while (!waiting_.empty() && outstanding_ < writes_outstanding_max) {
    const Id id = waiting_.front();
    const auto found = lists_.find(id);
    if (found == lists_.end() || !may_send(found->second)) {
      waiting_.pop_front();  // comes back with the answer it waits for
    } else {
      send(id, found->second);
    }
  }
}

bool Writer::may_send(const List& list) const {
  if (list.next == list.writes.size()) return false;
  return list.outstanding == 0 || list.writes[list.next].edit.alongside;
}

void Writer::send(Id id, List& list) {
  const std::size_t index = list.next++;
  ++list.outstanding;
  ++outstanding_;
  api_.call(call_of(list.writes[index].edit),
            lifeline_.guard([this, id, index](Result<Value> answer) {
              on_answer(id, index, std::move(answer));
            }));
}

void Writer::on_answer(Id id, std::size_t index, Result<Value> answer) {
  --outstanding_;
  List& list = lists_.at(id);
  --list.outstanding;
  const Write& write = list.writes[index];
  const Edit& edit = write.edit;
  writes_total_
      .with({edit.resource.plural, verb_name(edit.verb),
             answer ? std::string_view("done") : reason(answer.error().code)})
      .increment();
  if (answer) {
    ++counts_.written;
    if (edit.verb == Edit::Verb::remove) {
      cache_.saw_removed(edit.resource, edit.object, *answer);
    } else if (edit.verb != Edit::Verb::bind) {
      cache_.saw_written(edit.resource, *answer);
    }
    for (const core::Note& note : write.notes) events_.record(note);
  } else {
    ++counts_.refused;
    hear_of_absence(edit, answer.error());
    log_refusal(edit, answer.error());
    complain(edit, answer.error());
    if (list.outcome.done()) {
      list.outcome = {.refused = std::move(answer).error(), .resource = edit.resource};
      drop_rest(list);
    }
  }
  if (may_send(list)) waiting_.push_front(id);  // who began first ends first
  finish_if_over(id);
  send_waiting();
}

void Writer::drop_rest(List& list) {
  const auto first = list.writes.begin() + static_cast<std::ptrdiff_t>(list.next);
  const bool is_lost = list.outcome.is_unknown();
  list.writes.erase(
      std::remove_if(first, list.writes.end(),
                     [is_lost](const Write& write) { return is_lost || !write.edit.anyway; }),
      list.writes.end());
}

// What is not there any more must not be decided on until its watch says so, too: others would be
// preempted for it, again and again.
void Writer::hear_of_absence(const Edit& edit, const Error& error) {
  const bool names_object = edit.verb == Edit::Verb::update ||
                            edit.verb == Edit::Verb::update_status ||
                            edit.verb == Edit::Verb::remove;
  if (names_object && error.code == ErrorCode::not_found) {
    cache_.saw_removed(edit.resource, edit.object, Value());
  }
}

// Somebody else was faster: that happens all day. Anything else is news for who runs this.
void Writer::log_refusal(const Edit& edit, const Error& error) const {
  switch (error.code) {
    case ErrorCode::conflict:
    case ErrorCode::not_found:
    case ErrorCode::already_exists:
      return;
    default:
      log_.warning("a write was refused", {{"verb", verb_name(edit.verb)},
                                           {"resource", edit.resource.plural},
                                           {"object", objects::key_of(edit.object).to_string()},
                                           {"error", error.message}});
  }
}

void Writer::complain(const Edit& edit, const Error& error) {
  if (!edit.complaint || WriteOutcome{.refused = error}.is_unknown()) return;
  switch (error.code) {
    case ErrorCode::conflict:
    case ErrorCode::not_found:
    case ErrorCode::already_exists:
      return;
    default: {
      core::Note note = *edit.complaint;
      note.message += error.message;
      events_.record(note);
    }
  }
}

void Writer::finish_if_over(Id id) {
  const auto found = lists_.find(id);
  if (found == lists_.end()) return;
  List& list = found->second;
  if (list.next < list.writes.size() || list.outstanding > 0) return;
  Done done = std::move(list.done);
  const WriteOutcome outcome = std::move(list.outcome);
  lists_.erase(found);
  done(outcome);
}

}  // namespace muster::control
