// SPDX-License-Identifier: Apache-2.0
#include "base/os/console.h"

#include <unistd.h>

#include <string>

#include "base/os/descriptor.h"

namespace muster {

namespace {

int number_of(Console console) {
  return console == Console::standard_output ? STDOUT_FILENO : STDERR_FILENO;
}

}  // namespace

bool write_text(Console console, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written =
        retry([&] { return ::write(number_of(console), text.data(), text.size()); });
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_line(Console console, std::string_view line) {
  std::string text;
  text.reserve(line.size() + 1);
  text.append(line).push_back('\n');
  return write_text(console, text);
}

bool is_terminal(Console console) {
  return ::isatty(number_of(console)) == 1;
}

}  // namespace muster
