// SPDX-License-Identifier: Apache-2.0
#include "server/watch_stream.h"

#include <fmt/format.h>

#include <utility>

#include "objects/json.h"
#include "server/limits.h"
#include "server/stored_object.h"
#include "server/write.h"

namespace muster::server {

using objects::Value;

namespace {

constexpr std::string_view initial_events_end = "k8s.io/initial-events-end";

std::string_view name_of(Change::Type type) {
  switch (type) {
    case Change::Type::added:
      return "ADDED";
    case Change::Type::modified:
      return "MODIFIED";
    case Change::Type::deleted:
      return "DELETED";
    case Change::Type::bookmark:
    case Change::Type::initial_events_end:
      return "BOOKMARK";
  }
  return "ERROR";
}

Value bookmark(const Target& target, const Change& change) {
  const Value version = Value::string(fmt::to_string(change.revision.value));
  const Value metadata =
      change.type == Change::Type::initial_events_end
          ? Value::object(
                {{"resourceVersion", version},
                 {"annotations", Value::object({{initial_events_end, Value::string("true")}})}})
          : Value::object({{"resourceVersion", version}});
  return Value::object({{"kind", Value::string(target.kind->kind)},
                        {"apiVersion", Value::string(target.api_version())},
                        {"metadata", metadata}});
}

std::string event_text(std::string_view type, std::string_view object) {
  return fmt::format(R"({{"type":"{}","object":{}}})"
                     "\n",
                     type, object);
}

}  // namespace

Piece error_event(const Failure& failure) {
  return Piece::copy_of(event_text("ERROR", objects::to_json(status_of(failure))));
}

const Piece* EncodedEvents::find(const Key& key) const {
  const auto found = texts_.find(key);
  return found == texts_.end() ? nullptr : &found->second;
}

void EncodedEvents::keep(const Key& key, Piece text) {
  if (!texts_.emplace(key, std::move(text)).second) return;
  order_.push_back(key);
  if (order_.size() <= encoded_events_kept_max) return;
  texts_.erase(order_.front());
  order_.pop_front();
}

WatchStream::WatchStream(Context& context, EncodedEvents& encoded, Target target,
                         const AnswerForm& form)
    : context_(context), encoded_(encoded), target_(std::move(target)), form_(form) {}

void WatchStream::wake() {
  if (std::exchange(starved_, false) && on_ready_) on_ready_();
}

Value WatchStream::object_of(const Change& change) {
  const bool columns = !std::exchange(sent_first_, true);
  if (change.bytes.is_none()) {
    Value mark = bookmark(target_, change);
    if (!is_table(form_.form.shape)) return mark;
    const Value empty =
        Value::object({{"metadata", mark.part(mark["metadata"])}, {"items", Value::array({})}});
    const TablePrinter printer(*target_.kind, *target_.version);
    return printer.list(empty, {.shape = form_.form.shape,
                                .include = form_.include,
                                .columns = columns,
                                .now = context_.clock.wall()});
  }
  const Value tree = with_revision(context_.trees.tree_of(change.bytes), change.revision);
  const auto object = in_version(target_, with_managed(tree, managed_text(change.bytes.view())));
  return object ? shaped(context_, target_, form_, *object, columns) : Value::null();
}

Piece WatchStream::made_text(const Change& change) {
  const bool as_stored = form_.form.shape == Shape::plain && !change.bytes.is_none() &&
                         is_shown_as_stored(target_, {change.bytes, change.revision});
  if (!as_stored) {
    return Piece::copy_of(event_text(name_of(change.type), objects::to_json(object_of(change))));
  }
  std::string object;
  append_with_revision(change.bytes.view(), change.revision, object);
  return Piece::copy_of(event_text(name_of(change.type), object));
}

Piece WatchStream::text_of(const Change& change) {
  // Tables show ages and begin with their columns, and are each watcher's own.
  if (is_table(form_.form.shape) || change.bytes.is_none()) return made_text(change);
  const EncodedEvents::Key key{change.revision, change.type, target_.version, form_.form.shape};
  if (const Piece* known = encoded_.find(key)) return *known;
  Piece text = made_text(change);
  encoded_.keep(key, text);
  return text;
}

StreamStep WatchStream::take(std::size_t bytes_max) {
  StreamStep step;
  std::size_t bytes = 0;
  while (bytes < bytes_max) {
    if (changes_.empty()) {
      if (ended_) {
        if (failure_) step.pieces.push_back(error_event(*failure_));
        failure_.reset();
        break;
      }
      FeedStep next = feed_->take(watch_events_per_turn_max);
      changes_.assign(std::make_move_iterator(next.changes.begin()),
                      std::make_move_iterator(next.changes.end()));
      ended_ = next.ended;
      failure_ = std::move(next.failure);
      if (changes_.empty() && !next.more && !ended_) break;
      continue;
    }
    step.pieces.push_back(text_of(changes_.front()));
    bytes += step.pieces.back().size();
    changes_.pop_front();
  }
  step.ended = ended_ && changes_.empty();
  starved_ = step.pieces.empty() && !step.ended;
  return step;
}

}  // namespace muster::server
