// SPDX-License-Identifier: Apache-2.0
#include "client/https/blocking_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "client/https/endpoint.h"

namespace muster::client {

struct BlockingClient::Core {
  Core(Endpoint endpoint_in, TlsContext context_in)
      : endpoint(std::move(endpoint_in)), context(std::move(context_in)) {}

  Result<WholeAnswer> converse(std::string text, LineCallbacks callbacks);
  void run_until_answered();
  void arm_sweep();

  Endpoint endpoint;
  TlsContext context;
  std::string server_name;
  RequestManners manners;
  HttpsLimits limits;
  boost::asio::io_context io{1};
  boost::asio::steady_timer timer{io};
  std::shared_ptr<Line> line;
  std::optional<Result<WholeAnswer>> answer;
  bool may_ask_again = false;
};

// Handlers run here; in between the line is told that time passes.
void BlockingClient::Core::run_until_answered() {
  arm_sweep();
  while (!answer) {
    io.restart();
    io.run_one();
  }
  timer.cancel();
}

void BlockingClient::Core::arm_sweep() {
  timer.expires_after(std::chrono::nanoseconds(limits.sweep.nanoseconds));
  timer.async_wait([this](boost::system::error_code fault) {
    if (fault) return;
    line->sweep();
    arm_sweep();
  });
}

Result<WholeAnswer> BlockingClient::Core::converse(std::string text, LineCallbacks callbacks) {
  answer.reset();
  may_ask_again = false;
  if (line == nullptr || !line->is_usable()) {
    line = make_line(io, {.endpoint = endpoint,
                          .context = context.get(),
                          .server_name = server_name,
                          .limits = limits});
    if (line == nullptr) return Error::internal("memory is short");
  }
  callbacks.on_whole = [this](WholeAnswer whole) {
    if (!whole.may_keep) line->close();
    answer = std::move(whole);
  };
  callbacks.on_failed = [this](LineFailure failure) {
    may_ask_again = failure.may_ask_again;
    answer = std::move(failure.error);
  };
  line->ask(std::move(text), std::move(callbacks));
  run_until_answered();
  return std::move(*answer);
}

BlockingClient::BlockingClient(std::unique_ptr<Core> core) : core_(std::move(core)) {}

BlockingClient::~BlockingClient() {
  if (core_->line) core_->line->close();
}

Result<std::unique_ptr<BlockingClient>> BlockingClient::open(const ClusterAccess& access) {
  Endpoint endpoint = TRY(parse_endpoint(access.server));
  TlsContext context = TRY(make_client_context(access));
  auto core = std::make_unique<Core>(std::move(endpoint), std::move(context));
  core->server_name = access.tls_server_name.empty() ? core->endpoint.host : access.tls_server_name;
  core->manners = {.host = core->endpoint.authority(),
                   .path_prefix = core->endpoint.path_prefix,
                   .token = Secret(std::string(access.token.reveal()))};
  return std::unique_ptr<BlockingClient>(new BlockingClient(std::move(core)));
}

Result<WholeAnswer> BlockingClient::ask(const HttpRequest& request) {
  auto answer = core_->converse(to_text(request, core_->manners), {});
  if (!answer && core_->may_ask_again && request.method == "GET") {
    return core_->converse(to_text(request, core_->manners), {});
  }
  return answer;
}

Result<WholeAnswer> BlockingClient::listen(
    const HttpRequest& request, const std::function<bool(std::string_view piece)>& on_piece) {
  LineCallbacks callbacks;
  callbacks.on_piece = [this, &on_piece](std::string_view piece) {
    if (on_piece(piece)) return;
    core_->line->close();
    core_->answer = WholeAnswer{.status = 200};
  };
  return core_->converse(to_text(request, core_->manners), std::move(callbacks));
}

}  // namespace muster::client
