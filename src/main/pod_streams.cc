// SPDX-License-Identifier: Apache-2.0
#include "main/pod_streams.h"

#include <utility>

namespace muster {

namespace {

class AgentStream final : public server::PodStream {
 public:
  explicit AgentStream(std::unique_ptr<agent::ContainerStream> stream)
      : stream_(std::move(stream)) {}

  void set_on_ready(Task on_ready) override { stream_->set_on_ready(std::move(on_ready)); }

  Step take(std::size_t bytes_max) override {
    agent::ContainerStream::Step read = stream_->take(bytes_max);
    Step step{.output = std::move(read.output), .error = std::move(read.error), .end = {}};
    if (read.end) step.end = {.exit_code = read.end->exit_code, .failure = read.end->failure};
    return step;
  }

  void write(std::string bytes, Task taken) override {
    stream_->write(std::move(bytes), std::move(taken));
  }
  void close_input() override { stream_->close_input(); }
  void resize(int columns, int rows) override { stream_->resize(columns, rows); }

 private:
  std::unique_ptr<agent::ContainerStream> stream_;
};

// The output of a container that only pretends. What is written to it goes nowhere.
class AttachedLog final : public server::PodStream {
 public:
  AttachedLog(std::unique_ptr<server::Stream> log, Executor& house)
      : log_(std::move(log)), house_(house) {}

  void set_on_ready(Task on_ready) override { log_->set_on_ready(std::move(on_ready)); }

  Step take(std::size_t bytes_max) override {
    Step step;
    server::StreamStep read = log_->take(bytes_max);
    for (const server::Piece& piece : read.pieces) step.output += piece.view();
    if (read.ended) step.end.emplace();
    return step;
  }

  void write(std::string, Task taken) override { house_.post(std::move(taken)); }
  void close_input() override {}
  void resize(int, int) override {}

 private:
  std::unique_ptr<server::Stream> log_;
  Executor& house_;
};

std::unique_ptr<server::PodStream> wrapped(std::unique_ptr<agent::ContainerStream> stream) {
  return std::make_unique<AgentStream>(std::move(stream));
}

}  // namespace

Result<const agent::NodeStreams*> PodAgentStreams::agent_of(const std::string& pod_uid) const {
  for (const auto& each : agents_) {
    if (each->has(pod_uid)) return each.get();
  }
  return Error::bad_request("no node has the pod yet");
}

Result<std::unique_ptr<server::PodStream>> PodAgentStreams::exec(
    const server::ExecRequest& request) {
  const agent::NodeStreams* agent = TRY(agent_of(request.pod_uid));
  return wrapped(TRY(agent->exec({.pod_uid = request.pod_uid,
                                  .container = request.container,
                                  .command = request.command,
                                  .has_input = request.has_input,
                                  .has_terminal = request.has_terminal})));
}

Result<std::unique_ptr<server::PodStream>> PodAgentStreams::attach(const std::string& pod_uid,
                                                                   const std::string& container) {
  const agent::NodeStreams* agent = TRY(agent_of(pod_uid));
  auto attached = agent->attach(pod_uid, container);
  if (attached) return wrapped(std::move(*attached));
  // Of a pretended container, whose output is only told.
  auto log = TRY(
      logs_.open({.pod_uid = pod_uid, .container = container, .follow = true, .tail_lines = 0}));
  return std::make_unique<AttachedLog>(std::move(log), house_);
}

Result<std::unique_ptr<server::PodStream>> PodAgentStreams::connect(
    const server::ConnectRequest& request) {
  const agent::NodeStreams* agent = TRY(agent_of(request.pod_uid));
  return wrapped(
      TRY(agent->connect(request.pod_uid, request.container, request.address, request.port)));
}

}  // namespace muster
