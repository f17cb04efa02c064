// SPDX-License-Identifier: Apache-2.0
#include "client/https/https_api.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "client/https/endpoint.h"
#include "client/https/line.h"
#include "client/https/request_text.h"

namespace muster::client {

namespace asio = boost::asio;
using objects::Value;

namespace {

// A call on its way.
struct Exchange {
  std::uint64_t id = 0;
  std::string text;
  bool is_read = false;  // it may be asked twice
};

struct BusyLine {
  std::shared_ptr<Line> line;
  Exchange exchange;
};

struct OpenWatch {
  std::shared_ptr<Line> line;
  std::string partial = {};     // the beginning of a line
  std::size_t outstanding = 0;  // bytes of events that the house has not seen
  bool is_paused = false;
};

Error stopped() {
  return {ErrorCode::unavailable, "the client has stopped"};
}

}  // namespace

// Two halves: what the house thread owns and what the network thread owns. Tasks of the house hold
// the core; handlers of the network do not need to, since run() holds it.
struct HttpsApi::Core : std::enable_shared_from_this<HttpsApi::Core> {
  Core(HttpsOptions options_in, Endpoint endpoint_in, TlsContext context_in)
      : options(std::move(options_in)),
        endpoint(std::move(endpoint_in)),
        context(std::move(context_in)) {}

  // The house.
  void answer_now(std::uint64_t id, Result<Value> result);
  void deliver_now(std::uint64_t id, std::vector<WatchEvent> events, std::size_t bytes);
  void close_now(std::uint64_t id, Error error);
  void fail_everything();

  // The network.
  void answer(std::uint64_t id, Result<Value> result);
  void close_watch(std::uint64_t id, Error error);
  std::shared_ptr<Line> new_line();
  void begin_call(std::uint64_t id, const Call& call);
  void dispatch(Exchange exchange);
  void ask(const std::shared_ptr<Line>& line, Exchange exchange);
  void on_answer(std::uint64_t id, const WholeAnswer& whole);
  void on_failure(std::uint64_t id, LineFailure failure);
  void dispatch_next();
  void begin_watch(std::uint64_t id, const WatchCall& call);
  void on_piece(std::uint64_t id, std::string_view text);
  void on_seen(std::uint64_t id, std::size_t bytes);
  void end_watch(std::uint64_t id);
  void arm_sweep();
  void sweep();
  void begin_stop();
  std::vector<std::shared_ptr<Line>> all_lines() const;

  HttpsOptions options;
  Endpoint endpoint;
  TlsContext context;
  std::string server_name;
  RequestManners manners;
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  asio::steady_timer timer{io};

  std::map<std::uint64_t, Answer> answers;
  std::map<std::uint64_t, WatchSink> sinks;
  std::uint64_t id_next = 1;
  bool is_stopped = false;

  std::vector<std::shared_ptr<Line>> idle;
  std::map<std::uint64_t, BusyLine> busy;
  std::deque<Exchange> waiting;
  std::map<std::uint64_t, OpenWatch> watches;
  bool is_stopping = false;
};

void HttpsApi::Core::answer_now(std::uint64_t id, Result<Value> result) {
  auto found = answers.extract(id);
  if (!found.empty()) found.mapped()(std::move(result));
}

void HttpsApi::Core::deliver_now(std::uint64_t id, std::vector<WatchEvent> events,
                                 std::size_t bytes) {
  for (WatchEvent& event : events) {
    const auto found = sinks.find(id);
    if (found == sinks.end()) return;
    found->second.on_event(std::move(event));
  }
  if (!is_stopped) asio::post(io, [this, id, bytes] { on_seen(id, bytes); });
}

void HttpsApi::Core::close_now(std::uint64_t id, Error error) {
  auto found = sinks.extract(id);
  if (!found.empty()) found.mapped().on_closed(std::move(error));
}

void HttpsApi::Core::fail_everything() {
  is_stopped = true;
  while (!answers.empty()) answer_now(answers.begin()->first, stopped());
  while (!sinks.empty()) close_now(sinks.begin()->first, stopped());
}

void HttpsApi::Core::answer(std::uint64_t id, Result<Value> result) {
  options.house.post([self = shared_from_this(), id, result = std::move(result)]() mutable {
    self->answer_now(id, std::move(result));
  });
}

void HttpsApi::Core::close_watch(std::uint64_t id, Error error) {
  end_watch(id);
  options.house.post([self = shared_from_this(), id, error = std::move(error)]() mutable {
    self->close_now(id, std::move(error));
  });
}

std::shared_ptr<Line> HttpsApi::Core::new_line() {
  return make_line(io, {.endpoint = endpoint,
                        .context = context.get(),
                        .server_name = server_name,
                        .limits = options.limits});
}

void HttpsApi::Core::begin_call(std::uint64_t id, const Call& call) {
  if (is_stopping) return;
  const auto request = http_request(call);
  if (!request) return answer(id, request.error());
  dispatch({.id = id,
            .text = to_text(*request, manners),
            .is_read = call.verb == Verb::get || call.verb == Verb::list});
}

void HttpsApi::Core::dispatch(Exchange exchange) {
  while (!idle.empty()) {
    const std::shared_ptr<Line> line = std::move(idle.back());
    idle.pop_back();
    if (line->is_usable()) return ask(line, std::move(exchange));
    line->close();
  }
  if (busy.size() < options.limits.connections) {
    const std::shared_ptr<Line> line = new_line();
    if (line == nullptr) return answer(exchange.id, Error::internal("memory is short"));
    return ask(line, std::move(exchange));
  }
  if (waiting.size() >= options.limits.calls_waiting) {
    return answer(exchange.id, Error{ErrorCode::too_many_requests,
                                     "too many calls wait for a connection to the server"});
  }
  waiting.push_back(std::move(exchange));
}

void HttpsApi::Core::ask(const std::shared_ptr<Line>& line, Exchange exchange) {
  const std::uint64_t id = exchange.id;
  std::string text = exchange.is_read ? exchange.text : std::move(exchange.text);
  busy[id] = {.line = line, .exchange = std::move(exchange)};
  line->ask(std::move(text),
            {.on_whole = [this, id](const WholeAnswer& whole) { on_answer(id, whole); },
             .on_failed = [this, id](LineFailure f) { on_failure(id, std::move(f)); }});
}

void HttpsApi::Core::on_answer(std::uint64_t id, const WholeAnswer& whole) {
  auto found = busy.extract(id);
  if (found.empty()) return;
  answer(id, value_of_answer(whole.status, whole.body, options.limits.answer_bytes));
  if (whole.may_keep && !is_stopping) {
    idle.push_back(std::move(found.mapped().line));
  } else {
    found.mapped().line->close();
  }
  dispatch_next();
}

void HttpsApi::Core::on_failure(std::uint64_t id, LineFailure failure) {
  auto found = busy.extract(id);
  if (found.empty()) return;
  Exchange& exchange = found.mapped().exchange;
  if (failure.may_ask_again && exchange.is_read && !is_stopping) {
    dispatch(std::move(exchange));
  } else {
    answer(id, std::move(failure.error));
  }
  dispatch_next();
}

void HttpsApi::Core::dispatch_next() {
  if (waiting.empty() || is_stopping) return;
  Exchange next = std::move(waiting.front());
  waiting.pop_front();
  dispatch(std::move(next));
}

void HttpsApi::Core::begin_watch(std::uint64_t id, const WatchCall& call) {
  if (is_stopping) return;
  const auto request = http_request(call);
  if (!request) return close_watch(id, request.error());
  std::shared_ptr<Line> line = new_line();
  if (line == nullptr) return close_watch(id, Error::internal("memory is short"));
  watches[id] = {.line = line};
  line->ask(to_text(*request, manners),
            {.on_whole =
                 [this, id](const WholeAnswer& whole) {
                   const auto refused =
                       value_of_answer(whole.status, whole.body, options.limits.answer_bytes);
                   const bool has_ended = whole.status < 300;
                   close_watch(id, has_ended || refused
                                       ? Error{ErrorCode::unavailable, "the watch has ended"}
                                       : refused.error());
                 },
             .on_failed = [this, id](LineFailure f) { close_watch(id, std::move(f.error)); },
             .on_piece = [this, id](std::string_view text) { on_piece(id, text); }});
}

void HttpsApi::Core::on_piece(std::uint64_t id, std::string_view text) {
  const auto found = watches.find(id);
  if (found == watches.end()) return;
  OpenWatch& watch = found->second;
  watch.partial += text;
  std::vector<WatchEvent> events;
  Result<> fault;
  std::size_t start = 0;
  std::size_t end = watch.partial.find('\n');
  for (; end != std::string::npos && fault; end = watch.partial.find('\n', start)) {
    const std::string_view line = std::string_view(watch.partial).substr(start, end - start);
    start = end + 1;
    if (line.empty()) continue;
    if (auto event = watch_event(line, options.limits.event_bytes); event) {
      events.push_back(std::move(*event));
    } else {
      fault = event.error();
    }
  }
  watch.partial.erase(0, start);
  if (fault && watch.partial.size() > options.limits.event_bytes) {
    fault = Error::too_large("the server sent an event larger than this client takes");
  }
  if (!events.empty()) {
    watch.outstanding += start;
    options.house.post([self = shared_from_this(), id, events = std::move(events),
                        start]() mutable { self->deliver_now(id, std::move(events), start); });
  }
  if (!fault) return close_watch(id, fault.error());
  if (watch.outstanding > https_watch_window_bytes && !watch.is_paused) {
    watch.is_paused = true;
    watch.line->pause();
  }
}

void HttpsApi::Core::on_seen(std::uint64_t id, std::size_t bytes) {
  const auto found = watches.find(id);
  if (found == watches.end()) return;
  OpenWatch& watch = found->second;
  watch.outstanding -= bytes;
  if (!watch.is_paused || watch.outstanding > https_watch_window_bytes / 2) return;
  watch.is_paused = false;
  watch.line->resume();
}

void HttpsApi::Core::end_watch(std::uint64_t id) {
  auto found = watches.extract(id);
  if (!found.empty()) found.mapped().line->close();
}

void HttpsApi::Core::arm_sweep() {
  timer.expires_after(std::chrono::nanoseconds(options.limits.sweep.nanoseconds));
  timer.async_wait([this](boost::system::error_code fault) {
    if (fault || is_stopping) return;
    sweep();
    arm_sweep();
  });
}

void HttpsApi::Core::sweep() {
  for (const auto& line : all_lines()) line->sweep();
  std::erase_if(idle, [](const auto& line) { return !line->is_usable(); });
}

std::vector<std::shared_ptr<Line>> HttpsApi::Core::all_lines() const {
  std::vector<std::shared_ptr<Line>> lines = idle;
  for (const auto& [id, entry] : busy) lines.push_back(entry.line);
  for (const auto& [id, entry] : watches) lines.push_back(entry.line);
  return lines;
}

void HttpsApi::Core::begin_stop() {
  is_stopping = true;
  for (const auto& line : all_lines()) line->close();
  idle.clear();
  busy.clear();
  waiting.clear();
  watches.clear();
  timer.cancel();
  work.reset();
}

namespace {

class HttpsWatch final : public Watch {
 public:
  HttpsWatch(std::shared_ptr<HttpsApi::Core> core, std::uint64_t id)
      : core_(std::move(core)), id_(id) {}
  HttpsWatch(const HttpsWatch&) = delete;
  HttpsWatch& operator=(const HttpsWatch&) = delete;
  ~HttpsWatch() override {
    core_->sinks.erase(id_);
    if (core_->is_stopped) return;
    asio::post(core_->io, [core = core_.get(), id = id_] { core->end_watch(id); });
  }

 private:
  const std::shared_ptr<HttpsApi::Core> core_;
  const std::uint64_t id_;
};

}  // namespace

HttpsApi::HttpsApi(std::shared_ptr<Core> core) : core_(std::move(core)) {}

HttpsApi::~HttpsApi() {
  core_->answers.clear();
  core_->sinks.clear();
  core_->is_stopped = true;
}

Result<std::unique_ptr<HttpsApi>> HttpsApi::make(const ClusterAccess& access,
                                                 HttpsOptions options) {
  Endpoint endpoint = TRY(parse_endpoint(access.server));
  TlsContext context = TRY(make_client_context(access));
  const auto core =
      std::make_shared<Core>(std::move(options), std::move(endpoint), std::move(context));
  core->server_name = access.tls_server_name.empty() ? core->endpoint.host : access.tls_server_name;
  core->manners = {.host = core->endpoint.authority(),
                   .path_prefix = core->endpoint.path_prefix,
                   .user_agent = core->options.user_agent,
                   .token = Secret(std::string(access.token.reveal()))};
  return std::unique_ptr<HttpsApi>(new HttpsApi(core));
}

void HttpsApi::call(Call call, Answer answer) {
  const std::uint64_t id = core_->id_next++;
  core_->answers.emplace(id, std::move(answer));
  if (core_->is_stopped) return core_->answer(id, stopped());
  asio::post(core_->io,
             [core = core_.get(), id, call = std::move(call)] { core->begin_call(id, call); });
}

std::unique_ptr<Watch> HttpsApi::watch(WatchCall call, WatchSink sink) {
  const std::uint64_t id = core_->id_next++;
  core_->sinks.emplace(id, std::move(sink));
  if (core_->is_stopped) {
    core_->options.house.post([core = core_, id] { core->close_now(id, stopped()); });
  } else {
    asio::post(core_->io,
               [core = core_.get(), id, call = std::move(call)] { core->begin_watch(id, call); });
  }
  return std::make_unique<HttpsWatch>(core_, id);
}

void HttpsApi::run() {
  core_->arm_sweep();
  core_->io.run();
  core_->options.house.post([core = core_] { core->fail_everything(); });
}

void HttpsApi::stop() {
  asio::post(core_->io, [core = core_.get()] { core->begin_stop(); });
}

}  // namespace muster::client
