// Switchboard: what all connections of a listener share, and the place where the house's answers
// reach the network thread. A request leaves as a call of the handler with a Ticket; its answer
// comes back as Letters, which the listener hands to the connection that still exists.
//
//   board.ask(std::move(request), {.connection = id, .delivery = {.ticket = …}});
//   for (Letter& letter : board.take_letters()) …          // after wake()
//
// Assumes: put() may be called on any thread, everything else on the network thread. Letters that
// come after close() are dropped where they come from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/http/answer_queue.h"
#include "server/http/listener.h"
#include "server/request.h"

namespace muster::server {

// A part of an answer on its way to its connection. The first part gives back what the request
// had reserved.
struct Letter {
  std::uint64_t connection = 0;
  Delivery delivery = {};
  std::size_t body_bytes = 0;
  std::string user = {};  // whose share it takes; empty: nobody's
  bool changes = false;   // of those that change something
};

class Switchboard : public std::enable_shared_from_this<Switchboard> {
 public:
  Switchboard(Handler handler, HttpOptions options)
      : handler_(std::move(handler)), options_(std::move(options)) {}
  virtual ~Switchboard() = default;
  Switchboard(const Switchboard&) = delete;
  Switchboard& operator=(const Switchboard&) = delete;

  const HttpOptions& options() const { return options_; }
  const HttpLimits& limits() const { return options_.limits; }

  // Posts the request to the house; the letter says where its answer goes. False when too many
  // requests wait for their answers, of all or of this user.
  bool ask(Request request, Letter letter);

  void count(HttpLimit limit) const {
    if (options_.counters != nullptr) options_.counters->count(limit);
  }

  // Room for a body; false when all bodies together would be too much.
  bool reserve_body(std::size_t bytes);
  void release_body(std::size_t bytes) { bodies_bytes_ -= bytes; }

  void put(Letter letter);
  std::vector<Letter> take_letters();
  void close();

  // Time, in sweeps: the first sweep after which something of that length is late.
  std::uint64_t deadline(Span span) const {
    return sweeps_ + static_cast<std::uint64_t>(span.nanoseconds / limits().sweep.nanoseconds);
  }
  std::uint64_t sweeps() const { return sweeps_; }
  void count_sweep() { ++sweeps_; }

  bool is_stopping() const { return is_stopping_; }
  void set_stopping() { is_stopping_ = true; }

  // The connection is closed and wants to be forgotten.
  virtual void forget(std::uint64_t connection) = 0;

 protected:
  // There are letters. Any thread.
  virtual void wake() = 0;

 private:
  void hand_over(Task request);
  void handle_some();

  Handler handler_;
  HttpOptions options_;
  std::uint64_t sweeps_ = 0;
  bool is_stopping_ = false;
  std::size_t bodies_bytes_ = 0;  // announced and not yet answered
  std::size_t requests_ = 0;      // asked and not yet answered

  struct Share {
    std::size_t reads = 0;
    std::size_t changes = 0;
  };
  bool take_share(const Request& request, Letter& letter);
  void give_share_back(const Letter& letter);
  std::map<std::string, Share, std::less<>> shares_;  // of who has requests in hand

  std::mutex mutex_;
  std::deque<Task> asked_;       // under mutex_: what the house has not begun yet
  bool is_handing_ = false;      // under mutex_: the house was told of asked_
  std::vector<Letter> letters_;  // under mutex_
  bool is_closed_ = false;       // under mutex_
};

}  // namespace muster::server
