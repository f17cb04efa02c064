// ContainerStream: bytes both ways between somebody outside and a container: a command that runs in
// it, or a connection to one of its ports.
//
//   stream->set_on_ready([&] { ContainerStream::Step step = stream->take(65536); … });
//   stream->write("date\n", [] { … there is room for more … });
//
// Assumes: the house thread. Destroying it ends what is at the other end of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/executor.h"

namespace muster::agent {

struct ContainerStreamEnd {
  int exit_code = 0;
  std::string failure = {};  // it could not be begun; empty: it ran
};

class ContainerStream {
 public:
  struct Step {
    std::string output;
    std::string error;
    std::optional<ContainerStreamEnd> end;  // nothing comes after this
  };

  virtual ~ContainerStream() = default;

  // Set once, before the first take. Called once after a step that was empty.
  virtual void set_on_ready(Task on_ready) = 0;
  virtual Step take(std::size_t bytes_max) = 0;

  // `taken` comes when there is room for more; never from inside the call.
  virtual void write(std::string bytes, Task taken) = 0;
  virtual void close_input() = 0;

  // Of its terminal, if it has one.
  virtual void resize(int columns, int rows) = 0;
};

}  // namespace muster::agent
