// SPDX-License-Identifier: Apache-2.0
#include "server/http/house_stream.h"

#include <iterator>
#include <utility>

namespace muster::server {

StreamStep HouseStream::begin() {
  // By way of the executor: on_ready may come from the middle of a commit, and several events of
  // one commit then travel together.
  stream_->set_on_ready([weak = weak_from_this()] {
    const std::shared_ptr<HouseStream> self = weak.lock();
    if (self == nullptr) return;
    self->house_.post([self] {
      self->is_waiting_ = false;
      self->pull_and_send();
    });
  });
  return pull();
}

void HouseStream::acknowledge(std::size_t bytes) {
  house_.post([self = shared_from_this(), bytes] {
    self->window_left_ += static_cast<std::int64_t>(bytes);
    if (!self->is_waiting_) self->pull_and_send();
  });
}

void HouseStream::close() {
  house_.post([self = shared_from_this()] { self->stream_.reset(); });
}

void HouseStream::hear(std::string message) {
  house_.post([self = shared_from_this(), message = std::move(message)]() mutable {
    if (self->stream_ == nullptr) return;
    static_cast<Conversation&>(*self->stream_)
        .hear(std::move(message), [weak = self->weak_from_this()] {
          const std::shared_ptr<HouseStream> still = weak.lock();
          if (still != nullptr && still->stream_ != nullptr) still->read_on_();
        });
  });
}

StreamStep HouseStream::pull() {
  StreamStep all;
  while (stream_ != nullptr && window_left_ > 0) {
    StreamStep step = stream_->take(static_cast<std::size_t>(window_left_));
    for (const Piece& piece : step.pieces) {
      window_left_ -= static_cast<std::int64_t>(piece.size());
    }
    const bool is_empty = step.pieces.empty();
    all.pieces.insert(all.pieces.end(), std::make_move_iterator(step.pieces.begin()),
                      std::make_move_iterator(step.pieces.end()));
    if (step.ended) {
      all.ended = true;
      stream_.reset();
    } else if (is_empty) {
      is_waiting_ = true;
      break;
    }
  }
  return all;
}

void HouseStream::pull_and_send() {
  if (stream_ == nullptr) return;
  StreamStep step = pull();
  if (!step.pieces.empty() || step.ended) send_(std::move(step));
}

}  // namespace muster::server
