// HttpListener: HTTP/1.1 over TLS in front of a handler. It does TLS, HTTP and authentication on
// the one thread that calls run(), calls the handler on the house executor, and takes the answers
// back. Requests of one connection may be pipelined; answers come in their order. A stream is
// pulled on the house thread as far as its window reaches, so a client that does not read costs
// one window.
//
//   HttpListener listener([&](Request q, Respond r) { server.handle(std::move(q), std::move(r)); },
//                         {.house = house, .authenticator = authenticator, .server = …});
//   TRY(listener.open("127.0.0.1", 0));
//   std::jthread network([&] { listener.run(); });     // in main/
//   …
//   listener.stop();                                   // streams end, answers owed are written
//
// Assumes: house, authenticator and handler outlive run(), and the house runs what was posted to
// it before the handler's server goes away: stop the listener, join its thread, then the house.
// There is no plain HTTP: whatever the host, a client speaks TLS and says who it is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/lending_executor.h"
#include "base/log.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "server/authentication.h"
#include "server/certificates.h"
#include "server/http/counters.h"
#include "server/http/limits.h"
#include "server/request.h"

namespace muster::server {

// Called on the house thread, many times.
using Handler = UniqueFunction<void(Request, Respond)>;

struct HttpOptions {
  Executor& house;
  const Authenticator& authenticator;
  const CertifiedKey& server;             // read by the constructor alone
  std::string client_authority_pem = {};  // who may vouch for clients; empty: nobody
  HttpLimits limits = {};
  const HttpCounters* counters = nullptr;  // null: nothing is counted
  LendingExecutor* lender = nullptr;       // the house, if it runs lone requests where they come in
  Log log = Log::silent();
};

class HttpListener {
 public:
  HttpListener(Handler handler, HttpOptions options);
  HttpListener(const HttpListener&) = delete;
  HttpListener& operator=(const HttpListener&) = delete;
  ~HttpListener();

  // Binds and listens; from now on clients may connect and wait. Port 0: any that is free. May be
  // called again for further addresses, before run().
  Result<> open(const std::string& host, std::uint16_t port);

  // "127.0.0.1:6443" or "[::1]:6443", the first one; empty before open().
  std::string address() const;

  // Serves until stop(). Once.
  void run();

  // From any thread.
  void stop();

  struct Network;

 private:
  std::shared_ptr<Network> network_;
};

}  // namespace muster::server
