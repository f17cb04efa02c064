// What a pod's volumes hold: before it starts, and while it runs.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/environment.h"
#include "agent/pod_worker.h"
#include "agent/service_variables.h"
#include "base/quantity.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::Value;
using objects::View;
namespace resources = objects::resources;

// Before volumes that could not be written are tried again.
constexpr Span refresh_retry_span = Span::of_seconds(10);

constexpr Span measure_span = Span::of_seconds(10);

struct LimitedFolder {
  std::string volume;
  std::string limit;  // as it was written
  std::uint64_t bytes_max = 0;
};

std::vector<LimitedFolder> limited_folders(View pod) {
  std::vector<LimitedFolder> limited;
  for (View volume : pod["spec"]["volumes"].elements()) {
    const View empty = volume["emptyDir"];
    const bool is_memory = empty["medium"].string_or("") == "Memory";
    const std::string_view text = empty["sizeLimit"].string_or("");
    const auto quantity = Quantity::parse(text);
    if (is_memory || text.empty() || !quantity) continue;
    const std::int64_t bytes = quantity->value().value_or(0);
    if (bytes <= 0) continue;
    limited.push_back({.volume = std::string(volume["name"].string_or("")),
                       .limit = std::string(text),
                       .bytes_max = static_cast<std::uint64_t>(bytes)});
  }
  return limited;
}

constexpr std::string_view own_service = "kubernetes";
constexpr std::string_view own_service_namespace = "default";

}  // namespace

// Those on the disk that may not grow without end. As a kubelet it looks every ten seconds.
void PodWorker::check_folders() {
  if (stage_ != Stage::started || !evicted_.empty() || is_over() || !desk_.files.are_read()) return;
  if (folders_due_ && now() < *folders_due_) return wake_at(*folders_due_);
  std::vector<std::string> folders;
  for (const LimitedFolder& each : limited_folders(pod_)) {
    folders.push_back(fmt::format("{}/volumes/{}", folder(), each.volume));
  }
  if (folders.empty()) return;
  folders_due_ = now() + measure_span;
  desk_.files.measure(
      std::move(folders),
      lifeline_.guard([this](const std::vector<std::uint64_t>& bytes) { on_folders(bytes); }));
  wake_at(*folders_due_);
}

void PodWorker::on_folders(const std::vector<std::uint64_t>& bytes) {
  const std::vector<LimitedFolder> limited = limited_folders(pod_);
  for (std::size_t i = 0; i < std::min(bytes.size(), limited.size()); ++i) {
    if (bytes[i] <= limited[i].bytes_max || !evicted_.empty()) continue;
    evicted_ = fmt::format("Usage of EmptyDir volume \"{}\" exceeds the limit \"{}\". ",
                           limited[i].volume, limited[i].limit);
    desk_.events.warning(pod_, "", "Evicted", evicted_);
    sync();
  }
}

std::string PodWorker::folder() const {
  return fmt::format("{}/{}", desk_.defaults.pods_folder, uid_);
}

Surroundings PodWorker::surroundings() const {
  const std::string name_space(objects::namespace_of(pod_));
  const bool is_machines = pod_["spec"]["hostNetwork"].boolean_or(false);
  Surroundings found{.node = node_,
                     .address = is_machines ? node_.address : std::string(address_of(pod_))};
  for (const std::string& name : config_maps_named_in(pod_)) {
    Value map = desk_.cache.find(resources::config_maps, {name_space, name});
    if (map.is_object()) found.config_maps.emplace(name, std::move(map));
  }
  for (const std::string& name : claims_named_in(pod_)) {
    Value claim = desk_.cache.find(claim_resource, {name_space, name});
    if (!claim.is_object()) continue;
    const std::string volume(claim["spec"]["volumeName"].string_or(""));
    Value bound = desk_.cache.find(volume_resource, {"", volume});
    if (bound.is_object()) found.volumes.emplace(volume, std::move(bound));
    found.claims.emplace(name, std::move(claim));
  }
  found.host_paths = desk_.defaults.host_paths;
  found.images = images_.facts();
  found.has_secrets = desk_.files.are_read();
  if (!found.has_secrets) return found;
  for (const std::string& name : secrets_named_in(pod_)) {
    Value secret = desk_.cache.find(secret_resource, {name_space, name});
    if (secret.is_object()) found.secrets.emplace(name, std::move(secret));
  }
  found.tokens = tokens_.texts();
  found.services = service_variables(
      pod_, desk_.cache.in_namespace(resources::services, name_space),
      desk_.cache.find(resources::services,
                       {std::string(own_service_namespace), std::string(own_service)}));
  return found;
}

// Nobody reads those of a pretended pod, so nobody signs them.
bool PodWorker::have_tokens() {
  if (!desk_.files.are_read()) return true;
  const bool complete = tokens_.ensure(pod_);
  if (const auto due = tokens_.due()) wake_at(*due);
  if (complete) return true;
  waiting_ = {};
  if (!tokens_.trouble().empty()) {
    refuse({.reason = "ContainerCreating",
            .message = "MountVolume.SetUp failed for volume: " + tokens_.trouble(),
            .event_reason = "FailedMount"});
  }
  return false;
}

void PodWorker::on_reference(const objects::Resource& resource, std::string_view name) {
  if (is_held()) return sync();
  const auto names =
      resource == secret_resource ? secrets_named_in(pod_) : config_maps_named_in(pod_);
  if (std::find(names.begin(), names.end(), name) == names.end()) return;
  is_stale_ = true;
  sync();
}

// Environments stay as they were at the start; files follow what they were made of.
void PodWorker::refresh_volumes() {
  if (!desk_.files.are_read() || is_quiet()) return;
  const bool complete = tokens_.ensure(pod_);
  if (const auto due = tokens_.due()) wake_at(*due);
  if (!is_stale_ || is_refreshing_ || !complete) return;
  is_stale_ = false;
  auto volumes = volumes_of(pod_, surroundings(), folder());
  if (!volumes) return tell_volume_trouble(volumes.error().message);
  if (volumes->contents == volumes_) return;
  is_refreshing_ = true;
  std::vector<VolumeContents> contents = volumes->contents;
  desk_.files.write(
      std::move(volumes->contents),
      lifeline_.guard([this, contents = std::move(contents)](const Result<>& written) mutable {
        on_refreshed(std::move(contents), written);
      }));
}

void PodWorker::on_refreshed(std::vector<VolumeContents> written, const Result<>& answer) {
  is_refreshing_ = false;
  if (answer) {
    volumes_ = std::move(written);
    told_volume_trouble_.clear();
    if (is_stale_) sync();
    return;
  }
  tell_volume_trouble("the volumes could not be written: " + answer.error().message);
  is_stale_ = true;
  wake_at(now() + refresh_retry_span);
}

void PodWorker::tell_volume_trouble(const std::string& why) {
  if (told_volume_trouble_ == why) return;
  told_volume_trouble_ = why;
  desk_.events.warning(pod_, "", "FailedMount", why);
}

}  // namespace muster::agent
