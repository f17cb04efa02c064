// LoadClients: many clients on one thread, each a TLS connection of its own that is kept and has
// one request under way. A load program shares the machine with what it measures, so this does
// only what a client must: encrypt, send, receive, decrypt, find the end of the answer and read its
// status.
//
//   LoadClients clients({.host = "127.0.0.1", .port = "7443"}, tls, "127.0.0.1", 64);
//   clients.run([&](std::string& request) { …; return more; },
//               [&](const LoadAnswer& answer) { … });
//
// Assumes: an answer has a Content-Length or comes in chunks. Anything unexpected ends the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/https/endpoint.h"

namespace muster::bench {

struct LoadAnswer {
  int status = 0;
  std::string_view text;  // head and body
  double milliseconds = 0;
};

class LoadClients {
 public:
  LoadClients(const client::Endpoint& endpoint, ssl_ctx_st* context, const std::string& server_name,
              int count);
  ~LoadClients();

  // Replaces the text by the next request; false: there is none.
  using Next = std::function<bool(std::string& request)>;
  using Answered = std::function<void(const LoadAnswer& answer)>;

  // Returns when every request has its answer.
  void run(const Next& next, const Answered& answered);

 private:
  struct Client;

  bool send_next(Client& client, const Next& next);

  int events_;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace muster::bench
