// SPDX-License-Identifier: Apache-2.0
#include "base/os/machine.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <string_view>

#include "base/os/files.h"

namespace muster {

namespace {

constexpr std::size_t file_bytes_max = std::size_t{64} * 1024;

std::string first_line(const std::string& path) {
  const std::string text = read_whole_file(path, file_bytes_max).value_or("");
  return text.substr(0, text.find('\n'));
}

std::string pretty_name() {
  const std::string text = read_whole_file("/etc/os-release", file_bytes_max).value_or("");
  constexpr std::string_view key = "PRETTY_NAME=\"";
  const std::size_t from = text.find(key);
  if (from == std::string::npos) return {};
  const std::size_t begin = from + key.size();
  return text.substr(begin, text.find('"', begin) - begin);
}

std::string go_architecture(std::string_view machine) {
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  return std::string(machine);
}

std::int64_t usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return CPU_COUNT(&set);
}

}  // namespace

Machine this_machine() {
  Machine machine;
  machine.processors = usable_processors();
  machine.memory_bytes = ::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE);
  utsname name{};
  if (::uname(&name) == 0) {
    machine.host_name = name.nodename;
    machine.architecture = go_architecture(name.machine);
    machine.kernel_version = name.release;
  }
  machine.os_image = pretty_name();
  machine.machine_id = first_line("/etc/machine-id");
  machine.boot_id = first_line("/proc/sys/kernel/random/boot_id");
  return machine;
}

}  // namespace muster
