// SPDX-License-Identifier: Apache-2.0
#include "agent/relayed_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "agent/enter.h"
#include "agent/limits.h"
#include "base/os/pipe.h"

namespace muster::agent {

// What the house has of it. Tasks that the machine posts hold it weakly.
struct RelayedStream::HouseHalf {
  std::string output;
  std::string error;
  std::optional<ContainerStreamEnd> end;
  Task on_ready;
  bool is_waiting = false;  // the last step was empty

  void wake() {
    if (std::exchange(is_waiting, false) && on_ready) on_ready();
  }
};

// Everything on the machine's loop.
class RelayedStream::MachineHalf : public std::enable_shared_from_this<MachineHalf> {
 public:
  MachineHalf(Executor& house, PollLoop& machine, std::weak_ptr<HouseHalf> there)
      : house_(house), machine_(machine), there_(std::move(there)) {}

  void open(Opener& open);
  void write(std::string bytes, Task taken);
  void close_input();
  void resize(int columns, int rows);
  void acknowledge(std::size_t bytes);
  void abandon();

 private:
  enum class Channel : std::uint8_t { output, error, status };
  struct Reading {
    Descriptor from;
    WatchId watch = {};
    bool is_over = true;
  };

  void begin(Reading& reading, Descriptor from, Channel channel);
  void watch(Reading& reading, Channel channel);
  void read(Reading& reading, Channel channel);
  void tell(Channel channel, std::string bytes);
  void pump();
  void stop_writing();
  void end_if_over();
  void end(ContainerStreamEnd end);
  void reap();

  Executor& house_;
  PollLoop& machine_;
  std::weak_ptr<HouseHalf> there_;
  Reading output_;
  Reading error_;
  Reading status_;
  Descriptor input_;
  Descriptor control_;
  WatchId input_watch_ = {};
  std::string waiting_;      // for the input
  std::vector<Task> taken_;  // of those who wrote what waits
  bool closes_input_ = false;
  bool input_is_socket_ = false;
  std::string status_text_;
  std::optional<ChildProcess> child_;
  WatchId child_watch_ = {};
  std::size_t outstanding_ = 0;  // told, and not yet taken
  bool is_over_ = false;
};

void RelayedStream::MachineHalf::open(Opener& open) {
  if (is_over_) return;
  Result<RelayEnds> opened = open();
  if (!opened) return end({.failure = opened.error().message});
  RelayEnds& ends = *opened;
  input_ = std::move(ends.input);
  control_ = std::move(ends.control);
  input_is_socket_ = ends.input_is_socket;
  child_ = std::move(ends.child);
  if (child_) {
    child_watch_ = machine_.watch(child_->descriptor(), Interest::readable,
                                  [self = shared_from_this()] { self->reap(); });
  }
  begin(output_, std::move(ends.output), Channel::output);
  begin(error_, std::move(ends.error), Channel::error);
  begin(status_, std::move(ends.status), Channel::status);
  pump();
}

void RelayedStream::MachineHalf::begin(Reading& reading, Descriptor from, Channel channel) {
  if (!from) return;
  reading.from = std::move(from);
  reading.is_over = false;
  watch(reading, channel);
}

void RelayedStream::MachineHalf::watch(Reading& reading, Channel channel) {
  if (reading.is_over || reading.watch != WatchId{}) return;
  reading.watch = machine_.watch(
      reading.from.number(), Interest::readable,
      [self = shared_from_this(), &reading, channel] { self->read(reading, channel); });
}

void RelayedStream::MachineHalf::read(Reading& reading, Channel channel) {
  std::string bytes;
  const bool more = read_available(reading.from, bytes);
  if (!more || outstanding_ + bytes.size() >= container_stream_window_bytes) {
    machine_.unwatch(std::exchange(reading.watch, {}));
  }
  reading.is_over = !more;
  if (!bytes.empty()) tell(channel, std::move(bytes));
  if (!more) end_if_over();
}

void RelayedStream::MachineHalf::tell(Channel channel, std::string bytes) {
  if (channel == Channel::status) {
    status_text_ += bytes;
    return;
  }
  outstanding_ += bytes.size();
  house_.post([weak = there_, channel, bytes = std::move(bytes)] {
    const auto there = weak.lock();
    if (there == nullptr) return;
    (channel == Channel::error ? there->error : there->output) += bytes;
    there->wake();
  });
}

void RelayedStream::MachineHalf::acknowledge(std::size_t bytes) {
  outstanding_ -= std::min(outstanding_, bytes);
  if (is_over_ || outstanding_ >= container_stream_window_bytes) return;
  watch(output_, Channel::output);
  watch(error_, Channel::error);
}

void RelayedStream::MachineHalf::write(std::string bytes, Task taken) {
  if (waiting_.empty()) {
    waiting_ = std::move(bytes);
  } else {
    waiting_ += bytes;
  }
  taken_.push_back(std::move(taken));
  pump();
}

void RelayedStream::MachineHalf::close_input() {
  closes_input_ = true;
  pump();
}

// Writes what can be written; whoever reads no more has its input thrown away.
void RelayedStream::MachineHalf::pump() {
  if (!input_) {
    waiting_.clear();
  } else if (!waiting_.empty()) {
    const auto written = write_available(input_, waiting_);
    if (!written) {
      stop_writing();
    } else {
      waiting_.erase(0, *written);
    }
  }
  if (!waiting_.empty()) {
    if (input_watch_ != WatchId{}) return;
    input_watch_ = machine_.watch(input_.number(), Interest::writable,
                                  [self = shared_from_this()] { self->pump(); });
    return;
  }
  if (input_watch_ != WatchId{}) machine_.unwatch(std::exchange(input_watch_, {}));
  for (Task& taken : std::exchange(taken_, {})) house_.post(std::move(taken));
  if (closes_input_) stop_writing();
}

void RelayedStream::MachineHalf::stop_writing() {
  if (input_watch_ != WatchId{}) machine_.unwatch(std::exchange(input_watch_, {}));
  waiting_.clear();
  if (input_is_socket_ && input_) end_sending(input_);
  input_ = Descriptor();
}

void RelayedStream::MachineHalf::resize(int columns, int rows) {
  if (!control_) return;
  static_cast<void>(write_available(control_, fmt::format("{} {}\n", columns, rows)));
}

void RelayedStream::MachineHalf::end_if_over() {
  if (!output_.is_over || !error_.is_over || !status_.is_over) return;
  if (!child_ && status_text_.empty()) return end({});  // a connection has no status
  const VisitOutcome outcome = parse_visit_line(status_text_);
  end({.exit_code = outcome.exit_code, .failure = outcome.failure});
}

void RelayedStream::MachineHalf::end(ContainerStreamEnd end) {
  if (std::exchange(is_over_, true)) return;
  stop_writing();
  for (Task& taken : std::exchange(taken_, {})) house_.post(std::move(taken));
  house_.post([weak = there_, end = std::move(end)]() mutable {
    const auto there = weak.lock();
    if (there == nullptr) return;
    there->end = std::move(end);
    there->wake();
  });
}

// The end of the control channel makes the visitor end its command; the loop still waits for it.
void RelayedStream::MachineHalf::abandon() {
  is_over_ = true;
  stop_writing();
  control_ = Descriptor();
  for (Reading* reading : {&output_, &error_, &status_}) {
    if (reading->watch != WatchId{}) machine_.unwatch(std::exchange(reading->watch, {}));
    reading->is_over = true;
    reading->from = Descriptor();
  }
}

void RelayedStream::MachineHalf::reap() {
  if (!child_->reap()) return;
  machine_.unwatch(std::exchange(child_watch_, {}));
}

RelayedStream::RelayedStream(Executor& house, PollLoop& machine, Opener open)
    : machine_(machine),
      here_(std::make_shared<HouseHalf>()),
      there_(std::make_shared<MachineHalf>(house, machine, here_)) {
  machine_.post([there = there_, open = std::move(open)]() mutable { there->open(open); });
}

RelayedStream::~RelayedStream() {
  machine_.post([there = there_] { there->abandon(); });
}

void RelayedStream::set_on_ready(Task on_ready) {
  here_->on_ready = std::move(on_ready);
}

ContainerStream::Step RelayedStream::take(std::size_t bytes_max) {
  Step step;
  const auto cut = [&](std::string& from, std::string& into) {
    const std::size_t room = bytes_max - std::min(bytes_max, step.output.size());
    into = from.substr(0, room);
    from.erase(0, into.size());
  };
  cut(here_->output, step.output);
  cut(here_->error, step.error);
  const std::size_t taken = step.output.size() + step.error.size();
  if (taken > 0) {
    machine_.post([there = there_, taken] { there->acknowledge(taken); });
  }
  const bool is_drained = here_->output.empty() && here_->error.empty();
  if (is_drained && here_->end) step.end = here_->end;
  here_->is_waiting = taken == 0 && !step.end;
  return step;
}

void RelayedStream::write(std::string bytes, Task taken) {
  machine_.post([there = there_, bytes = std::move(bytes), taken = std::move(taken)]() mutable {
    there->write(std::move(bytes), std::move(taken));
  });
}

void RelayedStream::close_input() {
  machine_.post([there = there_] { there->close_input(); });
}

void RelayedStream::resize(int columns, int rows) {
  machine_.post([there = there_, columns, rows] { there->resize(columns, rows); });
}

}  // namespace muster::agent
