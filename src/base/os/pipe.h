// A pipe: what one process writes, another reads. Both ends block and are closed on exec.
//
//   Pipe pipe = TRY(make_pipe());
//   for (std::string text; read_available(pipe.read, text); text.clear()) log.write(text);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/os/descriptor.h"
#include "base/result.h"

namespace muster {

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Result<Pipe> make_pipe();

// Appends what is there, without waiting, up to some ten thousands of bytes. False at the end:
// nobody has the other end any more, or it cannot be read.
bool read_available(const Descriptor& from, std::string& into);

}  // namespace muster
