// StatusPages: /metrics, /healthz and /readyz of `muster controller`, for Prometheus and for the
// probes of a Deployment: plain HTTP with GET and HEAD, on this machine's own address unless
// somebody says otherwise. One request a connection.
//
//   StatusPages pages([&](std::string_view path, StatusPages::Answer answer) { … });
//   TRY(pages.open("127.0.0.1", 8080));
//   std::jthread thread([&] { pages.run(); });
//
// Assumes: run() on a thread of its own; `look` is called there, and its answer may be called from
// any thread, once. Whoever says nothing for ten seconds is hung up on; beyond 64 connections
// nobody is let in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/os/descriptor.h"
#include "base/os/poll_loop.h"
#include "base/result.h"
#include "base/unique_function.h"

namespace muster {

struct StatusPage {
  int status = 200;
  std::string text = {};
};

class StatusPages {
 public:
  using Answer = UniqueFunction<void(StatusPage)>;
  using Look = UniqueFunction<void(std::string_view path, Answer answer)>;

  explicit StatusPages(Look look) : look_(std::move(look)) {}
  StatusPages(const StatusPages&) = delete;
  StatusPages& operator=(const StatusPages&) = delete;

  // Port 0: any that is free.
  Result<> open(const std::string& address, std::uint16_t port);
  std::string address() const { return address_; }

  void run() { loop_.run(); }
  void stop() { loop_.stop(); }

 private:
  struct Connection {
    Descriptor socket;
    std::string received = {};
    std::string owed = {};
    bool is_answering = false;
    WatchId watch = {};
    TimerId timer = {};
  };

  void accept_all();
  void on_readable(std::uint64_t id);
  void on_request(std::uint64_t id, Connection& connection);
  void answer(std::uint64_t id, bool with_body, const StatusPage& page);
  void write_owed(std::uint64_t id);
  void hang_up(std::uint64_t id);

  PollLoop loop_;
  Look look_;
  Descriptor listener_;
  std::string address_;
  std::map<std::uint64_t, Connection> connections_;
  std::uint64_t id_next_ = 1;
};

// `127.0.0.1:8080` or `:8080`, which is every address of the machine.
struct BindAddress {
  std::string address;
  std::uint16_t port = 0;
};
Result<BindAddress> read_bind_address(std::string_view text);

}  // namespace muster
