// SPDX-License-Identifier: Apache-2.0
#include "agent/end_pods.h"

#include <fmt/format.h>

#include "agent/limits.h"
#include "agent/pod_folder.h"
#include "agent/shim.h"
#include "agent/shim_protocol.h"
#include "base/os/child_process.h"
#include "base/os/control_group.h"
#include "base/os/files.h"
#include "base/os/folders.h"

namespace muster::agent {

namespace {

constexpr std::size_t state_bytes_max = std::size_t{4} * 1024 * 1024;

// A container from an image does not die with its shim. It is known by its control group: by then
// its number may be somebody else's. The first process of its namespace takes the others along.
void end_container(const std::string& uid, const ContainerState& container) {
  if (container.process_id <= 0) return;
  const auto ticks = process_start_ticks(container.process_id);
  if (!ticks) return;
  const auto process = ProcessHandle::open(container.process_id, *ticks);
  const std::string path = fmt::format("/proc/{}/cgroup", container.process_id);
  const auto groups = read_whole_file(path, state_bytes_max);
  if (!process || !groups) return;
  if (groups->find(shim_group_name(uid, container.name)) == std::string::npos) return;
  static_cast<void>(process->end_at_once());
}

// Who shares the processes of others is not ended with the first one.
void clear_group(const std::string& uid, const ContainerState& container) {
  const std::string group = shim_group_name(uid, container.name);
  end_group_everywhere(group);
  remove_group_everywhere(group);
}

// Whether there was a shim to end.
bool end_pod(const std::string& folder) {
  const auto text = read_whole_file(pod_folder::state_path(folder), state_bytes_max);
  if (!text) return false;
  const auto state = parse_shim_state(*text);
  if (!state) return false;
  auto shim = ProcessHandle::open(state->shim.id, state->shim.start_ticks);
  const bool was_there = shim && shim->end_at_once().has_value();
  for (const ContainerState& each : state->pod.containers) {
    end_container(state->pod.uid, each);
    clear_group(state->pod.uid, each);
  }
  return was_there;
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
