// SPDX-License-Identifier: Apache-2.0
#include "agent/volumes.h"

#include <fmt/format.h>

#include <algorithm>
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

// A ConfigMap or a Secret, and the words in which a kubelet misses one.
struct KeyedKind {
  std::string_view kind;     // in "configmap "x" not found"
  std::string_view missing;  // before the key
  std::string_view text;     // members whose values are texts; empty: there are none
  std::string_view binary;   // members whose values are base64
};
constexpr KeyedKind config_map_kind = {
    "configmap", "configmap references non-existent config key: ", "data", "binaryData"};
constexpr KeyedKind secret_kind = {"secret", "references non-existent secret key: ", "", "data"};

// Gathers the files of one volume.
class VolumeWriter {
 public:
  VolumeWriter(View pod, const Surroundings& surroundings, std::string volume)
      : pod_(pod), surroundings_(surroundings), volume_(std::move(volume)) {}

  Result<> add_config_map(View source, std::int64_t mode_default) {
    return add_keyed(config_map_kind, source["name"].string_or(""), source,
                     surroundings_.config_maps, mode_default);
  }

  // A volume calls it secretName, a projection name.
  Result<> add_secret(View source, std::int64_t mode_default) {
    if (!surroundings_.has_secrets) return {};
    const View named = source["secretName"];
    return add_keyed(secret_kind, (named ? named : source["name"]).string_or(""), source,
                     surroundings_.secrets, mode_default);
  }

  // The worker asked for it before it came here (agent/pod_tokens.h).
  Result<> add_token(View source, std::int64_t mode_default) {
    const auto found = surroundings_.tokens.find(token_wish_of(source));
    const std::string bytes = found == surroundings_.tokens.end() ? std::string() : found->second;
    return add(source["path"].string_or(""), bytes, mode_default);
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
        } else if (kind == "secret") {
          TRY(add_secret(projection, mode));
        } else if (kind == "downwardAPI") {
          TRY(add_downward(projection, mode));
        } else if (kind == "serviceAccountToken") {
          TRY(add_token(projection, mode));
        } else {
          return in_volume(volume_, fmt::format("this node cannot project {}", kind));
        }
      }
    }
    return {};
  }

  std::vector<VolumeFile> take() && { return std::move(files_); }

 private:
  using Objects = std::map<std::string, Value, std::less<>>;

  // `items` chooses and renames keys; without it every key is a file.
  Result<> add_keyed(const KeyedKind& kind, std::string_view name, View source,
                     const Objects& objects, std::int64_t mode_default) {
    const bool is_optional = source["optional"].boolean_or(false);
    const auto found = objects.find(name);
    if (found == objects.end()) {
      if (is_optional) return {};
      return not_there(fmt::format("{} \"{}\" not found", kind.kind, name));
    }
    const Value& object = found->second;
    if (source["items"].empty()) return add_all(kind, object, mode_default);
    for (View item : source["items"].elements()) {
      const std::string_view key = item["key"].string_or("");
      const auto bytes = TRY(bytes_of(kind, object, key));
      if (!bytes && is_optional) continue;
      if (!bytes) return not_there(fmt::format("{}{}", kind.missing, key));
      TRY(add(item["path"].string_or(""), *bytes, item["mode"].integer_or(mode_default)));
    }
    return {};
  }

  Result<> add_all(const KeyedKind& kind, const Value& object, std::int64_t mode) {
    for (const auto& [key, value] : object[kind.text].members()) {
      TRY(add(key, std::string(value.string_or("")), mode));
    }
    for (const auto& [key, value] : object[kind.binary].members()) {
      std::string bytes = TRY(decoded(key, value));
      TRY(add(key, std::move(bytes), mode));
    }
    return {};
  }

  Error not_there(std::string_view why) const {
    return {ErrorCode::not_found,
            fmt::format("MountVolume.SetUp failed for volume \"{}\" : {}", volume_, why)};
  }

  Result<std::string> decoded(std::string_view key, View value) const {
    auto bytes = base64_decode(value.string_or(""));
    if (!bytes) return in_volume(volume_, fmt::format("what stands at {} is no base64", key));
    return std::move(*bytes);
  }

  Result<std::optional<std::string>> bytes_of(const KeyedKind& kind, View object,
                                              std::string_view key) const {
    if (const auto text = object[kind.text][key].string()) return std::optional<std::string>(*text);
    const View binary = object[kind.binary][key];
    if (!binary) return std::optional<std::string>();
    return std::optional<std::string>(TRY(decoded(key, binary)));
  }

  // A later source of a projection covers an earlier one.
  Result<> add(std::string_view path, std::string bytes, std::int64_t mode) {
    if (!is_path_inside(path) || path.starts_with("..")) {
      return in_volume(volume_, fmt::format("\"{}\" is no path inside of a volume", path));
    }
    VolumeFile file{.path = std::string(path),
                    .bytes = std::move(bytes),
                    .mode = static_cast<std::uint32_t>(mode) & 0777U};
    const auto same = std::find_if(files_.begin(), files_.end(),
                                   [&](const VolumeFile& each) { return each.path == path; });
    if (same == files_.end()) {
      files_.push_back(std::move(file));
    } else {
      *same = std::move(file);
    }
    return {};
  }

  View pod_;
  const Surroundings& surroundings_;
  const std::string volume_;
  std::vector<VolumeFile> files_;
};

Result<> add_volume(View pod, View volume, const Surroundings& surroundings,
                    const std::string& pod_folder, PodVolumes& out) {
  const std::string name(volume["name"].string_or(""));
  if (!is_path_inside(name) || name.find('/') != std::string::npos) {
    return in_volume(name, "is no name of a volume");
  }
  const std::string folder = fmt::format("{}/volumes/{}", pod_folder, name);
  VolumeWriter writer(pod, surroundings, name);
  bool read_only = true;
  if (volume["emptyDir"]) {
    read_only = false;
  } else if (const View map = volume["configMap"]) {
    TRY(writer.add_config_map(map, map["defaultMode"].integer_or(0644)));
  } else if (const View secret = volume["secret"]) {
    TRY(writer.add_secret(secret, secret["defaultMode"].integer_or(0644)));
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
                                 "secret, downwardAPI and projected",
                                 kind));
  }
  out.contents.push_back(
      {.folder = folder, .is_published = read_only, .files = std::move(writer).take()});
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

Result<PodVolumes> volumes_of(View pod, const Surroundings& surroundings,
                              const std::string& pod_folder) {
  PodVolumes out;
  for (View volume : pod["spec"]["volumes"].elements()) {
    TRY(add_volume(pod, volume, surroundings, pod_folder, out));
  }
  std::size_t bytes = 0;
  for (const VolumeContents& volume : out.contents) {
    for (const VolumeFile& file : volume.files) bytes += file.bytes.size() + file.path.size();
  }
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
