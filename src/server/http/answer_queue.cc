// SPDX-License-Identifier: Apache-2.0
#include "server/http/answer_queue.h"

#include <algorithm>
#include <utility>

#include "server/http/limits.h"
#include "server/stored_object.h"

namespace muster::server {

std::uint64_t AnswerQueue::expect(AnswerManner form) {
  slots_.push_back({.form = form});
  return first_ticket_ + slots_.size() - 1;
}

void AnswerQueue::expect_continue() {
  slots_.push_back({.form = {}, .is_continue = true, .has_head = true, .ended = true});
}

void AnswerQueue::deliver(Delivery delivery) {
  if (delivery.ticket < first_ticket_ || delivery.ticket - first_ticket_ >= slots_.size()) {
    if (delivery.stream != nullptr) delivery.stream->close();
    return;
  }
  Slot& slot = slots_[delivery.ticket - first_ticket_];
  if (delivery.object) {
    const StoredPiece& object = *delivery.object;
    delivery.pieces.push_back(shown_line(object.bytes.view(), object.revision));
  }
  begin_gzip(slot, delivery);
  if (delivery.head) {
    slot.has_head = true;
    slot.head = std::move(*delivery.head);
    slot.is_stream = delivery.is_stream;
    slot.is_finite = delivery.is_finite;
    slot.stream = std::move(delivery.stream);
  }
  if (slot.ended) return;  // it was ended here before the house knew
  slot.ended = delivery.ended;
  if (slot.gzip != nullptr) compress(slot, delivery);
  slot.pieces.erase(slot.pieces.begin(),
                    slot.pieces.begin() + static_cast<std::ptrdiff_t>(std::exchange(slot.next, 0)));
  for (Piece& piece : delivery.pieces) {
    slot.bytes += piece.size();
    if (piece.size() > 0) slot.pieces.push_back(std::move(piece));
  }
}

// A large answer that has an end. What is smaller is not worth the time of both sides.
void AnswerQueue::begin_gzip(Slot& slot, Delivery& delivery) {
  if (!slot.form.may_gzip || slot.form.head_only || !delivery.head) return;
  if (delivery.is_stream && !delivery.is_finite) return;
  std::size_t bytes = 0;
  for (const Piece& piece : delivery.pieces) bytes += piece.size();
  if (bytes <= http_gzip_bytes_min) return;
  slot.gzip = std::make_unique<Gzip>();
  delivery.head->headers.emplace_back("Content-Encoding", "gzip");
  delivery.head->headers.emplace_back("Vary", "Accept-Encoding");
}

void AnswerQueue::compress(Slot& slot, Delivery& delivery) {
  std::string smaller;
  std::size_t bytes = 0;
  for (const Piece& piece : delivery.pieces) {
    slot.gzip->add(piece.view(), smaller);
    bytes += piece.size();
  }
  if (delivery.ended) slot.gzip->finish(smaller);
  delivery.pieces = {Piece::copy_of(smaller)};
  // The window is counted in what the house gave: what compression saved is not awaited.
  if (slot.stream != nullptr && bytes > smaller.size()) {
    slot.stream->acknowledge(bytes - smaller.size());
  }
}

bool AnswerQueue::must_close(const Slot& slot) {
  return !slot.form.keep_alive || (slot.is_stream && !slot.form.may_chunk);
}

bool AnswerQueue::fill(std::string& out, std::size_t bytes_max) {
  while (!slots_.empty() && out.size() < bytes_max) {
    Slot& slot = slots_.front();
    if (!slot.has_head) return false;
    if (!fill_slot(slot, out, bytes_max)) return false;
    const bool close = must_close(slot);
    slots_.pop_front();
    ++first_ticket_;
    if (close) return true;
  }
  return false;
}

// True when the answer is handed out in full.
bool AnswerQueue::fill_slot(Slot& slot, std::string& out, std::size_t bytes_max) {
  if (slot.is_continue) {
    out += continue_text;
    return true;
  }
  if (!slot.head_written) fill_head(slot, out);
  if (slot.form.head_only) {
    if (slot.stream != nullptr) slot.stream->close();
    return true;
  }
  if (slot.bytes > 0) fill_body(slot, out, bytes_max);
  if (slot.bytes > 0 || !slot.ended) return false;
  if (slot.is_stream && slot.form.may_chunk) out += last_chunk_text;
  return true;
}

void AnswerQueue::fill_head(Slot& slot, std::string& out) {
  Framing framing{.keep_alive = !must_close(slot)};
  if (slot.is_stream) {
    framing.is_chunked = slot.form.may_chunk;
  } else if (slot.head.status != 304) {
    framing.content_length = slot.bytes;
  }
  append_head(slot.head, framing, out);
  slot.head_written = true;
}

void AnswerQueue::fill_body(Slot& slot, std::string& out, std::size_t bytes_max) {
  // At least one byte goes out: a head that fills the slice must not stop the answer.
  const std::size_t room = bytes_max > out.size() ? bytes_max - out.size() : 1;
  const std::size_t size = std::min(room, slot.bytes);
  const bool in_chunk = slot.is_stream && slot.form.may_chunk;
  if (in_chunk) append_chunk_line(size, out);
  std::size_t left = size;
  while (left > 0) {
    const std::string_view piece = slot.pieces[slot.next].view().substr(slot.offset);
    const std::size_t part = std::min(left, piece.size());
    out += piece.substr(0, part);
    left -= part;
    slot.offset += part;
    if (part == piece.size()) {
      slot.pieces[slot.next++] = Piece();
      slot.offset = 0;
    }
  }
  if (in_chunk) out += "\r\n";
  slot.bytes -= size;
  acknowledge(slot, size);
}

// In halves of the window: a quiet watch costs the house nothing.
void AnswerQueue::acknowledge(Slot& slot, std::size_t bytes) {
  if (slot.stream == nullptr) return;
  slot.unacknowledged += bytes;
  if (slot.unacknowledged < http_stream_window_bytes / 2) return;
  slot.stream->acknowledge(std::exchange(slot.unacknowledged, 0));
}

void AnswerQueue::end_streams() {
  for (Slot& slot : slots_) {
    slot.form.keep_alive = false;
    if (slot.stream == nullptr || slot.is_finite) continue;
    slot.stream->close();
    slot.ended = true;
  }
}

void AnswerQueue::clear() {
  for (Slot& slot : slots_) {
    if (slot.stream != nullptr) slot.stream->close();
  }
  first_ticket_ += slots_.size();
  slots_.clear();
}

}  // namespace muster::server
