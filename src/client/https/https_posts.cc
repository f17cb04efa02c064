// SPDX-License-Identifier: Apache-2.0
#include "client/https/https_posts.h"

#include <fmt/format.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <utility>

#include "client/https/endpoint.h"
#include "client/https/line.h"
#include "client/https/request_text.h"

namespace muster::client {

namespace asio = boost::asio;

namespace {

// One post on its way; the line refers to what is in it.
struct Trip {
  Trip(asio::io_context& io, HttpsPosts::Done done_in) : timer(io), done(std::move(done_in)) {}

  Endpoint endpoint = {};
  TlsContext context = {};
  std::string server_name = {};
  HttpsLimits limits = {};
  std::shared_ptr<Line> line = {};
  asio::steady_timer timer;
  HttpsPosts::Done done;
};

// The path and the query of a url whose beginning was parsed already.
std::string target_of(const std::string& url) {
  const std::size_t slash = url.find('/', std::string_view("https://").size());
  return slash == std::string::npos ? "/" : url.substr(slash);
}

std::string without_query(const std::string& url) {
  return url.substr(0, url.find('?'));
}

// As Go says it.
Error in_words_of_go(const Error& error, const Endpoint& endpoint) {
  const std::string& text = error.message;
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  std::string said = text;
  if (error.code == ErrorCode::timeout || has("in time")) {
    said = "context deadline exceeded";
  } else if (has("certificate verify failed")) {
    said = "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  } else if (has("Connection refused")) {
    said = fmt::format("dial tcp {}: connect: connection refused", endpoint.authority());
  } else if (text.starts_with("cannot look up")) {
    said = fmt::format("dial tcp: lookup {}: no such host", endpoint.host);
  } else if (has("stream truncated") || has("end of stream") || has("Connection reset")) {
    said = "EOF";
  }
  return {error.code, std::move(said)};
}

}  // namespace

struct HttpsPosts::Core : std::enable_shared_from_this<HttpsPosts::Core> {
  explicit Core(HttpsPostsOptions options_in) : options(std::move(options_in)) {}

  void begin(std::uint64_t id, const HttpsPost& post, Done done);
  Result<> set_out(std::uint64_t id, Trip& trip, const HttpsPost& post);
  void finish(std::uint64_t id, Result<PostAnswer> answer);
  void answer_on_house(Done done, Result<PostAnswer> answer);

  HttpsPostsOptions options;
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(io);
  std::map<std::uint64_t, std::unique_ptr<Trip>> trips;  // of the network thread
  std::uint64_t id_next = 1;                             // of the house thread
  bool is_stopped = false;                               // of the network thread
};

void HttpsPosts::Core::answer_on_house(Done done, Result<PostAnswer> answer) {
  options.house.post(
      [done = std::move(done), answer = std::move(answer)]() mutable { done(std::move(answer)); });
}

void HttpsPosts::Core::begin(std::uint64_t id, const HttpsPost& post, Done done) {
  if (is_stopped) {
    return answer_on_house(std::move(done), Error{ErrorCode::unavailable, "the server is ending"});
  }
  if (trips.size() >= options.posts) {
    return answer_on_house(
        std::move(done), Error{ErrorCode::too_many_requests, "too many webhooks are being called"});
  }
  const auto trip = trips.emplace(id, std::make_unique<Trip>(io, std::move(done))).first;
  if (auto out = set_out(id, *trip->second, post); !out) finish(id, out.error());
}

Result<> HttpsPosts::Core::set_out(std::uint64_t id, Trip& trip, const HttpsPost& post) {
  const Endpoint named = TRY(parse_endpoint(without_query(post.url)));
  trip.endpoint = post.address.empty() ? named : TRY(parse_endpoint("https://" + post.address));
  trip.server_name = named.host;
  trip.context =
      TRY(make_client_context({.context = {}, .server = {}, .authority_pem = post.authority_pem}));
  trip.limits.answer_bytes = options.answer_bytes;
  trip.line = make_line(io, {.endpoint = trip.endpoint,
                             .context = trip.context.get(),
                             .server_name = trip.server_name,
                             .limits = trip.limits});
  if (trip.line == nullptr) return Error::internal("there is no memory for a connection");
  trip.timer.expires_after(std::chrono::nanoseconds(post.timeout.nanoseconds));
  trip.timer.async_wait([this, id](const boost::system::error_code& fault) {
    if (!fault) finish(id, Error{ErrorCode::timeout, "context deadline exceeded"});
  });
  std::string text = to_text({.method = "POST",
                              .target = target_of(post.url),
                              .content_type = "application/json",
                              .body = post.body},
                             {.host = named.authority(), .user_agent = options.user_agent});
  trip.line->ask(
      std::move(text),
      {.on_whole =
           [this, id](WholeAnswer answer) {
             finish(id, PostAnswer{answer.status, std::move(answer.body)});
           },
       .on_failed = [this, id](LineFailure failure) { finish(id, std::move(failure.error)); }});
  return {};
}

void HttpsPosts::Core::finish(std::uint64_t id, Result<PostAnswer> answer) {
  const auto found = trips.find(id);
  if (found == trips.end()) return;
  const std::unique_ptr<Trip> trip = std::move(found->second);
  trips.erase(found);
  if (!answer) answer = in_words_of_go(answer.error(), trip->endpoint);
  answer_on_house(std::move(trip->done), std::move(answer));
  if (trip->line != nullptr) trip->line->close();
  trip->timer.cancel();
}

HttpsPosts::HttpsPosts(HttpsPostsOptions options)
    : core_(std::make_shared<Core>(std::move(options))) {}

HttpsPosts::~HttpsPosts() = default;

void HttpsPosts::post(HttpsPost post, Done done) {
  asio::post(core_->io,
             [core = core_, id = core_->id_next++, post = std::move(post),
              done = std::move(done)]() mutable { core->begin(id, post, std::move(done)); });
}

void HttpsPosts::run() {
  core_->io.run();
}

void HttpsPosts::stop() {
  asio::post(core_->io, [core = core_] {
    core->is_stopped = true;
    while (!core->trips.empty()) {
      core->finish(core->trips.begin()->first,
                   Error{ErrorCode::unavailable, "the server is ending"});
    }
    core->work.reset();
  });
}

}  // namespace muster::client
