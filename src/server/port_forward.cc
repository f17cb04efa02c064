// SPDX-License-Identifier: Apache-2.0
#include "server/port_forward.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "server/limits.h"

namespace muster::server {

// ---- What both ways share ----------------------------------------------------------------------

StreamStep PortForward::take(std::size_t bytes_max) {
  std::vector<std::uint32_t> over;
  for (auto& [number, line] : lines_) {
    const PodStream::Step read = line.pod->take(bytes_max);
    if (!read.output.empty()) say_bytes(line, read.output);
    if (!read.end) continue;
    say_end(line, read.end->failure);
    over.push_back(number);
  }
  for (const std::uint32_t number : over) lines_.erase(number);
  StreamStep step;
  for (const std::string& message : std::exchange(said_, {})) {
    step.pieces.push_back(Piece::copy_of(message));
  }
  step.ended = ended_;
  is_waiting_ = step.pieces.empty() && !ended_;
  return step;
}

void PortForward::wake() {
  if (std::exchange(is_waiting_, false) && on_ready_) on_ready_();
}

void PortForward::say(std::string message) {
  said_.push_back(std::move(message));
  wake();
}

void PortForward::open(Line line) {
  auto pod = connect_(line.port);
  if (!pod) {
    return say_end(line, fmt::format("an error occurred forwarding {} -> {}: {}", line.port,
                                     line.port, pod.error().message));
  }
  line.pod = std::move(*pod);
  line.pod->set_on_ready([this] { wake(); });
  const std::uint32_t number = line.data;
  lines_.insert_or_assign(number, std::move(line));
  wake();
}

PortForward::Line* PortForward::find(std::uint32_t data) {
  const auto found = lines_.find(data);
  return found == lines_.end() ? nullptr : &found->second;
}

// The last who lets go of it calls it.
void PortForward::write(Line& line, std::string bytes) {
  if (hearing_ == nullptr) {
    hearing_ = std::shared_ptr<Task>(new Task(), [&house = house_](Task* taken) {
      if (*taken) house.post(std::move(*taken));
      delete taken;
    });
  }
  line.pod->write(std::move(bytes), [holds = hearing_] {});
}

void PortForward::finish_hearing(Task taken) {
  if (hearing_ == nullptr) return house_.post(std::move(taken));
  *hearing_ = std::move(taken);
  hearing_.reset();
}

namespace {

// ---- SPDY --------------------------------------------------------------------------------------

class SpdyForward final : public PortForward {
 public:
  using PortForward::PortForward;

  void hear(std::string message, Task taken) override {
    const auto frames = reader_.take(message);
    if (!frames) {
      end();
      say("");
    } else {
      for (const SpdyFrame& frame : *frames) obey(frame);
    }
    finish_hearing(std::move(taken));
  }

 private:
  struct Half {
    std::uint32_t error = 0;
    std::uint16_t port = 0;
  };

  void obey(const SpdyFrame& frame) {
    switch (frame.type) {
      case SpdyFrame::Type::open:
        return accept(frame);
      case SpdyFrame::Type::data:
        if (Line* line = find(frame.stream)) {
          if (!frame.bytes.empty()) write(*line, frame.bytes);
          if (frame.is_last) line->pod->close_input();
        }
        return;
      case SpdyFrame::Type::reset:
        return close(frame.stream);
      case SpdyFrame::Type::ping:
        return say(writer_.ping(frame.stream));
      case SpdyFrame::Type::go_away:
      case SpdyFrame::Type::other:
        return;
    }
  }

  // The stream of errors comes first, then that of bytes with the same request.
  void accept(const SpdyFrame& frame) {
    const auto header = [&](const char* name) {
      const auto found = frame.headers.find(name);
      return found == frame.headers.end() ? std::string() : found->second;
    };
    const std::string text = header("port");
    std::uint16_t port = 0;
    std::from_chars(text.data(), text.data() + text.size(), port);
    const std::string request = header("requestid");
    const bool is_error = header("streamtype") == "error";
    if (port == 0 || (is_error && halves_.size() >= forwarded_connections_max)) {
      return say(writer_.reset(frame.stream));
    }
    say(writer_.reply(frame.stream));
    if (is_error) {
      halves_[request] = {.error = frame.stream, .port = port};
      return;
    }
    Line line{.data = frame.stream, .port = port};
    const auto half = halves_.find(request);
    if (half != halves_.end()) line.error = half->second.error;
    halves_.erase(request);
    open(std::move(line));
  }

  void say_bytes(const Line& line, std::string_view bytes) override {
    say(writer_.data(line.data, bytes, SpdyWriter::Last::no));
  }

  void say_end(const Line& line, const std::string& failure) override {
    if (line.error != 0) say(writer_.data(line.error, failure, SpdyWriter::Last::yes));
    say(writer_.data(line.data, "", SpdyWriter::Last::yes));
  }

  SpdyReader reader_;
  SpdyWriter writer_;
  std::map<std::string, Half> halves_;  // by request
};

// ---- Channels ----------------------------------------------------------------------------------

class ChannelForward final : public PortForward {
 public:
  using PortForward::PortForward;

  void begin(const std::vector<std::uint16_t>& ports) {
    std::uint32_t channel = 0;
    for (const std::uint16_t port : ports) {
      const std::string number{static_cast<char>(port & 0xff), static_cast<char>(port >> 8)};
      say_on(channel, number);
      say_on(channel + 1, number);
      open({.data = channel, .error = channel + 1, .port = port});
      channel += 2;
    }
  }

  void hear(std::string message, Task taken) override {
    if (!message.empty()) {
      Line* line = find(static_cast<unsigned char>(message[0]));
      if (line != nullptr && message.size() > 1) write(*line, message.substr(1));
    }
    finish_hearing(std::move(taken));
  }

 private:
  void say_on(std::uint32_t channel, std::string_view bytes) {
    say(static_cast<char>(channel) + std::string(bytes));
  }
  void say_bytes(const Line& line, std::string_view bytes) override { say_on(line.data, bytes); }
  void say_end(const Line& line, const std::string& failure) override {
    if (!failure.empty()) say_on(line.error, failure);
    end();
  }
};

}  // namespace

std::unique_ptr<Conversation> make_spdy_forward(Executor& house, ConnectToPort connect) {
  return std::make_unique<SpdyForward>(house, std::move(connect));
}

std::unique_ptr<Conversation> make_channel_forward(Executor& house, ConnectToPort connect,
                                                   const std::vector<std::uint16_t>& ports) {
  auto forward = std::make_unique<ChannelForward>(house, std::move(connect));
  forward->begin(ports);
  return forward;
}

}  // namespace muster::server
