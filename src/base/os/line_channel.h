// LineChannel: lines of text both ways over a stream socket, on a PollLoop. What cannot be written
// at once waits in memory up to a limit; beyond the limit, after an error, or when a line is too
// long, the channel closes and says so once.
//
//   LineChannel channel(loop, std::move(socket), {.on_line = …, .on_closed = …});
//   channel.send("stop 30000000000");
//
// Assumes: everything on the loop's thread. on_line may destroy the channel, on_closed too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/os/descriptor.h"
#include "base/os/poll_loop.h"
#include "base/unique_function.h"

namespace muster {

inline constexpr std::size_t channel_line_bytes_max = std::size_t{4} * 1024 * 1024;
inline constexpr std::size_t channel_waiting_bytes_max = std::size_t{8} * 1024 * 1024;

class LineChannel {
 public:
  struct Listener {
    UniqueFunction<void(std::string_view line)> on_line;
    UniqueFunction<void()> on_closed;  // the other end is gone; every line was handed over before
  };

  LineChannel(PollLoop& loop, Descriptor socket, Listener listener);
  ~LineChannel();
  LineChannel(const LineChannel&) = delete;
  LineChannel& operator=(const LineChannel&) = delete;

  // The line has no line feed of its own. Dropped after the close.
  void send(std::string_view line);

 private:
  // Survives the channel, because callbacks may destroy it.
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster
