// SPDX-License-Identifier: Apache-2.0
#include "base/os/heap.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/detached_process.h"
#include "base/os/process.h"

namespace muster {

namespace {

constexpr int mapped_bytes_min = 1024 * 1024;
constexpr int free_end_bytes_max = 4 * 1024 * 1024;
constexpr const char* settings_name = "GLIBC_TUNABLES";
constexpr std::string_view free_pieces = "glibc.malloc.tcache_count=100";

}  // namespace

void give_free_memory_back() {
  // Where the C library has no such settings it keeps its own ways.
  ::mallopt(M_MMAP_THRESHOLD, mapped_bytes_min);
  ::mallopt(M_TRIM_THRESHOLD, free_end_bytes_max);
}

void keep_free_pieces(char** arguments) {
  if (const auto present = environment_variable(settings_name)) {
    // Those who are started from here, shims above all, stay small.
    if (*present == free_pieces) ::unsetenv(settings_name);
    return;
  }
  // From a program with more rights than its caller the loader takes the variable: without end.
  const auto program = own_program();
  if (!program || ::getauxval(AT_SECURE) != 0) return;
  std::string setting = fmt::format("{}={}", settings_name, free_pieces);
  std::vector<char*> environment;
  for (char** each = ::environ; *each != nullptr; ++each) environment.push_back(*each);
  environment.push_back(setting.data());
  environment.push_back(nullptr);
  ::execve(program->c_str(), arguments, environment.data());
}

}  // namespace muster
