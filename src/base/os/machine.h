// This machine: what it has and what it is called. For the node that stands for it.
//
//   const Machine machine = this_machine();
//   machine.processors;   // those this process may use
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace muster {

struct Machine {
  std::int64_t processors = 1;
  std::int64_t memory_bytes = 0;
  std::string host_name;
  std::string architecture;  // as Go says it: "amd64", "arm64"
  std::string kernel_version;
  std::string os_image;  // "Debian GNU/Linux 12 (bookworm)"
  std::string machine_id;
  std::string boot_id;
};

// What cannot be found out stays empty.
Machine this_machine();

}  // namespace muster
