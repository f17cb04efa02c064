// Containers that run from images: their layers, their bundle, and runc.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/oci/oci_config.h"
#include "agent/oci/oci_process.h"
#include "agent/pod_folder.h"
#include "agent/shim.h"
#include "base/os/container_mounts.h"
#include "base/os/device_files.h"
#include "base/os/folders.h"
#include "base/os/pipe.h"
#include "base/os/process.h"

namespace muster::agent {

namespace {

constexpr std::uint32_t root_mode = 0755;

}  // namespace

bool Shim::runs_images() const {
  return std::any_of(spec_.pod.containers.begin(), spec_.pod.containers.end(),
                     [](const ContainerSpec& container) { return container.image_run.is_given(); });
}

// Each run has a layer of its own over the image: what an earlier one wrote is gone, as it is with
// every container runtime.
Result<> Shim::make_container(Container& container) {
  const ContainerSpec& spec = *container.spec;
  const std::string bundle = pod_folder::bundle_path(folder_, spec.name, container.state.attempt);
  const Layers layers{.lower = spec.image_run.root_folder,
                      .upper = bundle + "/upper",
                      .work = bundle + "/work",
                      .target = bundle + "/rootfs"};
  for (const std::string& path : {layers.upper, layers.work, layers.target}) {
    TRY(make_folders(path));
  }
  if (!path_exists(layers.lower)) {
    return Error{ErrorCode::not_found, "the files of the image are gone: it was removed"};
  }
  TRY(set_mode(layers.upper, root_mode));
  TRY(mount_layers(layers));
  OciPlace place{.root = layers.target, .etc_folder = pod_folder::etc_path(folder_)};
  place.mounts = TRY(resolved_mounts(spec, bundle));
  SandboxSpec streams;
  TRY(make_last_words(spec, streams));
  if (!streams.mounts.empty()) place.last_words = streams.mounts.front().source;
  place.holder = process_.id;
  place.own_network = spec_.network.has_bridge();
  place.own_processes = spec_.processes == ProcessSharing::none;
  place.processes_of = processes_.first_process();
  const std::string group = shim_group_name(spec_.pod.uid, spec.name);
  place.control_group = groups_.name_for_runtimes(group);
  place.is_unified = groups_.is_unified();
  place.limits_memory = groups_.limits_memory();
  place.limits_processes = groups_.limits_processes();
  place.limits_cpu = groups_.limits_cpu();
  place.processes_max = spec_.processes_max;
  place.capabilities = own_capabilities();
  if (spec.image_run.is_privileged) place.machine_devices = device_files_in("/dev");
  TRY(replace_file(bundle + "/config.json", oci_config_text(spec, place), Durable::no));
  remove_group_everywhere(group);
  container.group = groups_.named(group);
  TRY(remove_folder_tree(pod_folder::runc_path(folder_) + "/" + spec.name));
  if (!spec.has_terminal) TRY(open_streams(container, streams));
  container.sandbox = TRY(OciProcess::start({.root = pod_folder::runc_path(folder_),
                                             .bundle = bundle,
                                             .id = spec.name,
                                             .has_terminal = spec.has_terminal},
                                            {.input = std::move(streams.standard_input),
                                             .output = std::move(streams.standard_output),
                                             .error = std::move(streams.standard_error)}));
  open_attach(container);
  return {};
}

// What lies below a volume is bound to a place of ours first: runc follows links.
Result<std::vector<Mount>> Shim::resolved_mounts(const ContainerSpec& container,
                                                 const std::string& bundle) const {
  std::vector<Mount> mounts;
  for (Mount mount : container.mounts) {
    if (!mount.below.empty()) {
      TRY(make_folders(bundle + "/mounts"));
      const std::string target = fmt::format("{}/mounts/{}", bundle, mounts.size());
      TRY(bind_below(mount.source, mount.below, target));
      mount.source = target;
      mount.below.clear();
    }
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

// runc makes the terminal inside, and hands us its other end.
Result<> Shim::take_terminal(Container& container) {
  if (!container.spec->image_run.is_given() || !container.spec->has_terminal) return {};
  Descriptor master = static_cast<OciProcess&>(*container.sandbox).take_terminal();
  container.terminal = TRY(duplicate(master));
  if (container.spec->has_input) container.input.to = TRY(duplicate(master));
  add_stream(container, std::move(master), "stdout");
  feed(container);
  return {};
}

void Shim::clear_container(const Container& container) {
  const std::string& name = container.spec->name;
  const std::string bundle = pod_folder::bundle_path(folder_, name, container.state.attempt);
  remove_group_everywhere(shim_group_name(spec_.pod.uid, name));
  unmount_at(bundle + "/rootfs");
  for (const char* part : {"/upper", "/work"}) {
    static_cast<void>(remove_folder_tree(bundle + part));
  }
  static_cast<void>(remove_folder_tree(pod_folder::runc_path(folder_) + "/" + name));
}

}  // namespace muster::agent
