// SPDX-License-Identifier: Apache-2.0
#include "agent/device_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::agent {

namespace {

constexpr std::string_view gpu_resource = "nvidia.com/gpu";

std::string key_of(const std::string& node, const std::string& device) {
  return node + " " + device;
}

void set_variable(ContainerSpec& container, const std::string& name, std::string value) {
  std::erase_if(container.environment, [&](const auto& entry) { return entry.first == name; });
  container.environment.emplace_back(name, std::move(value));
}

// What stands for several devices at once is there once.
template <class List>
void add_once(List& list, const List& more) {
  for (const auto& each : more) {
    if (std::find(list.begin(), list.end(), each) == list.end()) list.push_back(each);
  }
}

void equip(ContainerSpec& container, const std::vector<const Device*>& devices) {
  std::vector<std::string> gpus;
  bool are_simulated = true;
  for (const Device* device : devices) {
    container.devices.names.push_back(device->name());
    add_once(container.devices.nodes, device->edits.nodes);
    // On the machine's own files everything is where it belongs.
    if (container.image_run.is_given()) {
      add_once(container.devices.hooks, device->edits.hooks);
      add_once(container.mounts, device->edits.mounts);
    }
    for (const std::string& entry : device->edits.environment) {
      const std::size_t equals = entry.find('=');
      set_variable(container, entry.substr(0, equals), entry.substr(equals + 1));
    }
    if (device->resource != gpu_resource) continue;
    gpus.push_back(device->id);
    are_simulated = are_simulated && device->is_simulated;
  }
  if (gpus.empty()) return;
  set_variable(container, "NVIDIA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(gpus, ",")));
  for (std::size_t i = 0; i < gpus.size() && !are_simulated; ++i) gpus[i] = fmt::to_string(i);
  set_variable(container, "CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(gpus, ",")));
}

}  // namespace

std::vector<Device> simulated_devices(const std::string& resource, std::int64_t count) {
  constexpr std::int64_t devices_max = 10'000;
  std::vector<Device> devices;
  for (std::int64_t i = 0; i < std::min(count, devices_max); ++i) {
    devices.push_back({.resource = resource, .id = fmt::to_string(i), .is_simulated = true});
  }
  return devices;
}

// Containers that initialize the pod are over when the others run: they use what those will have.
Result<> DeviceLedger::choose(const PodSpec& pod, const ContainerSpec& container,
                              std::map<std::string, std::string>& owners,
                              std::vector<const Device*>& chosen) {
  const auto found = devices_.find(pod.node);
  if (found == devices_.end()) return {};
  for (const auto& [resource, count] : container.wanted_devices) {
    std::int64_t missing = count;
    std::int64_t known = 0;
    std::int64_t free = 0;
    const bool may_share = container.role == ContainerRole::init;
    for (const bool shared : {true, false}) {
      for (const Device& device : found->second) {
        if (device.resource != resource) continue;
        ++known;
        const auto owner = owners.find(key_of(pod.node, device.name()));
        const bool is_free = owner == owners.end();
        const bool is_ours = may_share && !is_free && owner->second == pod.uid;
        if (shared ? !is_ours : !is_free) continue;
        ++free;
        if (missing == 0) continue;
        --missing;
        chosen.push_back(&device);
        owners.emplace(key_of(pod.node, device.name()), pod.uid);
      }
    }
    if (known > 0 && missing > 0) {
      return Error{ErrorCode::unavailable,
                   fmt::format("{} devices {} are asked for, and {} of node {} are free", count,
                               resource, free, pod.node)};
    }
  }
  return {};
}

Result<> DeviceLedger::give(PodSpec& pod) {
  std::map<std::string, std::string> owners = owners_;
  std::vector<std::vector<const Device*>> chosen(pod.containers.size());
  for (const bool is_init : {false, true}) {
    for (std::size_t i = 0; i < pod.containers.size(); ++i) {
      if ((pod.containers[i].role == ContainerRole::init) != is_init) continue;
      TRY(choose(pod, pod.containers[i], owners, chosen[i]));
    }
  }
  owners_ = std::move(owners);
  for (std::size_t i = 0; i < chosen.size(); ++i) equip(pod.containers[i], chosen[i]);
  return {};
}

void DeviceLedger::note(const PodSpec& pod) {
  for (const ContainerSpec& container : pod.containers) {
    for (const std::string& name : container.devices.names) {
      owners_[key_of(pod.node, name)] = pod.uid;
    }
  }
}

void DeviceLedger::release(std::string_view uid) {
  std::erase_if(owners_, [&](const auto& entry) { return entry.second == uid; });
}

}  // namespace muster::agent
