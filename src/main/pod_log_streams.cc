// SPDX-License-Identifier: Apache-2.0
#include "main/pod_log_streams.h"

#include <fmt/format.h>

#include <utility>

namespace muster {

namespace {

class LogStream final : public server::Stream {
 public:
  explicit LogStream(std::unique_ptr<agent::LogFollower> log) : log_(std::move(log)) {}

  server::StreamStep take(std::size_t bytes_max) override {
    agent::LogFollower::Step read = log_->take(bytes_max);
    server::StreamStep step;
    step.ended = read.ended;
    if (!read.text.empty()) step.pieces.push_back(server::Piece::copy_of(read.text));
    return step;
  }

  void set_on_ready(Task on_ready) override { log_->set_on_ready(std::move(on_ready)); }

 private:
  std::unique_ptr<agent::LogFollower> log_;
};

agent::LogWish wish_of(const server::LogRequest& request) {
  return {.pod_uid = request.pod_uid,
          .container = request.container,
          .follow = request.follow,
          .previous = request.previous,
          .options = {.timestamps = request.timestamps,
                      .tail_lines = request.tail_lines,
                      .limit_bytes = request.limit_bytes,
                      .since = request.since}};
}

}  // namespace

Result<std::unique_ptr<server::Stream>> PodLogStreams::open(const server::LogRequest& request) {
  for (const auto& each : agents_) {
    if (!each->has(request.pod_uid)) continue;
    return std::make_unique<LogStream>(TRY(each->open(wish_of(request))));
  }
  return Error::bad_request(fmt::format(
      "container \"{}\" is waiting to start: no node has the pod yet", request.container));
}

}  // namespace muster
