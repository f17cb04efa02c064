// What fork_server_test forks: says its arguments, on its own descriptor 3 where that is asked for,
// and ends with the number of them.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <string>

#include "base/os/fork_server.h"

int main(int argc, char** argv) {
  const auto arguments = muster::serve_forks({argv, static_cast<std::size_t>(argc)});
  if (!arguments) return 0;
  std::string text;
  for (const std::string& argument : *arguments) text += argument + "\n";
  if (::write(3, text.data(), text.size()) < 0) return 100;
  if (arguments->back() == "stay") ::pause();
  return static_cast<int>(arguments->size());
}
