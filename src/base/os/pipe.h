// A pipe: what one process writes, another reads. Both ends block and are closed on exec.
//
//   Pipe pipe = TRY(make_pipe());
//   for (std::string text; read_available(pipe.read, text); text.clear()) log.write(text);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/instant.h"
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

// How much was taken now, also none; an error when nobody reads any more. Makes the end one that
// does not wait.
Result<std::size_t> write_available(const Descriptor& to, std::string_view bytes);

// Waits for room, but not for longer; what was not taken by then is lost.
void write_within(const Descriptor& to, std::string_view bytes, Span patience);

// The same end under another number.
Result<Descriptor> duplicate(const Descriptor& descriptor);

// Of a socket: nothing more is sent, what comes is still read.
void end_sending(const Descriptor& socket);

}  // namespace muster
