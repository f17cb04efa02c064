// RelayedStream: a ContainerStream over descriptors of this machine. The descriptors live on the
// machine's loop, the stream on the house; what passes between them is bounded by a window each
// way.
//
//   auto stream = std::make_unique<RelayedStream>(house, machine, [] -> Result<RelayEnds> { … });
//
//   house:   write ──► post ──► machine: waiting ──► input descriptor
//            take ◄── chunks ◄── post ◄── output, error descriptors (not read while a window is
//            out)
//
// Assumes: house and machine outlive it. The opener runs on the machine's loop, once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/container_stream.h"
#include "base/executor.h"
#include "base/os/child_process.h"
#include "base/os/descriptor.h"
#include "base/os/poll_loop.h"
#include "base/result.h"
#include "base/unique_function.h"

namespace muster::agent {

// What a stream is made of; each may be absent.
struct RelayEnds {
  Descriptor input = Descriptor();    // written
  Descriptor output = Descriptor();   // read
  Descriptor error = Descriptor();    // read
  Descriptor control = Descriptor();  // written: sizes of a terminal; its end ends the visit
  Descriptor status = Descriptor();   // read: how it ended (agent/enter.h)
  bool input_is_socket = false;       // its end is told by ending to send
  std::optional<ChildProcess> child = {};
};

class RelayedStream final : public ContainerStream {
 public:
  using Opener = UniqueFunction<Result<RelayEnds>()>;

  RelayedStream(Executor& house, PollLoop& machine, Opener open);
  ~RelayedStream() override;

  void set_on_ready(Task on_ready) override;
  Step take(std::size_t bytes_max) override;
  void write(std::string bytes, Task taken) override;
  void close_input() override;
  void resize(int columns, int rows) override;

 private:
  struct HouseHalf;
  class MachineHalf;

  PollLoop& machine_;
  std::shared_ptr<HouseHalf> here_;
  std::shared_ptr<MachineHalf> there_;
};

}  // namespace muster::agent
