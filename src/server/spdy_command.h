// SpdyCommand: a command in a container over a connection that speaks plain SPDY/3.1, as clients
// before 1.30 do. The client opens a stream for each thing that is exchanged, and says which by the
// header `streamtype`:
//
//   error    how it ended, a Status in JSON        stdin, stdout, stderr    bytes
//   resize   {"Width":80,"Height":24}, of a terminal
//
//   Upgrade upgrade{"SPDY/3.1:v4.channel.k8s.io", std::make_unique<SpdyCommand>(…)};
//
// Assumes: the house thread. Nothing is said before all streams are there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "server/pod_streams.h"
#include "server/remote_command.h"
#include "server/request.h"
#include "server/spdy_frames.h"

namespace muster::server {

// Before the protocols that a client offers for a connection that is SPDY/3.1 itself, and no
// WebSocket; and before the one that is chosen of them.
inline constexpr std::string_view plain_spdy = "SPDY/3.1:";

class SpdyCommand final : public Conversation {
 public:
  struct Expected {
    bool input = false;
    bool resize = false;
  };
  SpdyCommand(std::unique_ptr<PodStream> stream, RemoteCommandOptions options, Expected expected);

  StreamStep take(std::size_t bytes_max) override;
  void set_on_ready(Task on_ready) override { on_ready_ = std::move(on_ready); }
  void hear(std::string message, Task taken) override;

 private:
  enum Part : std::uint8_t { error_part, input_part, output_part, stderr_part, resize_part };
  static constexpr std::size_t parts = 5;

  void obey(const SpdyFrame& frame, std::string& input);
  void open(const SpdyFrame& frame);
  void read_sizes(std::string_view bytes);
  bool is_complete() const;
  void say(std::string bytes);
  void wake();
  void end(const PodStreamEnd& how);

  std::unique_ptr<PodStream> stream_;
  RemoteCommandOptions options_;
  std::array<bool, parts> expected_ = {};
  std::array<std::uint32_t, parts> streams_ = {};  // 0: not opened
  SpdyReader reader_;
  SpdyWriter writer_;
  std::string said_;
  std::string sizes_;  // what came of the next one
  Task on_ready_;
  bool is_waiting_ = false;
  bool ended_ = false;
};

}  // namespace muster::server
