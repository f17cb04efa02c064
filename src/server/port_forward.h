// PortForward: connections to the ports of a pod over one conversation, in the two ways that
// clients have: SPDY/3.1 frames in the messages (kubectl), where each connection is a pair of
// streams, one for bytes and one for what went wrong; and channels (Python), two for each port that
// the query names.
//
//   SPDY      client opens `error` and `data` with the headers port and requestid; replies; bytes;
//             the end of the one is told on both
//   channels  2n bytes, 2n+1 errors; the first message of each is its port, low byte first
//
// Assumes: the house thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/unique_function.h"
#include "server/pod_streams.h"
#include "server/request.h"
#include "server/spdy_frames.h"

namespace muster::server {

using ConnectToPort = UniqueFunction<Result<std::unique_ptr<PodStream>>(std::uint16_t port)>;

// What both ways share: connections by number, what they read and how they end.
class PortForward : public Conversation {
 public:
  PortForward(Executor& house, ConnectToPort connect)
      : house_(house), connect_(std::move(connect)) {}

  StreamStep take(std::size_t bytes_max) override;
  void set_on_ready(Task on_ready) override { on_ready_ = std::move(on_ready); }

 protected:
  struct Line {
    std::uint32_t data = 0;   // the stream or channel of its bytes
    std::uint32_t error = 0;  // … and of what went wrong
    std::uint16_t port = 0;
    std::unique_ptr<PodStream> pod = {};
  };

  // Tells of a failure where it cannot be opened.
  void open(Line line);
  Line* find(std::uint32_t data);
  void close(std::uint32_t data) { lines_.erase(data); }
  void say(std::string message);
  void end() { ended_ = true; }

  // Of the message at hand: the client may go on when all of them are taken.
  void write(Line& line, std::string bytes);
  void finish_hearing(Task taken);

  virtual void say_bytes(const Line& line, std::string_view bytes) = 0;
  virtual void say_end(const Line& line, const std::string& failure) = 0;

 private:
  void wake();

  Executor& house_;
  ConnectToPort connect_;
  std::map<std::uint32_t, Line> lines_;  // by their data
  std::vector<std::string> said_;
  Task on_ready_;
  std::shared_ptr<Task> hearing_ = {};  // called when the last write of a message is taken
  bool is_waiting_ = false;
  bool ended_ = false;
};

std::unique_ptr<Conversation> make_spdy_forward(Executor& house, ConnectToPort connect);
std::unique_ptr<Conversation> make_channel_forward(Executor& house, ConnectToPort connect,
                                                   const std::vector<std::uint16_t>& ports);

}  // namespace muster::server
