// RemoteCommand: a command in a container as a conversation of the protocols v4 and v5 of
// channel.k8s.io: the first byte of each message is its channel.
//
//   0 standard input   1 standard output   2 standard error   3 how it ended, a Status in JSON
//   4 {"Width":80,"Height":24}             255 (v5, from the client): the channel it closes
//
//   Upgrade upgrade{"v5.channel.k8s.io", std::make_unique<RemoteCommand>(std::move(stream), …)};
//
// Assumes: the house thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/pod_streams.h"
#include "server/request.h"

namespace muster::server {

struct RemoteCommandOptions {
  std::vector<std::string> command = {};  // for the sentence about its end
  bool has_output = true;
  bool has_error = true;
};

class RemoteCommand final : public Conversation {
 public:
  RemoteCommand(std::unique_ptr<PodStream> stream, RemoteCommandOptions options)
      : stream_(std::move(stream)), options_(std::move(options)) {}

  StreamStep take(std::size_t bytes_max) override;
  void set_on_ready(Task on_ready) override { stream_->set_on_ready(std::move(on_ready)); }
  void hear(std::string message, Task taken) override;

 private:
  std::unique_ptr<PodStream> stream_;
  RemoteCommandOptions options_;
  bool has_greeted_ = false;
};

// How a command ended, as a Status in JSON.
std::string end_text(const PodStreamEnd& end, const std::vector<std::string>& command);

// {"Width":80,"Height":24}, kept within what a terminal can have; nothing where it is none.
struct TerminalSize {
  int columns = 0;
  int rows = 0;
};
std::optional<TerminalSize> read_terminal_size(const std::string& text);

// The best subprotocol that both sides speak; empty where there is none.
std::string choose_command_protocol(const std::vector<std::string>& offered);

}  // namespace muster::server
