// SPDX-License-Identifier: Apache-2.0
#include "server/spdy_command.h"

#include <algorithm>
#include <utility>

#include "objects/json.h"
#include "server/limits.h"

namespace muster::server {

namespace {

constexpr std::array<std::string_view, 5> names = {"error", "stdin", "stdout", "stderr", "resize"};

}  // namespace

SpdyCommand::SpdyCommand(std::unique_ptr<PodStream> stream, RemoteCommandOptions options,
                         Expected expected)
    : stream_(std::move(stream)),
      options_(std::move(options)),
      expected_{true, expected.input, options_.has_output, options_.has_error, expected.resize} {
  stream_->set_on_ready([this] { wake(); });
}

bool SpdyCommand::is_complete() const {
  for (std::size_t i = 0; i < parts; ++i) {
    if (expected_[i] && streams_[i] == 0) return false;
  }
  return true;
}

StreamStep SpdyCommand::take(std::size_t bytes_max) {
  StreamStep step;
  if (is_complete() && !ended_) {
    const PodStream::Step read = stream_->take(bytes_max);
    const auto tell = [this](Part part, const std::string& bytes) {
      if (bytes.empty() || streams_[part] == 0) return;
      said_ += writer_.data(streams_[part], bytes, SpdyWriter::Last::no);
    };
    tell(output_part, read.output);
    tell(stderr_part, read.error);
    if (read.end) end(*read.end);
  }
  if (!said_.empty()) step.pieces.push_back(Piece::copy_of(std::exchange(said_, {})));
  step.ended = ended_;
  is_waiting_ = step.pieces.empty() && !ended_;
  return step;
}

void SpdyCommand::end(const PodStreamEnd& how) {
  said_ +=
      writer_.data(streams_[error_part], end_text(how, options_.command), SpdyWriter::Last::yes);
  for (const Part part : {output_part, stderr_part}) {
    if (streams_[part] != 0) said_ += writer_.data(streams_[part], "", SpdyWriter::Last::yes);
  }
  ended_ = true;
}

void SpdyCommand::wake() {
  if (std::exchange(is_waiting_, false) && on_ready_) on_ready_();
}

void SpdyCommand::say(std::string bytes) {
  if (said_.empty()) {
    said_ = std::move(bytes);
  } else {
    said_ += bytes;
  }
  wake();
}

void SpdyCommand::hear(std::string message, Task taken) {
  const auto frames = reader_.take(message);
  std::string input;
  if (!frames) {
    ended_ = true;
    wake();
  } else {
    for (const SpdyFrame& frame : *frames) obey(frame, input);
  }
  stream_->write(std::move(input), std::move(taken));
}

void SpdyCommand::obey(const SpdyFrame& frame, std::string& input) {
  switch (frame.type) {
    case SpdyFrame::Type::open:
      return open(frame);
    case SpdyFrame::Type::data:
      if (frame.stream == streams_[input_part]) {
        input += frame.bytes;
        if (!frame.is_last) return;
        if (!input.empty()) stream_->write(std::exchange(input, {}), [] {});
        stream_->close_input();
      } else if (frame.stream == streams_[resize_part]) {
        read_sizes(frame.bytes);
      }
      return;
    case SpdyFrame::Type::ping:
      return say(writer_.ping(frame.stream));
    case SpdyFrame::Type::reset:
    case SpdyFrame::Type::go_away:
    case SpdyFrame::Type::other:
      return;
  }
}

void SpdyCommand::open(const SpdyFrame& frame) {
  const auto header = frame.headers.find("streamtype");
  const auto* const found = header == frame.headers.end()
                                ? names.end()
                                : std::find(names.begin(), names.end(), header->second);
  const auto part = static_cast<std::size_t>(found - names.begin());
  if (found == names.end() || !expected_[part] || streams_[part] != 0 || frame.stream == 0) {
    return say(writer_.reset(frame.stream));
  }
  streams_[part] = frame.stream;
  say(writer_.reply(frame.stream));
  if (is_complete()) wake();
}

// One object a line.
void SpdyCommand::read_sizes(std::string_view bytes) {
  sizes_ += bytes;
  for (std::size_t end = sizes_.find('\n'); end != std::string::npos; end = sizes_.find('\n')) {
    if (const auto size = read_terminal_size(sizes_.substr(0, end))) {
      stream_->resize(size->columns, size->rows);
    }
    sizes_.erase(0, end + 1);
  }
  if (sizes_.size() > spdy_headers_bytes_max) sizes_.clear();
}

}  // namespace muster::server
