// SPDX-License-Identifier: Apache-2.0
#include "agent/host_acts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "agent/act_encryption.h"
#include "agent/act_protocol.h"
#include "agent/container_visit.h"
#include "agent/limits.h"
#include "base/os/internet_socket.h"
#include "base/utf8.h"

namespace muster::agent {

namespace {

using Kind = ContainerAct::Kind;
using Verdict = ActOutcome::Verdict;
using Answer = UniqueFunction<void(ActOutcome)>;

constexpr int redirects_max = 10;
constexpr std::int64_t port_max = 65535;

// One request to an address, on the machine's loop. It holds itself until it has answered.
class NetworkAct : public std::enable_shared_from_this<NetworkAct> {
 public:
  NetworkAct(PollLoop& loop, ContainerAct act, Answer answer)
      : loop_(loop), talk_(std::move(act)), answer_(std::move(answer)) {}

  void begin() {
    timer_ =
        loop_.post_at(SystemClock().monotonic() + talk_.act().timeout, [self = shared_from_this()] {
          self->timer_.reset();
          self->end(act_timed_out(self->talk_.act(), self->is_connected_));
        });
    connect();
  }

 private:
  void connect() {
    is_connected_ = false;
    const ContainerAct& act = talk_.act();
    if (act.port <= 0 || act.port > port_max) {
      return end({Verdict::error, "invalid port number: " + std::to_string(act.port)});
    }
    auto socket = connect_stream(act.host, static_cast<std::uint16_t>(act.port));
    if (!socket) return end(act_refused(act, connection_refused));
    socket_ = std::move(*socket);
    watch_ = loop_.watch(socket_.number(), Interest::writable,
                         [self = shared_from_this()] { self->connected(); });
  }

  void connected() {
    loop_.unwatch(std::exchange(watch_, {}));
    if (const auto failure = connection_failure(socket_)) {
      return end(act_refused(talk_.act(), *failure));
    }
    is_connected_ = true;
    if (talk_.act().kind == Kind::tcp) return end({});
    // Small enough for the buffer of a new connection.
    encryption_ = talk_.act().is_encrypted ? std::make_unique<ActEncryption>() : nullptr;
    const auto written =
        write_stream(socket_, encryption_ ? encryption_->say(talk_.request()) : talk_.request());
    if (!written) return end(talk_.on_closed());
    watch_ = loop_.watch(socket_.number(), Interest::readable,
                         [self = shared_from_this()] { self->read(); });
  }

  void read() {
    std::string bytes;
    const auto count = read_stream(socket_, bytes);
    if (encryption_ && !bytes.empty()) {
      auto heard = encryption_->hear(bytes);
      if (!heard) {
        return end({Verdict::failure, act_prefix(talk_.act()) + heard.error().message});
      }
      static_cast<void>(write_stream(socket_, heard->reply));
      bytes = std::move(heard->plain);
    }
    auto outcome = talk_.take(bytes);
    if (!outcome && !count) outcome = talk_.on_closed();
    if (!outcome) return;
    auto next = talk_.redirected();
    if (!next || redirects_ == redirects_max) return end(std::move(*outcome));
    ++redirects_;
    loop_.unwatch(std::exchange(watch_, {}));
    talk_ = ActConversation(std::move(*next));
    connect();
  }

  void end(ActOutcome outcome) {
    if (watch_ != WatchId{}) loop_.unwatch(std::exchange(watch_, {}));
    if (timer_) loop_.cancel(*std::exchange(timer_, std::nullopt));
    if (answer_) std::exchange(answer_, nullptr)(std::move(outcome));
  }

  static constexpr std::string_view connection_refused = "connection refused";

  PollLoop& loop_;
  ActConversation talk_;
  Answer answer_;
  Descriptor socket_;
  std::unique_ptr<ActEncryption> encryption_;  // of HTTPS
  WatchId watch_ = {};
  std::optional<TimerId> timer_;
  bool is_connected_ = false;
  int redirects_ = 0;
};

}  // namespace

HostActs::HostActs(Executor& house, PollLoop& machine)
    : house_(house), machine_(machine), here_(std::make_shared<Here>()) {}

HostActs::~HostActs() {
  for (const auto& [id, visit] : visits_) house_.cancel(visit->timer);
}

void HostActs::begin(const std::string& folder, std::string container, ContainerAct act,
                     PodRuntime::Acted acted) {
  if (act.kind == Kind::exec) {
    return begin_visit_of(folder, std::move(container), std::move(act), std::move(acted));
  }
  const std::uint64_t id = next_++;
  here_->waiting.emplace(id, std::move(acted));
  auto answer = [&house = house_, weak = std::weak_ptr<Here>(here_), id](ActOutcome outcome) {
    house.post([weak, id, outcome = std::move(outcome)]() mutable {
      const auto here = weak.lock();
      if (here == nullptr) return;
      auto waiting = here->waiting.extract(id);
      if (!waiting.empty()) waiting.mapped()(std::move(outcome));
    });
  };
  machine_.post([&machine = machine_, act = std::move(act), answer = std::move(answer)]() mutable {
    std::make_shared<NetworkAct>(machine, std::move(act), std::move(answer))->begin();
  });
}

void HostActs::begin_visit_of(const std::string& folder, std::string container, ContainerAct act,
                              PodRuntime::Acted acted) {
  const std::uint64_t id = next_++;
  const VisitWish wish{.folder = folder,
                       .container = std::move(container),
                       .process_id = act.process_id,
                       .command = act.command};
  const Span timeout = act.timeout;
  auto visit = std::make_unique<Visit>(Visit{std::move(act), std::move(acted), nullptr});
  visit->stream = std::make_unique<RelayedStream>(
      house_, machine_, [wish]() -> Result<RelayEnds> { return begin_visit(wish); });
  visit->stream->set_on_ready([this, id] { look(id); });
  visit->timer = house_.post_at(clock_.monotonic() + timeout, [this, id] {
    const auto at = visits_.find(id);
    if (at != visits_.end()) finish(id, act_timed_out(at->second->act, true));
  });
  visits_.emplace(id, std::move(visit));
  look(id);
}

void HostActs::look(std::uint64_t id) {
  Visit& visit = *visits_.at(id);
  while (true) {
    const ContainerStream::Step step = visit.stream->take(act_output_bytes_max);
    for (const std::string* text : {&step.output, &step.error}) {
      const std::size_t room =
          act_output_bytes_max - std::min(act_output_bytes_max, visit.output.size());
      visit.output.append(text->substr(0, room));
    }
    if (step.end) {
      if (!step.end->failure.empty()) return finish(id, {Verdict::error, step.end->failure});
      const Verdict verdict = step.end->exit_code == 0 ? Verdict::success : Verdict::failure;
      return finish(id, {verdict, repaired_utf8(visit.output)});
    }
    if (step.output.empty() && step.error.empty()) return;
  }
}

// The stream may be calling us: it goes when it has returned.
void HostActs::finish(std::uint64_t id, ActOutcome outcome) {
  auto visit = visits_.extract(id);
  house_.cancel(visit.mapped()->timer);
  PodRuntime::Acted acted = std::move(visit.mapped()->acted);
  house_.post([old = std::move(visit.mapped())] {});
  acted(std::move(outcome));
}

}  // namespace muster::agent
