// SPDX-License-Identifier: Apache-2.0
#include "agent/resolver_text.h"

#include <fmt/format.h>

#include <utility>

#include "base/os/files.h"

namespace muster::agent {

std::string resolver_text(const PodSpec& pod) {
  constexpr std::size_t file_bytes_max = std::size_t{64} << 10;
  std::string text;
  if (pod.name_server.empty() && pod.search_domains.empty()) {
    auto machines = read_whole_file("/etc/resolv.conf", file_bytes_max);
    if (machines) return std::move(*machines);
  }
  if (!pod.name_server.empty()) text += fmt::format("nameserver {}\n", pod.name_server);
  if (!pod.search_domains.empty()) {
    text += fmt::format("search {}\n", fmt::join(pod.search_domains, " "));
  }
  return text + "options ndots:5\n";
}

}  // namespace muster::agent
