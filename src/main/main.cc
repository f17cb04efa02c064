// The composition: the only place that creates threads and chooses real clocks, disks and
// terminals.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string_view>

#include "cli/command_line.h"

namespace {

muster::cli::Sink to(std::FILE* stream) {
  return [stream](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stream); };
}

}  // namespace

int main(int argc, char** argv) {
  return muster::cli::run(argc, argv, {.out = to(stdout), .error = to(stderr)});
}
