// SPDX-License-Identifier: Apache-2.0
#include "agent/attach.h"

#include <utility>

#include "agent/limits.h"
#include "base/os/pipe.h"
#include "base/os/unix_socket.h"

namespace muster::agent {

namespace {

constexpr std::size_t head_bytes = 5;

// How long a client may not read before the container goes on without him, and how long the last
// words of a container wait.
constexpr Span stuck_span = Span::of_seconds(10);
constexpr Span last_words_span = Span::of_seconds(5);

}  // namespace

std::string to_bytes(AttachChannel channel, std::string_view bytes) {
  std::string out(1, static_cast<char>(channel));
  const auto size = static_cast<std::uint32_t>(bytes.size());
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>((size >> shift) & 0xff);
  return out.append(bytes);
}

Result<std::vector<AttachFrame>> AttachReader::take(std::string_view bytes) {
  pending_ += bytes;
  std::vector<AttachFrame> frames;
  std::size_t at = 0;
  while (pending_.size() - at >= head_bytes) {
    std::size_t size = 0;
    for (std::size_t i = 1; i < head_bytes; ++i) {
      size = (size << 8) | static_cast<unsigned char>(pending_[at + i]);
    }
    if (size > attach_frame_bytes_max) return Error::too_large("a frame of an attached client");
    if (pending_.size() - at < head_bytes + size) break;
    frames.push_back({.channel = static_cast<AttachChannel>(pending_[at]),
                      .bytes = pending_.substr(at + head_bytes, size)});
    at += head_bytes + size;
  }
  pending_.erase(0, at);
  return frames;
}

AttachPoint::AttachPoint(PollLoop& loop, const std::string& folder, const std::string& name,
                         Listener listener)
    : loop_(loop), listener_(std::move(listener)) {
  auto socket = listen_in(folder, name);
  if (!socket) return;
  socket_ = std::move(*socket);
  accept_watch_ = loop_.watch(socket_.number(), Interest::readable, [this] { accept(); });
}

AttachPoint::~AttachPoint() {
  if (accept_watch_ != WatchId{}) loop_.unwatch(accept_watch_);
  if (full_timer_) loop_.cancel(*full_timer_);
  for (auto& [number, client] : clients_) {
    write_within(client.socket, client.waiting, last_words_span);
  }
  while (!clients_.empty()) drop(clients_.begin()->first);
}

void AttachPoint::accept() {
  auto accepted = accept_from(socket_.number());
  if (!accepted || clients_.size() >= attached_clients_max) return;
  const std::uint64_t number = number_next_++;
  Client& client = clients_[number];
  client.socket = std::move(*accepted);
  if (!is_held_) watch(number, client);
}

void AttachPoint::watch(std::uint64_t number, Client& client) {
  if (client.read_watch != WatchId{}) return;
  client.read_watch =
      loop_.watch(client.socket.number(), Interest::readable, [this, number] { read(number); });
}

void AttachPoint::read(std::uint64_t number) {
  Client& client = clients_.at(number);
  std::string bytes;
  const bool goes_on = read_available(client.socket, bytes);
  const auto frames = client.reader.take(bytes);
  if (frames) {
    for (const AttachFrame& frame : *frames) {
      client.has_written = client.has_written || frame.channel == AttachChannel::input ||
                           frame.channel == AttachChannel::end;
      if (!listener_.on_frame(frame)) is_held_ = true;
    }
  }
  if (!goes_on || !frames) {
    const bool has_written = client.has_written;
    drop(number);
    if (has_written) listener_.on_left();
  }
  if (!is_held_) return;
  for (auto& [each, held] : clients_) {
    if (held.read_watch != WatchId{}) loop_.unwatch(std::exchange(held.read_watch, {}));
  }
}

void AttachPoint::more() {
  if (!std::exchange(is_held_, false)) return;
  for (auto& [number, client] : clients_) watch(number, client);
}

void AttachPoint::tell(AttachChannel channel, std::string_view bytes) {
  if (bytes.empty()) return;
  std::vector<std::uint64_t> all;
  for (auto& [number, client] : clients_) {
    client.waiting += to_bytes(channel, bytes);
    all.push_back(number);
  }
  for (const std::uint64_t number : all) write(number);
  if (is_full() && !std::exchange(was_full_, true)) watch_over_full();
}

bool AttachPoint::is_full() const {
  for (const auto& [number, client] : clients_) {
    if (client.waiting.size() > attached_waiting_bytes_max) return true;
  }
  return false;
}

void AttachPoint::watch_over_full() {
  for (auto& [number, client] : clients_) client.sent = 0;
  full_timer_ = loop_.post_at(clock_.monotonic() + stuck_span, [this] {
    full_timer_.reset();
    std::vector<std::uint64_t> stuck;
    for (const auto& [number, client] : clients_) {
      if (client.waiting.size() > attached_waiting_bytes_max && client.sent == 0) {
        stuck.push_back(number);
      }
    }
    for (const std::uint64_t number : stuck) drop(number);
    if (is_full()) return watch_over_full();
    if (std::exchange(was_full_, false)) listener_.on_room();
  });
}

void AttachPoint::write(std::uint64_t number) {
  Client& client = clients_.at(number);
  const auto written = write_available(client.socket, client.waiting);
  if (!written) return drop(number);
  client.waiting.erase(0, *written);
  client.sent += *written;
  const bool must_wait = !client.waiting.empty();
  if (must_wait && client.write_watch == WatchId{}) {
    auto twin = duplicate(client.socket);
    if (!twin) return drop(number);
    client.writing = std::move(*twin);
    client.write_watch =
        loop_.watch(client.writing.number(), Interest::writable, [this, number] { write(number); });
  } else if (!must_wait && client.write_watch != WatchId{}) {
    loop_.unwatch(std::exchange(client.write_watch, {}));
    client.writing = Descriptor();
  }
  if (is_full() || !std::exchange(was_full_, false)) return;
  if (full_timer_) loop_.cancel(*full_timer_);
  full_timer_.reset();
  listener_.on_room();
}

void AttachPoint::drop(std::uint64_t number) {
  const auto found = clients_.find(number);
  if (found == clients_.end()) return;
  Client& client = found->second;
  if (client.read_watch != WatchId{}) loop_.unwatch(client.read_watch);
  if (client.write_watch != WatchId{}) loop_.unwatch(client.write_watch);
  clients_.erase(found);
}

}  // namespace muster::agent
