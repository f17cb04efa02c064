// SPDX-License-Identifier: Apache-2.0
#include "agent/end_pods.h"

#include <fmt/format.h>

#include "agent/limits.h"
#include "agent/pod_folder.h"
#include "agent/shim_protocol.h"
#include "base/os/child_process.h"
#include "base/os/files.h"
#include "base/os/folders.h"

namespace muster::agent {

namespace {

constexpr std::size_t state_bytes_max = std::size_t{4} * 1024 * 1024;

// Whether there was a shim to end.
bool end_pod(const std::string& folder) {
  const auto text = read_whole_file(pod_folder::state_path(folder), state_bytes_max);
  if (!text) return false;
  const auto state = parse_shim_state(*text);
  if (!state) return false;
  auto shim = ProcessHandle::open(state->shim.id, state->shim.start_ticks);
  return shim && shim->end_at_once().has_value();
}

}  // namespace

Result<std::size_t> end_all_pods(const std::string& pods_folder) {
  if (!path_exists(pods_folder)) return 0;
  std::size_t ended = 0;
  for (const std::string& uid : TRY(names_in_folder(pods_folder))) {
    if (end_pod(fmt::format("{}/{}", pods_folder, uid))) ++ended;
  }
  return ended;
}

}  // namespace muster::agent
