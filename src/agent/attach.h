// Attaching: how somebody outside reads what a container prints as it comes, and writes to its
// standard input. The shim listens on a socket for each container; on it are frames both ways: a
// byte that says what it is, four bytes of length, and the bytes.
//
//   to the container     0 input   4 "80 24", the size of its terminal   255 the input ends
//   from it              1 output  2 errors
//
//   AttachReader reader;
//   for (const AttachFrame& frame : TRY(reader.take(bytes))) …
//
//   AttachPoint point(loop, folder, "main", {.on_frame = …, .on_left = …});    // in the shim
//   point.tell(AttachChannel::output, text);
//
// Assumes: the loop's thread. While somebody has not read what was told, is_full() asks the teller
// to wait; who does not get on for ten seconds is let go.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/descriptor.h"
#include "base/os/poll_loop.h"
#include "base/os/system_clock.h"
#include "base/result.h"

namespace muster::agent {

enum class AttachChannel : unsigned char { input = 0, output = 1, error = 2, size = 4, end = 255 };

struct AttachFrame {
  AttachChannel channel = AttachChannel::input;
  std::string bytes = {};
};

std::string to_bytes(AttachChannel channel, std::string_view bytes);

class AttachReader {
 public:
  // The frames that are whole now. too_large where one is longer than attach_frame_bytes_max.
  Result<std::vector<AttachFrame>> take(std::string_view bytes);

 private:
  std::string pending_;
};

class AttachPoint {
 public:
  struct Listener {
    // False: no more of it now; more() goes on.
    std::function<bool(const AttachFrame&)> on_frame;
    // Somebody who has written to it has left.
    std::function<void()> on_left;
    // It is not full any more.
    std::function<void()> on_room;
  };

  // Without a socket, where none can be made, nobody comes.
  AttachPoint(PollLoop& loop, const std::string& folder, const std::string& name,
              Listener listener);
  ~AttachPoint();
  AttachPoint(const AttachPoint&) = delete;
  AttachPoint& operator=(const AttachPoint&) = delete;

  void tell(AttachChannel channel, std::string_view bytes);
  bool is_full() const;
  void more();

 private:
  struct Client {
    Descriptor socket;
    Descriptor writing;  // the same under a second number, watched for room
    WatchId read_watch = {};
    WatchId write_watch = {};
    AttachReader reader;
    std::string waiting;  // to be sent
    bool has_written = false;
    std::size_t sent = 0;  // since it was last looked at
  };

  void accept();
  void watch(std::uint64_t number, Client& client);
  void read(std::uint64_t number);
  void write(std::uint64_t number);
  void drop(std::uint64_t number);
  void watch_over_full();

  PollLoop& loop_;
  SystemClock clock_;
  Listener listener_;
  Descriptor socket_;
  WatchId accept_watch_ = {};
  std::map<std::uint64_t, Client> clients_;
  std::uint64_t number_next_ = 1;
  bool is_held_ = false;
  bool was_full_ = false;
  std::optional<TimerId> full_timer_ = {};
};

}  // namespace muster::agent
