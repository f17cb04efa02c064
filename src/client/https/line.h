// Line: one TLS connection to a server, which carries one request at a time. An answer comes
// whole; that of a watch comes in pieces, and then the end.
//
//   auto line = make_line(io, {.endpoint = …, .context = …, .limits = …});
//   line->ask(text, {.on_whole = …, .on_failed = …});
//
//             ask                 written             whole, and it may be kept
//   unused ─────────► connecting ────────► answering ────────────────────────► idle ─► ask …
//                          any failure, close(), or late at a sweep: ────────► closed
//
// Assumes: everything happens on the network thread, callbacks included; one of on_whole and
// on_failed comes last, once, unless close() came first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/unique_function.h"
#include "client/https/endpoint.h"
#include "client/https/limits.h"

namespace boost::asio {
class io_context;
}

namespace muster::client {

struct WholeAnswer {
  int status = 0;
  std::string body = {};
  bool may_keep = false;                   // the connection is good for another request
  std::vector<std::string> warnings = {};  // the texts of its Warning headers
};

struct LineFailure {
  Error error;
  bool may_ask_again = false;  // the server closed a kept connection before it answered
};

struct LineCallbacks {
  UniqueFunction<void(WholeAnswer)> on_whole;
  UniqueFunction<void(LineFailure)> on_failed;
  // Where set, the body of an answer 200 comes here, and on_whole with an empty body at its end.
  UniqueFunction<void(std::string_view)> on_piece = {};
};

class Line {
 public:
  virtual ~Line() = default;

  virtual void ask(std::string text, LineCallbacks callbacks) = 0;

  // While paused no more pieces are read.
  virtual void pause() = 0;
  virtual void resume() = 0;

  // Once a sweep: fails what is late.
  virtual void sweep() = 0;

  // It is idle and the server has not closed it.
  virtual bool is_usable() = 0;

  // Nothing is called after it.
  virtual void close() = 0;
};

struct LineOptions {
  const Endpoint& endpoint;
  ssl_ctx_st* context;
  const std::string& server_name;
  const HttpsLimits& limits;
};

// All of what the options refer to outlives the line. Null when memory is short.
std::shared_ptr<Line> make_line(boost::asio::io_context& io, const LineOptions& options);

}  // namespace muster::client
