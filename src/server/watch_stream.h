// WatchStream: a watch as HTTP sends it: one JSON object and a line end for each event. The text of
// an event is made once for all watchers of the same form (EncodedEvents).
//
//   respond({.body = std::make_unique<WatchStream>(context, target, form, std::move(feed))});
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "server/answer.h"
#include "server/watch_feed.h"

namespace muster::server {

// The texts of the last events, by what determines them.
class EncodedEvents {
 public:
  struct Key {
    store::Revision revision;
    Change::Type type;
    const objects::KindVersion* version;
    Shape shape;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  const Piece* find(const Key& key) const;
  void keep(const Key& key, Piece text);

 private:
  std::map<Key, Piece> texts_;
  std::deque<Key> order_;  // oldest first
};

class WatchStream final : public Stream {
 public:
  WatchStream(Context& context, EncodedEvents& encoded, Target target, const AnswerForm& form);

  // The feed calls wake() as its on_ready.
  void set_feed(std::unique_ptr<WatchFeed> feed) { feed_ = std::move(feed); }
  void wake();

  StreamStep take(std::size_t bytes_max) override;
  void set_on_ready(Task on_ready) override { on_ready_ = std::move(on_ready); }

 private:
  Piece text_of(const Change& change);
  Piece made_text(const Change& change);
  objects::Value object_of(const Change& change);

  Context& context_;
  EncodedEvents& encoded_;
  Target target_;
  AnswerForm form_;
  std::unique_ptr<WatchFeed> feed_;
  std::deque<Change> changes_;  // taken from the feed, not yet sent
  bool sent_first_ = false;
  bool starved_ = false;  // the last step had nothing
  bool ended_ = false;
  std::optional<Failure> failure_;  // told last
  Task on_ready_;
};

// The event with which a watch tells of its failure.
Piece error_event(const Failure& failure);

}  // namespace muster::server
