// SPDX-License-Identifier: Apache-2.0
#include "agent/readdress.h"

#include <string_view>
#include <utility>

#include "agent/limits.h"
#include "agent/pod_folder.h"
#include "base/os/files.h"
#include "base/os/folders.h"

namespace muster::agent {

namespace {

// "10.88." of "10.88.0.1", which is what a specification has of its network.
std::string octets_of(const std::string& gateway) {
  return gateway.substr(0, gateway.find('.', gateway.find('.') + 1) + 1);
}

struct Move {
  std::string from;
  std::string to;

  // An address at the place; anything else stays.
  void at(std::string& text, std::size_t place) const {
    if (text.compare(place, from.size(), from) == 0) text.replace(place, from.size(), to);
  }
};

void move_lines(std::string& text, const Move& move) {
  for (std::size_t line = 0; line < text.size();) {
    move.at(text, line);
    const std::size_t end = text.find('\n', line);
    if (end == std::string::npos) return;
    line = end + 1;
  }
}

// As the downward API and the variables of Services have them: bare, or as tcp://10.88.192.7:80.
void move_value(std::string& value, const Move& move) {
  constexpr std::string_view scheme = "tcp://";
  move.at(value, value.starts_with(scheme) ? scheme.size() : 0);
}

}  // namespace

bool readdress(ShimSpec& shim, const PodNetwork& present) {
  if (shim.network.gateway == present.gateway) return false;
  const Move move{.from = octets_of(shim.network.gateway), .to = octets_of(present.gateway)};
  const bool has_own = shim.network.has_bridge();  // one that shares the machine's goes on to
  shim.network = present;
  if (!has_own) shim.network.bridge.clear();
  move.at(shim.pod.address, 0);
  move.at(shim.pod.name_server, 0);
  move_lines(shim.pod.hosts, move);
  for (ContainerSpec& container : shim.pod.containers) {
    for (auto& [name, value] : container.environment) move_value(value, move);
  }
  return true;
}

Result<> readdress_in(const std::string& folder, const PodNetwork& present) {
  const std::string path = pod_folder::spec_path(folder);
  const std::string text = TRY(read_whole_file(path, shim_file_bytes_max));
  ShimSpec shim = TRY(parse_shim_spec(text));
  if (!readdress(shim, present)) return {};
  return replace_file(path, to_json_text(shim), Durable::no);
}

}  // namespace muster::agent
