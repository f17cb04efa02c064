// AnswerQueue: the answers of one connection in the order of their requests. An answer may arrive
// while an earlier one is still missing or still streaming; fill() hands out the bytes that may be
// written now, small answers together, large ones in slices.
//
//   const std::uint64_t ticket = queue.expect({.keep_alive = true});
//   queue.deliver({.ticket = ticket, .head = …, .pieces = {body}, .ended = true});
//   const Fill fill = queue.fill(out, http_write_bytes);
//
// Assumes: the network thread. Tickets of answers that are over are ignored.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/http/answer_text.h"
#include "server/http/gzip.h"
#include "server/http/house_stream.h"
#include "server/request.h"

namespace muster::server {

// What the request says about its answer.
struct AnswerManner {
  bool keep_alive = true;
  bool may_chunk = true;   // HTTP/1.1
  bool head_only = false;  // HEAD
  bool may_gzip = false;   // the client accepts it
};

// A part of an answer on its way from the house.
struct Delivery {
  std::uint64_t ticket = 0;
  std::optional<AnswerHead> head = {};  // of the first part
  std::vector<Piece> pieces = {};
  std::optional<StoredPiece> object = {};  // in place of pieces: the text is made here
  bool is_stream = false;
  bool is_finite = false;  // of a stream
  bool ended = false;
  std::shared_ptr<HouseStream> stream = {};  // of the first part of a stream
  std::string protocol = {};                 // of the first part of a conversation
  bool may_read_on = false;                  // of a conversation: the message was taken
};

class AnswerQueue {
 public:
  AnswerQueue() = default;
  AnswerQueue(const AnswerQueue&) = delete;
  AnswerQueue& operator=(const AnswerQueue&) = delete;
  ~AnswerQueue() { clear(); }

  std::uint64_t expect(AnswerManner form);
  void expect_continue();

  void deliver(Delivery delivery);

  // Appends up to about bytes_max bytes. True when the connection is to be closed after them.
  bool fill(std::string& out, std::size_t bytes_max);

  // Ends what streams and closes after what is owed: the server stops.
  void end_streams();

  // Forgets everything and closes the streams.
  void clear();

  // Answers that are not yet handed out in full.
  std::size_t size() const { return slots_.size(); }
  bool is_empty() const { return slots_.empty(); }

 private:
  struct Slot {
    AnswerManner form;
    bool is_continue = false;
    bool has_head = false;  // it has arrived
    bool head_written = false;
    bool is_stream = false;
    bool is_finite = false;
    bool ended = false;
    AnswerHead head = {};
    std::vector<Piece> pieces = {};
    std::size_t next = 0;    // the first piece that is not written in full
    std::size_t offset = 0;  // written of it
    std::size_t bytes = 0;   // left in the pieces
    std::size_t unacknowledged = 0;
    std::shared_ptr<HouseStream> stream = {};
    std::unique_ptr<Gzip> gzip = {};  // through which the pieces go
  };

  static void begin_gzip(Slot& slot, Delivery& delivery);
  static void compress(Slot& slot, Delivery& delivery);
  static bool must_close(const Slot& slot);
  static bool fill_slot(Slot& slot, std::string& out, std::size_t bytes_max);
  static void fill_head(Slot& slot, std::string& out);
  static void fill_body(Slot& slot, std::string& out, std::size_t bytes_max);
  static void acknowledge(Slot& slot, std::size_t bytes);

  std::deque<Slot> slots_;
  std::uint64_t first_ticket_ = 0;  // of slots_.front()
};

}  // namespace muster::server
