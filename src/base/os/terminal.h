// A terminal that a program believes in: what is written to its master, the program reads as if
// somebody typed it, and the other way round.
//
//   Terminal terminal = TRY(open_terminal());
//   resize_terminal(terminal.master, 80, 24);
//
// And the other side: the terminal that this program was started on.
//
//   if (is_input_a_terminal()) { const RawTerminal raw; … }     // every key as it is pressed
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/os/descriptor.h"
#include "base/result.h"

namespace muster {

struct Terminal {
  Descriptor master;
  Descriptor slave;  // the program's end
  std::string path;  // of it
};

Result<Terminal> open_terminal();

void resize_terminal(const Descriptor& master, int columns, int rows);

bool is_input_a_terminal();

struct TerminalSides {
  int columns = 0;
  int rows = 0;
};
std::optional<TerminalSides> own_terminal_size();

// As long as it lives, keys are neither echoed nor gathered into lines, and ^C is a key.
class RawTerminal {
 public:
  RawTerminal();
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  struct Before;
  std::unique_ptr<Before> before_;
};

}  // namespace muster
