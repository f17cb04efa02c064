// SPDX-License-Identifier: Apache-2.0
#include "agent/volumes.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "agent/downward.h"
#include "agent/limits.h"
#include "base/base64.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::Value;
using objects::View;

Error in_volume(std::string_view volume, std::string_view why) {
  return Error::invalid(fmt::format("volume \"{}\": {}", volume, why));
}

// Gathers the files of one volume.
class VolumeWriter {
 public:
  VolumeWriter(View pod, const Surroundings& surroundings, std::string volume, std::string folder)
      : pod_(pod),
        surroundings_(surroundings),
        volume_(std::move(volume)),
        folder_(std::move(folder)) {}

  // `items` chooses and renames keys; without it every key is a file.
  Result<> add_config_map(View source, std::int64_t mode_default) {
    const std::string_view name = source["name"].string_or("");
    const bool is_optional = source["optional"].boolean_or(false);
    const auto found = surroundings_.config_maps.find(name);
    if (found == surroundings_.config_maps.end()) {
      if (is_optional) return {};
      return Error{ErrorCode::not_found, fmt::format("MountVolume.SetUp failed for volume \"{}\" : "
                                                     "configmap \"{}\" not found",
                                                     volume_, name)};
    }
    const Value& map = found->second;
    if (source["items"].empty()) {
      for (const auto& [key, value] : map["data"].members()) {
        TRY(add(key, std::string(value.string_or("")), mode_default));
      }
      for (const auto& [key, value] : map["binaryData"].members()) {
        std::string bytes = TRY(decoded(key, value));
        TRY(add(key, std::move(bytes), mode_default));
      }
      return {};
    }
    for (View item : source["items"].elements()) {
      const std::string_view key = item["key"].string_or("");
      const auto bytes = TRY(bytes_of(map, key));
      if (!bytes && is_optional) continue;
      if (!bytes) {
        return Error{
            ErrorCode::not_found,
            fmt::format("MountVolume.SetUp failed for volume \"{}\" : configmap references "
                        "non-existent config key: {}",
                        volume_, key)};
      }
      TRY(add(item["path"].string_or(""), *bytes, item["mode"].integer_or(mode_default)));
    }
    return {};
  }

  Result<> add_downward(View source, std::int64_t mode_default) {
    for (View item : source["items"].elements()) {
      std::string text;
      if (const View field = item["fieldRef"]) {
        text = TRY(field_of(pod_, field["fieldPath"].string_or(""), surroundings_));
      } else {
        const View resource = item["resourceFieldRef"];
        const View container = container_named(pod_, resource["containerName"].string_or(""));
        text = TRY(resource_field_of(container, resource, surroundings_.node));
      }
      TRY(add(item["path"].string_or(""), std::move(text), item["mode"].integer_or(mode_default)));
    }
    return {};
  }

  Result<> add_projected(View source) {
    const std::int64_t mode = source["defaultMode"].integer_or(0644);
    for (View each : source["sources"].elements()) {
      for (const auto& [kind, projection] : each.members()) {
        if (kind == "configMap") {
          TRY(add_config_map(projection, mode));
        } else if (kind == "downwardAPI") {
          TRY(add_downward(projection, mode));
        } else {
          return in_volume(volume_, fmt::format("this node cannot project {}", kind));
        }
      }
    }
    return {};
  }

  std::vector<VolumeFile> take() && { return std::move(files_); }

 private:
  Result<std::string> decoded(std::string_view key, View value) const {
    auto bytes = base64_decode(value.string_or(""));
    if (!bytes) return in_volume(volume_, fmt::format("binaryData of {} is no base64", key));
    return std::move(*bytes);
  }

  Result<std::optional<std::string>> bytes_of(View map, std::string_view key) const {
    if (const auto text = map["data"][key].string()) return std::optional<std::string>(*text);
    const View binary = map["binaryData"][key];
    if (!binary) return std::optional<std::string>();
    return std::optional<std::string>(TRY(decoded(key, binary)));
  }

  Result<> add(std::string_view path, std::string bytes, std::int64_t mode) {
    if (!is_path_inside(path)) {
      return in_volume(volume_, fmt::format("\"{}\" is no path inside of a volume", path));
    }
    files_.push_back({.path = fmt::format("{}/{}", folder_, path),
                      .bytes = std::move(bytes),
                      .mode = static_cast<std::uint32_t>(mode) & 0777U});
    return {};
  }

  View pod_;
  const Surroundings& surroundings_;
  const std::string volume_;
  const std::string folder_;
  std::vector<VolumeFile> files_;
};

Result<> add_volume(View pod, View volume, const Surroundings& surroundings,
                    const std::string& pod_folder, PodVolumes& out) {
  const std::string name(volume["name"].string_or(""));
  if (!is_path_inside(name) || name.find('/') != std::string::npos) {
    return in_volume(name, "is no name of a volume");
  }
  const std::string folder = fmt::format("{}/volumes/{}", pod_folder, name);
  VolumeWriter writer(pod, surroundings, name, folder);
  bool read_only = true;
  if (volume["emptyDir"]) {
    read_only = false;
  } else if (const View map = volume["configMap"]) {
    TRY(writer.add_config_map(map, map["defaultMode"].integer_or(0644)));
  } else if (const View downward = volume["downwardAPI"]) {
    TRY(writer.add_downward(downward, downward["defaultMode"].integer_or(0644)));
  } else if (const View projected = volume["projected"]) {
    TRY(writer.add_projected(projected));
  } else {
    std::string_view kind = "nothing";
    for (const auto& [key, value] : volume.members()) {
      if (key != "name") kind = key;
    }
    return in_volume(name,
                     fmt::format("this node does not serve {}; it serves emptyDir, configMap, "
                                 "downwardAPI and projected",
                                 kind));
  }
  for (VolumeFile& file : std::move(writer).take()) out.files.push_back(std::move(file));
  out.volumes[name] = {.folder = folder, .read_only = read_only};
  return {};
}

Result<std::string> path_below(View mount, const Environment& environment) {
  const std::string_view expression = mount["subPathExpr"].string_or("");
  if (!expression.empty()) return expand(expression, environment);
  return std::string(mount["subPath"].string_or(""));
}

}  // namespace

bool is_path_inside(std::string_view path) {
  if (path.empty() || path.find('\0') != std::string_view::npos) return false;
  for (;;) {
    const std::size_t end = path.find('/');
    const std::string_view part = path.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    if (end == std::string_view::npos) return true;
    path.remove_prefix(end + 1);
  }
}

std::vector<std::string> PodVolumes::folders() const {
  std::vector<std::string> folders;
  for (const auto& [name, volume] : volumes) folders.push_back(volume.folder);
  return folders;
}

Result<PodVolumes> volumes_of(View pod, const Surroundings& surroundings,
                              const std::string& pod_folder) {
  PodVolumes out;
  for (View volume : pod["spec"]["volumes"].elements()) {
    TRY(add_volume(pod, volume, surroundings, pod_folder, out));
  }
  std::size_t bytes = 0;
  for (const VolumeFile& file : out.files) bytes += file.bytes.size() + file.path.size();
  if (bytes > volume_bytes_max) {
    return Error::too_large(fmt::format(
        "the files of the pod's volumes have {} bytes, more than {}", bytes, volume_bytes_max));
  }
  return out;
}

Result<std::vector<Mount>> mounts_of(View container, const PodVolumes& volumes,
                                     const Environment& environment) {
  std::vector<Mount> mounts;
  for (View mount : container["volumeMounts"].elements()) {
    const std::string_view name = mount["name"].string_or("");
    const auto found = volumes.volumes.find(name);
    if (found == volumes.volumes.end()) return in_volume(name, "the pod has none of that name");
    std::string source = found->second.folder;
    const std::string below = TRY(path_below(mount, environment));
    if (!below.empty()) {
      if (!is_path_inside(below)) {
        return in_volume(name, fmt::format("\"{}\" is no path inside of a volume", below));
      }
      // A pod could put a link there between two runs and be given what the link leads to.
      if (!found->second.read_only) {
        return in_volume(name, "subPath of a writable volume is not served by this node");
      }
      source += "/" + below;
    }
    mounts.push_back({.source = std::move(source),
                      .target = std::string(mount["mountPath"].string_or("")),
                      .read_only = found->second.read_only || mount["readOnly"].boolean_or(false)});
  }
  return mounts;
}

}  // namespace muster::agent
