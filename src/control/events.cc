// SPDX-License-Identifier: Apache-2.0
#include "control/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/timestamp.h"
#include "base/utf8.h"
#include "control/limits.h"
#include "objects/metadata.h"

namespace muster::control {

using core::Note;
using objects::ObjectKey;
using objects::Value;

namespace {

constexpr std::size_t event_name_bytes_max = 253;
constexpr std::size_t hex_digits = 16;

std::string identity_of(const Note& note) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", note.component, objects::uid_of(note.about),
                     note.resource.plural, note.reason, note.message);
}

// Cut between characters.
std::string_view shortened(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

std::string event_name(std::string_view object, Random& random) {
  const std::string_view base = object.substr(0, event_name_bytes_max - hex_digits - 1);
  return fmt::format("{}.{:016x}", base, random.next());
}

Value text(std::string_view value) {
  return Value::string(value);
}

Value event_of(const Note& note, const std::string& name, const std::string& name_space,
               const std::string& now) {
  const ObjectKey about = objects::key_of(note.about);
  Value involved = Value::object({
      {"kind", text(note.resource.kind)},
      {"namespace", text(about.name_space)},
      {"name", text(about.name)},
      {"uid", text(objects::uid_of(note.about))},
      {"apiVersion", text(note.resource.api_version())},
      {"resourceVersion", text(objects::resource_version_of(note.about))},
  });
  return Value::object({
      {"apiVersion", text("v1")},
      {"kind", text("Event")},
      {"metadata", Value::object({{"name", text(name)}, {"namespace", text(name_space)}})},
      {"involvedObject", std::move(involved)},
      {"reason", text(note.reason)},
      {"message", text(shortened(note.message, event_message_bytes_max))},
      {"source", Value::object({{"component", text(note.component)}})},
      {"firstTimestamp", text(now)},
      {"lastTimestamp", text(now)},
      {"count", Value::integer(1)},
      {"type", text(note.warning ? "Warning" : "Normal")},
      {"reportingComponent", text(note.component)},
      {"reportingInstance", text("")},
  });
}

// Makes room by forgetting the half that was not heard of for longest: once in a while, not each
// time.
template <class Map>
void make_room(Map& map) {
  if (map.size() < event_series_max) return;
  std::vector<std::uint64_t> used;
  used.reserve(map.size());
  for (const auto& [identity, entry] : map) used.push_back(entry.used);
  const auto middle = used.begin() + static_cast<std::ptrdiff_t>(used.size() / 2);
  std::nth_element(used.begin(), middle, used.end());
  std::erase_if(map, [oldest = *middle](const auto& each) { return each.second.used <= oldest; });
}

}  // namespace

EventRecorder::~EventRecorder() {
  if (timer_) house_.executor.cancel(*timer_);
}

void EventRecorder::record(const Note& note) {
  ++heard_;
  if (waiting_.size() >= events_waiting_max || !is_allowed(note)) {
    ++dropped_;
    return;
  }
  const std::string identity = identity_of(note);
  auto found = series_.find(identity);
  if (found == series_.end()) {
    make_room(series_);
    found = series_.emplace(identity, Series()).first;
    Series& series = found->second;
    const ObjectKey about = objects::key_of(note.about);
    series.name_space = about.name_space.empty() ? "default" : about.name_space;
    series.name = event_name(about.name, house_.random);
    series.event = event_of(note, series.name, series.name_space,
                            format_time(Timestamp::of(house_.clock.wall())));
  }
  Series& series = found->second;
  series.used = heard_;
  ++series.count;
  if (!series.is_waiting) enqueue(identity, series);
}

bool EventRecorder::is_allowed(const Note& note) {
  const std::string identity = fmt::format("{}\n{}", note.component, objects::uid_of(note.about));
  const MonotonicInstant now = house_.clock.monotonic();
  auto found = buckets_.find(identity);
  if (found == buckets_.end()) {
    make_room(buckets_);
    found = buckets_.emplace(identity, Bucket{.tokens = event_burst_max, .filled = now}).first;
  }
  Bucket& bucket = found->second;
  bucket.used = heard_;
  const std::int64_t earned = (now - bucket.filled).nanoseconds / event_refill_span.nanoseconds;
  if (earned > 0) {
    bucket.tokens = std::min(event_burst_max, bucket.tokens + earned);
    bucket.filled = now;
  }
  if (bucket.tokens == 0) return false;
  --bucket.tokens;
  return true;
}

void EventRecorder::enqueue(const std::string& identity, Series& series) {
  series.is_waiting = true;
  waiting_.push_back(identity);
  send_next();
}

void EventRecorder::send_next() {
  while (outstanding_ < events_outstanding_max && !waiting_.empty()) {
    if (is_too_soon()) return;
    const std::string identity = std::move(waiting_.front());
    waiting_.pop_front();
    const auto found = series_.find(identity);
    if (found != series_.end()) send(identity, found->second);  // else forgotten meanwhile
  }
}

bool EventRecorder::is_too_soon() {
  if (timer_) return true;
  const MonotonicInstant now = house_.clock.monotonic();
  const Span credit{event_pace_span.nanoseconds * events_at_once_max};
  paid_until_ = std::max(paid_until_, now) + event_pace_span;
  if (paid_until_ - now <= credit) return false;
  paid_until_ = paid_until_ - event_pace_span;
  timer_ = house_.executor.post_at(now + event_pace_span, lifeline_.guard([this] {
    timer_.reset();
    send_next();
  }));
  return true;
}

void EventRecorder::send(const std::string& identity, Series& series) {
  const std::int64_t count = series.count;
  client::Call call{.resource = objects::resources::events};
  call.name_space = series.name_space;
  if (series.count_written == 0) {
    call.verb = client::Verb::create;
    call.body = series.event;
  } else {
    call.verb = client::Verb::patch;
    call.name = series.name;
    call.body =
        Value::object({{"count", Value::integer(count)},
                       {"lastTimestamp", text(format_time(Timestamp::of(house_.clock.wall())))}});
  }
  // A created Event says 1; what came meanwhile raises it afterwards.
  const std::int64_t written = series.count_written == 0 ? 1 : count;
  ++outstanding_;
  api_.call(std::move(call),
            lifeline_.guard([this, identity, written](const Result<Value>& answer) {
              on_answer(identity, answer.has_value(), written);
            }));
}

void EventRecorder::on_answer(const std::string& identity, bool done, std::int64_t count) {
  --outstanding_;
  ++(done ? recorded_ : dropped_);
  const auto found = series_.find(identity);
  if (found != series_.end()) {
    Series& series = found->second;
    series.is_waiting = false;
    if (done) {
      series.count_written = count;
      series.event = {};
      if (series.count > count) enqueue(identity, series);
    } else {
      series_.erase(found);  // it expired, or its namespace goes: the next note starts anew
    }
  }
  send_next();
}

}  // namespace muster::control
