// SPDX-License-Identifier: Apache-2.0
#include "server/remote_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "objects/json.h"
#include "server/limits.h"

namespace muster::server {

using objects::Value;

namespace {

enum Channel : unsigned char {
  input_channel = 0,
  output_channel = 1,
  error_channel = 2,
  end_channel = 3,
  resize_channel = 4,
  close_channel = 255,
};

Piece message_of(Channel channel, std::string_view bytes) {
  std::string text(1, static_cast<char>(channel));
  text += bytes;
  return Piece::copy_of(text);
}

}  // namespace

std::string choose_command_protocol(const std::vector<std::string>& offered) {
  constexpr std::array<std::string_view, 2> spoken = {"v5.channel.k8s.io", "v4.channel.k8s.io"};
  for (const std::string_view protocol : spoken) {
    if (std::ranges::find(offered, protocol) != offered.end()) return std::string(protocol);
  }
  return {};
}

// An empty message on the lowest channel says that the conversation has begun.
StreamStep RemoteCommand::take(std::size_t bytes_max) {
  StreamStep step;
  if (!std::exchange(has_greeted_, true)) {
    step.pieces.push_back(message_of(options_.has_output  ? output_channel
                                     : options_.has_error ? error_channel
                                                          : end_channel,
                                     ""));
    return step;
  }
  const PodStream::Step read = stream_->take(bytes_max);
  if (!read.output.empty() && options_.has_output) {
    step.pieces.push_back(message_of(output_channel, read.output));
  }
  if (!read.error.empty() && options_.has_error) {
    step.pieces.push_back(message_of(error_channel, read.error));
  }
  if (read.end) {
    step.pieces.push_back(message_of(end_channel, end_text(*read.end, options_.command)));
    step.ended = true;
  }
  return step;
}

void RemoteCommand::hear(std::string message, Task taken) {
  const unsigned channel =
      message.empty() ? unsigned{end_channel} : static_cast<unsigned char>(message[0]);
  if (channel == input_channel && message.size() > 1) {
    return stream_->write(message.substr(1), std::move(taken));
  }
  if (channel == close_channel && message.size() > 1 && message[1] == input_channel) {
    stream_->close_input();
  }
  if (channel == resize_channel) {
    const auto size = read_terminal_size(message.substr(1));
    if (size) stream_->resize(size->columns, size->rows);
  }
  stream_->write("", std::move(taken));
}

std::optional<TerminalSize> read_terminal_size(const std::string& text) {
  const auto size = objects::parse_json(text);
  if (!size) return std::nullopt;
  const auto side = [&](std::string_view name) {
    return static_cast<int>(
        std::clamp<std::int64_t>((*size)[name].integer_or(0), 0, terminal_side_max));
  };
  return TerminalSize{side("Width"), side("Height")};
}

std::string end_text(const PodStreamEnd& end, const std::vector<std::string>& command) {
  if (!end.failure.empty()) {
    return objects::to_json(Value::object(
        {{"metadata", Value::object({})},
         {"status", Value::string("Failure")},
         {"message", Value::string("Internal error occurred: error executing command in "
                                   "container: " +
                                   end.failure)},
         {"reason", Value::string("InternalError")},
         {"details", Value::object({{"causes", Value::array({Value::object(
                                                   {{"message", Value::string(end.failure)}})})}})},
         {"code", Value::integer(500)}}));
  }
  if (end.exit_code == 0) {
    return objects::to_json(
        Value::object({{"metadata", Value::object({})}, {"status", Value::string("Success")}}));
  }
  const Value cause = Value::object({{"reason", Value::string("ExitCode")},
                                     {"message", Value::string(fmt::to_string(end.exit_code))}});
  return objects::to_json(Value::object(
      {{"metadata", Value::object({})},
       {"status", Value::string("Failure")},
       {"message",
        Value::string(fmt::format("command terminated with non-zero exit code: error executing "
                                  "command [{}], exit code {}",
                                  fmt::join(command, " "), end.exit_code))},
       {"reason", Value::string("NonZeroExitCode")},
       {"details", Value::object({{"causes", Value::array({cause})}})}}));
}

}  // namespace muster::server
