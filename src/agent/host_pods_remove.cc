// How a pod is forgotten: its shim is told to kill, then its groups, mounts and files go.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "agent/host_pods.h"
#include "agent/shim.h"
#include "base/os/control_group.h"
#include "base/os/folders.h"

namespace muster::agent {

namespace {

constexpr Span remove_patience = Span::of_seconds(10);  // of a shim that was told to kill

}  // namespace

void HostPods::remove(const std::string& uid) {
  Pod* pod = find(uid);
  if (pod == nullptr) return;
  pod->next.reset();
  if (std::exchange(pod->removing, true)) return;
  if (!pod->alive) return forget_soon(uid);
  send(*pod, {.verb = ShimOrder::Verb::kill});
  loop_.post_at(clock_.monotonic() + remove_patience, [this, uid] { kill_shim(uid); });
}

void HostPods::kill_shim(const std::string& uid) {
  const Pod* pod = find(uid);
  if (pod == nullptr || !pod->removing) return;
  const ShimProcess& process = pod->state.shim;
  if (auto handle = ProcessHandle::open(process.id, process.start_ticks)) {
    static_cast<void>(handle->end_at_once());
  }
}

// One a turn of the loop: who deletes thousands does not hold up those who start.
void HostPods::forget_soon(const std::string& uid) {
  find(uid)->waiting.reset();
  to_forget_.push_back(uid);
  if (to_forget_.size() == 1) loop_.post_at(clock_.monotonic(), [this] { forget_next(); });
}

void HostPods::forget_next() {
  const std::string uid = std::move(to_forget_.front());
  to_forget_.pop_front();
  if (!to_forget_.empty()) loop_.post_at(clock_.monotonic(), [this] { forget_next(); });
  forget(uid);
}

void HostPods::forget(const std::string& uid) {
  const auto at = pods_.find(uid);
  const std::unique_ptr<Pod> pod = std::move(at->second);
  pods_.erase(at);
  settle(*pod);
  // The shim is past its last deed; the kernel takes it away on its own time.
  if (pod->child) {
    loop_.unwatch(pod->child_watch);
    pod->child->reap_wait();
  }
  for (const ContainerState& container : pod->state.pod.containers) {
    end_group_everywhere(shim_group_name(uid, container.name));
    remove_group_everywhere(shim_group_name(uid, container.name));
  }
  unmount_memory_in(pod->folder + "/volumes");
  if (const auto removed = remove_folder_tree(pod->folder); !removed) {
    log_.warning("cannot remove the folder of a pod",
                 {{"uid", uid}, {"error", removed.error().message}});
  }
  release_devices(uid);
  if (pod->next) start(std::move(*pod->next));
}

}  // namespace muster::agent
