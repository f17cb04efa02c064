// SPDX-License-Identifier: Apache-2.0
#include "base/os/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <utility>

#include "base/os/system_error.h"

namespace muster {

Result<Terminal> open_terminal() {
  Terminal terminal;
  terminal.master = Descriptor(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!terminal.master || ::grantpt(terminal.master.number()) < 0 ||
      ::unlockpt(terminal.master.number()) < 0) {
    return system_error("open a terminal", "", errno);
  }
  std::array<char, PATH_MAX> name{};
  if (::ptsname_r(terminal.master.number(), name.data(), name.size()) != 0) {
    return system_error("name a terminal", "", errno);
  }
  terminal.slave = Descriptor(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!terminal.slave) return system_error("open terminal", name.data(), errno);
  terminal.path = name.data();
  return terminal;
}

void resize_terminal(const Descriptor& master, int columns, int rows) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  ::ioctl(master.number(), TIOCSWINSZ, &size);
}

bool is_input_a_terminal() {
  return ::isatty(STDIN_FILENO) == 1;
}

std::optional<TerminalSides> own_terminal_size() {
  winsize size{};
  if (::ioctl(STDIN_FILENO, TIOCGWINSZ, &size) < 0) return std::nullopt;
  return TerminalSides{size.ws_col, size.ws_row};
}

struct RawTerminal::Before {
  termios settings = {};
};

RawTerminal::RawTerminal() {
  auto before = std::make_unique<Before>();
  if (::tcgetattr(STDIN_FILENO, &before->settings) < 0) return;
  termios raw = before->settings;
  ::cfmakeraw(&raw);
  if (::tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0) before_ = std::move(before);
}

RawTerminal::~RawTerminal() {
  if (before_ != nullptr) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_->settings);
}

}  // namespace muster
