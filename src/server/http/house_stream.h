// HouseStream: the half of a streamed answer that lives on the house thread. It takes from its
// Stream as far as the window reaches and sends the pieces to the network; the network
// acknowledges what it has framed, and the window opens again. So a client that does not read
// holds one window, and the Stream behind it is not taken from.
//
//   auto stream = std::make_shared<HouseStream>(house, std::move(response_stream), send);
//   StreamStep first = stream->begin();        // on the house thread; goes out with the head
//   stream->acknowledge(4096);                 // any thread
//   stream->close();                           // any thread
//
//            begin            nothing to take            on_ready
//   (new) ────────► pulling ────────────────► waiting ────────────► pulling
//                      │ window used up    ▲
//                      └────► full ────────┘ acknowledge
//   close(), or the stream's end: the Stream is destroyed on the house thread; nothing is sent.
//
// A Conversation's Stream also hears: hear() brings it a message, and read_on tells that it was
// taken.
//
// Assumes: the house executor outlives it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/executor.h"
#include "base/unique_function.h"
#include "server/request.h"

namespace muster::server {

class HouseStream : public std::enable_shared_from_this<HouseStream> {
 public:
  using Send = UniqueFunction<void(StreamStep)>;
  using ReadOn = UniqueFunction<void()>;

  HouseStream(Executor& house, std::unique_ptr<Stream> stream, std::size_t window_bytes, Send send)
      : house_(house),
        stream_(std::move(stream)),
        send_(std::move(send)),
        window_bytes_(static_cast<std::int64_t>(window_bytes)),
        window_left_(window_bytes_) {}

  // On the house thread, once: what there is now. What comes later is sent.
  StreamStep begin();

  // Of a Conversation: called on the house thread when a message was taken and the next may come.
  void set_read_on(ReadOn read_on) { read_on_ = std::move(read_on); }

  // Any thread.
  void acknowledge(std::size_t bytes);
  void close();

  // Any thread; only where the Stream is a Conversation.
  void hear(std::string message);

 private:
  StreamStep pull();
  void pull_and_send();

  Executor& house_;
  std::unique_ptr<Stream> stream_;  // none: ended or closed
  Send send_;
  ReadOn read_on_;
  const std::int64_t window_bytes_;
  std::int64_t window_left_;  // below 0 after a piece larger than the window
  bool is_waiting_ = false;   // the last step was empty: on_ready comes
};

}  // namespace muster::server
