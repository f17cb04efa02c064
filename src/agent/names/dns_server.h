// DnsServer: the cluster's names on a socket, datagrams and streams. Its loop takes questions from
// the kernel and hands them, all that are there at once, to the house thread, which has the zone;
// answers to datagrams leave from there (that never blocks), answers on streams go back to the
// loop.
//
//   PollLoop machine;                                  // main/ runs it on a thread
//   DnsServer names(machine, house, zone);
//   TRY(names.listen("10.64.0.1", 53));                // before the loop runs
//
// Assumes: house, loop and zone outlive it, and neither loop runs any more when it is destroyed.
// Pods ask here and nobody else: the address is one that only this machine reaches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/names/zone.h"
#include "base/executor.h"
#include "base/os/internet_socket.h"
#include "base/os/poll_loop.h"
#include "base/result.h"

namespace muster::agent {

class DnsServer {
 public:
  DnsServer(PollLoop& loop, Executor& house, const Zone& zone);
  ~DnsServer();
  DnsServer(const DnsServer&) = delete;
  DnsServer& operator=(const DnsServer&) = delete;

  // Datagrams and streams on the same port; 0: any that is free.
  Result<> listen(const std::string& address, std::uint16_t port);
  std::uint16_t port() const { return port_; }

  // Before the loop ends, on its thread or when it does not run.
  void close();

 private:
  struct Connection {
    Descriptor socket;
    WatchId watch;
    TimerId expiry;
    std::string received;
    bool is_answering = false;  // one question at a time
  };

  void on_datagrams();
  void on_stream();
  void on_readable(std::uint64_t number);
  void take_question(std::uint64_t number, Connection& connection);
  void on_answer(std::uint64_t number, std::string_view answer);
  void drop(std::uint64_t number);

  PollLoop& loop_;
  Executor& house_;
  const Zone& zone_;
  Descriptor datagrams_;
  Descriptor listener_;
  WatchId datagrams_watch_;
  WatchId listener_watch_;
  std::uint16_t port_ = 0;

  // Of the loop's thread alone.
  std::map<std::uint64_t, Connection> connections_;
  std::uint64_t connection_next_ = 1;
};

}  // namespace muster::agent
