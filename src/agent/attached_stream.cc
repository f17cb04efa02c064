// SPDX-License-Identifier: Apache-2.0
#include "agent/attached_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/limits.h"

namespace muster::agent {

ContainerStream::Step AttachedStream::take(std::size_t bytes_max) {
  Step step;
  while (true) {
    Step read = socket_->take(bytes_max);
    const bool is_empty = read.output.empty();
    const auto frames = reader_.take(read.output);
    step.end = std::move(read.end);
    if (!frames) {
      step.end = ContainerStreamEnd{.failure = frames.error().message};
      return step;
    }
    for (const AttachFrame& frame : *frames) {
      (frame.channel == AttachChannel::error ? step.error : step.output) += frame.bytes;
    }
    // A part of a frame alone is no step: who takes an empty one waits for on_ready.
    if (is_empty || step.end || !step.output.empty() || !step.error.empty()) return step;
  }
}

void AttachedStream::write(std::string bytes, Task taken) {
  std::string framed;
  for (std::size_t at = 0; at < bytes.size(); at += attach_frame_bytes_max) {
    framed +=
        to_bytes(AttachChannel::input, std::string_view(bytes).substr(at, attach_frame_bytes_max));
  }
  socket_->write(std::move(framed), std::move(taken));
}

void AttachedStream::close_input() {
  socket_->write(to_bytes(AttachChannel::end, ""), [] {});
}

void AttachedStream::resize(int columns, int rows) {
  socket_->write(to_bytes(AttachChannel::size, fmt::format("{} {}", columns, rows)), [] {});
}

}  // namespace muster::agent
