// What the containers of a pod share: its files below /etc, its namespaces, its network.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "agent/pod_folder.h"
#include "agent/pod_network.h"
#include "agent/resolver_text.h"
#include "agent/shim.h"
#include "base/os/container_mounts.h"
#include "base/os/files.h"
#include "base/os/folders.h"
#include "base/os/process.h"

namespace muster::agent {

namespace {

constexpr std::uint32_t workspace_mode = 0777;
constexpr std::uint32_t etc_file_mode = 0644;
constexpr const char* inside_name = "eth0";

}  // namespace

Result<> Shim::enter_namespaces() {
  if (runs_images()) {
    if (spec_.isolation != Isolation::full) {
      return Error{ErrorCode::forbidden,
                   "containers from images need the rights of root, which Muster does not have"};
    }
    adopt_orphans();
    TRY(enter_own_mounts());
  }
  const bool own_network = spec_.network.has_bridge();
  std::optional<Netlink> outside;
  std::uint32_t bridge_index = 0;
  if (own_network) {
    outside = TRY(Netlink::open());
    bridge_index = TRY(link_index(spec_.network.bridge));
  }
  TRY(enter_shared_namespaces({.isolation = spec_.isolation,
                               .own_network = own_network,
                               .own_ipc = spec_.own_ipc,
                               .hostname = spec_.pod.hostname}));
  if (own_network) TRY(connect_network(*outside, bridge_index));
  return share_processes();
}

// What a container leaves behind when it ends is not ended by the kernel then: its group is how it
// is known.
Result<> Shim::share_processes() {
  if (spec_.processes == ProcessSharing::none) return {};
  if (!groups_.limits_memory() && !groups_.limits_processes()) {
    return Error{ErrorCode::forbidden,
                 "a pod that shares processes needs control groups, and this node has none"};
  }
  if (spec_.processes == ProcessSharing::pod) processes_ = TRY(ProcessNamespace::start());
  return {};
}

Result<> Shim::write_etc_files() {
  const std::string etc = pod_folder::etc_path(folder_);
  TRY(make_folders(etc));
  const std::string workspace = pod_folder::workspace_path(folder_);
  if (!path_exists(workspace)) {
    TRY(make_folders(workspace));
    TRY(set_mode(workspace, workspace_mode));
  }
  const std::pair<const char*, std::string> files[] = {{"hosts", spec_.pod.hosts},
                                                       {"hostname", spec_.pod.hostname + "\n"},
                                                       {"resolv.conf", resolver_text(spec_.pod)}};
  for (const auto& [name, text] : files) {
    const std::string path = fmt::format("{}/{}", etc, name);
    TRY(replace_file(path, text, Durable::no));
    TRY(set_mode(path, etc_file_mode));
  }
  return {};
}

Result<> Shim::connect_network(Netlink& outside, std::uint32_t bridge_index) {
  const LinkAddress inside{
      .name = inside_name, .address = spec_.pod.address, .prefix = spec_.network.prefix};
  const std::string cable = cable_name(spec_.pod.uid);
  // The cable of an earlier shim of this pod goes with its namespace, which may take a moment.
  if (auto old = outside.remove_link(cable); !old && old.error().code != ErrorCode::not_found) {
    return old;
  }
  TRY(outside.plug_into_bridge(cable, bridge_index, inside));
  Netlink here = TRY(Netlink::open());
  TRY(here.set_up("lo"));
  TRY(here.add_address(inside));
  TRY(here.set_up(inside.name));
  return here.add_default_route(spec_.network.gateway);
}

// The namespace may outlive the pod, kept by connections that nobody closed: what they send again
// would come from an address that others may have by then. So the cable goes first.
void Shim::unplug() {
  if (!spec_.network.has_bridge()) return;
  if (auto here = Netlink::open()) static_cast<void>(here->remove_link(inside_name));
}

}  // namespace muster::agent
