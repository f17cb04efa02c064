// SPDX-License-Identifier: Apache-2.0
#include "base/os/line_channel.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "base/check.h"

namespace muster {

struct LineChannel::State : std::enable_shared_from_this<LineChannel::State> {
  State(PollLoop& loop_in, Descriptor socket_in, Listener listener_in)
      : loop(loop_in), socket(std::move(socket_in)), listener(std::move(listener_in)) {}

  void watch();
  void read();
  void hand_over();
  void write();
  void close(bool tell);

  PollLoop& loop;
  Descriptor socket;
  Descriptor writing;  // the same socket under a second number, watched for room
  Listener listener;
  std::string received;
  std::string waiting;  // to be sent
  WatchId read_watch;
  WatchId write_watch;
  bool open = true;
};

void LineChannel::State::watch() {
  read_watch = loop.watch(socket.number(), Interest::readable,
                          [self = shared_from_this()] { self->read(); });
}

void LineChannel::State::read() {
  std::array<char, 65536> buffer;
  const ssize_t got =
      retry([&] { return ::recv(socket.number(), buffer.data(), buffer.size(), 0); });
  if (got < 0 && errno == EAGAIN) return;
  const auto self = shared_from_this();
  if (got > 0) {
    received.append(buffer.data(), static_cast<std::size_t>(got));
    hand_over();
    if (received.size() > channel_line_bytes_max) close(true);
    return;
  }
  close(true);
}

void LineChannel::State::hand_over() {
  std::size_t begin = 0;
  while (open) {
    const std::size_t end = received.find('\n', begin);
    if (end == std::string::npos) break;
    const std::string line = received.substr(begin, end - begin);
    begin = end + 1;
    listener.on_line(line);
  }
  received.erase(0, begin);
}

void LineChannel::State::write() {
  while (open && !waiting.empty()) {
    const ssize_t sent = retry(
        [&] { return ::send(socket.number(), waiting.data(), waiting.size(), MSG_NOSIGNAL); });
    if (sent < 0 && errno == EAGAIN) break;
    if (sent < 0) {
      // Reading finds the end as well, and after the lines that are still to be read.
      waiting.clear();
      break;
    }
    waiting.erase(0, static_cast<std::size_t>(sent));
  }
  const bool must_wait = open && !waiting.empty();
  if (must_wait && write_watch == WatchId{}) {
    writing = Descriptor(::fcntl(socket.number(), F_DUPFD_CLOEXEC, 0));
    if (!writing) return close(true);
    write_watch = loop.watch(writing.number(), Interest::writable,
                             [self = shared_from_this()] { self->write(); });
  } else if (!must_wait && write_watch != WatchId{}) {
    loop.unwatch(std::exchange(write_watch, {}));
    writing = Descriptor();
  }
}

void LineChannel::State::close(bool tell) {
  if (!std::exchange(open, false)) return;
  const auto self = shared_from_this();
  loop.unwatch(std::exchange(read_watch, {}));
  loop.unwatch(std::exchange(write_watch, {}));
  socket = Descriptor();
  writing = Descriptor();
  if (tell) listener.on_closed();
}

LineChannel::LineChannel(PollLoop& loop, Descriptor socket, Listener listener)
    : state_(std::make_shared<State>(loop, std::move(socket), std::move(listener))) {
  CHECK(state_->listener.on_line && state_->listener.on_closed);
  state_->watch();
}

LineChannel::~LineChannel() {
  state_->close(false);
}

void LineChannel::send(std::string_view line) {
  if (!state_->open) return;
  state_->waiting.append(line);
  state_->waiting.push_back('\n');
  if (state_->waiting.size() > channel_waiting_bytes_max) return state_->close(true);
  state_->write();
}

}  // namespace muster
