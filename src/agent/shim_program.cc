// The shim as a program of its own, for tests of the runtime that have no `muster` to start.
// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "agent/shim.h"

int main(int argc, char** argv) {
  return muster::agent::shim_server_main({argv, static_cast<std::size_t>(argc)});
}
