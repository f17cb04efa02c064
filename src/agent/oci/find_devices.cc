// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/find_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/os/command.h"
#include "base/os/device_files.h"
#include "base/os/files.h"
#include "base/os/folders.h"

namespace muster::agent {

namespace {

constexpr const char* gpu_resource = "nvidia.com/gpu";

// A device without numbers is the file of the machine.
Result<> complete(DeviceEdits& edits) {
  for (DeviceNode& node : edits.nodes) {
    if (node.major != 0) continue;
    const DeviceFile file = TRY(device_file(node.host_path));
    node.kind = file.kind;
    node.major = file.major;
    node.minor = file.minor;
    node.mode = file.mode;
    node.user = file.user;
    node.group = file.group;
  }
  return {};
}

bool is_specification(const std::string& name) {
  return name.ends_with(".json") || name.ends_with(".yaml") || name.ends_with(".yml");
}

// A name that stands for several devices is none that can be given to somebody.
void read_specification(const std::string& path, std::map<std::string, Device>& found,
                        const Log& log) {
  const auto read = [&]() -> Result<> {
    const std::string text = TRY(read_whole_file(path, cdi_bytes_max));
    const CdiSpec spec = TRY(parse_cdi(text));
    for (const CdiDevice& each : spec.devices) {
      if (each.name == "all") continue;
      Device device{.resource = spec.kind, .id = each.name};
      device.edits = spec.edits;
      device.edits.append(each.edits);
      TRY(complete(device.edits));
      found[device.name()] = std::move(device);
    }
    return {};
  };
  if (const auto done = read(); !done) {
    log.warning("a CDI specification is left out",
                {{"path", path}, {"error", done.error().to_string()}});
  }
}

DeviceNode node_of(const DeviceFile& file) {
  return {.path = file.path,
          .host_path = file.path,
          .kind = file.kind,
          .major = file.major,
          .minor = file.minor,
          .mode = file.mode,
          .user = file.user,
          .group = file.group};
}

void name_products(const std::string& folder, std::vector<Device>& gpus) {
  constexpr std::size_t information_bytes_max = 65'536;
  for (const std::string& name : names_in_folder(folder).value_or(std::vector<std::string>{})) {
    const auto text =
        read_whole_file(fmt::format("{}/{}/information", folder, name), information_bytes_max);
    if (!text) continue;
    const GpuProduct product = read_gpu_product(*text);
    for (Device& gpu : gpus) {
      if (gpu.id == product.minor) gpu.product = product.model;
    }
  }
}

// Spaces have no place in a label.
std::string as_label(std::string_view product) {
  std::string out(product);
  std::replace(out.begin(), out.end(), ' ', '-');
  return out;
}

void label_gpus(NodeOptions& node, const std::vector<Device>& devices) {
  std::size_t count = 0;
  std::string product;
  for (const Device& device : devices) {
    if (device.resource != gpu_resource || device.is_simulated) continue;
    ++count;
    if (product.empty()) product = as_label(device.product);
  }
  if (count == 0) return;
  node.labels.emplace("nvidia.com/gpu.present", "true");
  node.labels.emplace("nvidia.com/gpu.count", std::to_string(count));
  if (!product.empty()) node.labels.emplace("nvidia.com/gpu.product", product);
}

// /dev/nvidia0 … are the GPUs; nvidiactl, nvidia-uvm and the like belong to all of them.
std::vector<Device> find_gpus(const DeviceSources& sources) {
  const std::string& folder = sources.device_folder;
  constexpr std::string_view prefix = "nvidia";
  std::vector<Device> gpus;
  DeviceEdits common;
  for (const DeviceFile& file : device_files_in(folder)) {
    const std::string_view name = std::string_view(file.path).substr(folder.size() + 1);
    if (!name.starts_with(prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    const bool is_number = !rest.empty() && rest.find_first_not_of("0123456789") == rest.npos;
    if (!is_number) {
      common.nodes.push_back(node_of(file));
      continue;
    }
    gpus.push_back({.resource = gpu_resource, .id = std::string(rest)});
    gpus.back().edits.nodes.push_back(node_of(file));
  }
  if (gpus.empty()) return gpus;
  if (const auto libraries = run_command({"ldconfig", "-p"})) {
    for (const std::string& path : driver_libraries(libraries->output)) {
      common.mounts.push_back({.source = path, .target = path, .read_only = true});
    }
  }
  if (const auto tool = find_program("nvidia-smi")) {
    common.mounts.push_back({.source = *tool, .target = "/usr/bin/nvidia-smi", .read_only = true});
  }
  for (Device& gpu : gpus) gpu.edits.append(common);
  name_products(sources.driver_folder, gpus);
  std::sort(gpus.begin(), gpus.end(), [](const Device& a, const Device& b) {
    return a.id.size() != b.id.size() ? a.id.size() < b.id.size() : a.id < b.id;
  });
  return gpus;
}

}  // namespace

GpuProduct read_gpu_product(std::string_view text) {
  GpuProduct product;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::size_t begin = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
    const std::string_view key = line.substr(0, colon);
    if (key == "Model") product.model = line.substr(begin);
    if (key == "Device Minor") product.minor = line.substr(begin);
  }
  return product;
}

std::vector<std::string> driver_libraries(std::string_view text) {
  constexpr std::array<std::string_view, 9> wanted = {
      "libcuda.so",          "libcudadebugger.so", "libnvidia-allocator.so",
      "libnvidia-cfg.so",    "libnvidia-ml.so",    "libnvidia-nvvm.so",
      "libnvidia-opencl.so", "libnvidia-pkcs11",   "libnvidia-ptxjitcompiler.so"};
  std::set<std::string> paths;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (line.starts_with('\t') || line.starts_with(' ')) line.remove_prefix(1);
    const std::size_t arrow = line.find("=> ");
    if (arrow == std::string_view::npos) continue;
    if (std::any_of(wanted.begin(), wanted.end(),
                    [&](std::string_view name) { return line.starts_with(name); })) {
      paths.emplace(line.substr(arrow + 3));
    }
  }
  return {paths.begin(), paths.end()};
}

std::vector<Device> find_devices(const DeviceSources& sources, const Log& log) {
  std::map<std::string, Device> described;
  for (const std::string& folder : sources.cdi_folders) {
    for (const std::string& name : names_in_folder(folder).value_or(std::vector<std::string>{})) {
      if (is_specification(name))
        read_specification(fmt::format("{}/{}", folder, name), described, log);
    }
  }
  std::vector<Device> found;
  found.reserve(described.size());
  for (auto& [name, device] : described) found.push_back(std::move(device));
  const bool has_gpus = std::any_of(found.begin(), found.end(), [](const Device& device) {
    return device.resource == gpu_resource;
  });
  if (has_gpus) return found;
  for (Device& gpu : find_gpus(sources)) found.push_back(std::move(gpu));
  return found;
}

DeviceLedger::Inventory share_devices(std::vector<NodeOptions>& nodes,
                                      const std::vector<Device>& found) {
  DeviceLedger::Inventory inventory;
  std::set<std::string> taken;
  for (NodeOptions& node : nodes) {
    std::vector<Device>& devices = inventory[node.name];
    node.devices_are_simulated = false;
    for (const auto& [resource, quantity] : node.capacity) {
      const std::int64_t count = quantity.value().value_or(0);
      if (resource.find('/') == std::string::npos || count <= 0) continue;
      std::vector<Device> real;
      for (const Device& device : found) {
        const bool is_free = device.resource == resource && !taken.contains(device.name());
        if (is_free && static_cast<std::int64_t>(real.size()) < count) real.push_back(device);
      }
      if (static_cast<std::int64_t>(real.size()) < count) {
        node.devices_are_simulated = true;
        real = simulated_devices(resource, count);
      }
      for (Device& device : real) {
        if (!device.is_simulated) taken.insert(device.name());
        devices.push_back(std::move(device));
      }
    }
    label_gpus(node, devices);
  }
  return inventory;
}

}  // namespace muster::agent
