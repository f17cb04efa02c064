// AttachedStream: the house's end of an attachment (agent/attach.h): frames taken apart and put
// together over a stream of bytes to the shim's socket. Its end says nothing of the container's.
//
//   auto stream = std::make_unique<AttachedStream>(std::move(socket_stream));
//
// Assumes: the house thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "agent/attach.h"
#include "agent/container_stream.h"

namespace muster::agent {

class AttachedStream final : public ContainerStream {
 public:
  explicit AttachedStream(std::unique_ptr<ContainerStream> socket) : socket_(std::move(socket)) {}

  void set_on_ready(Task on_ready) override { socket_->set_on_ready(std::move(on_ready)); }
  Step take(std::size_t bytes_max) override;
  void write(std::string bytes, Task taken) override;
  void close_input() override;
  void resize(int columns, int rows) override;

 private:
  std::unique_ptr<ContainerStream> socket_;
  AttachReader reader_;
};

}  // namespace muster::agent
