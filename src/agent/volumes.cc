// SPDX-License-Identifier: Apache-2.0
#include "agent/volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "agent/downward.h"
#include "agent/limits.h"
#include "base/base64.h"
#include "base/quantity.h"
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

// ---- Folders of the machine --------------------------------------------------------------------

// What a kubelet would say about a volume that is not there yet: the pod starts when it is.
Error cannot_mount(std::string_view volume, std::string_view why) {
  return {ErrorCode::not_found,
          fmt::format("MountVolume.SetUp failed for volume \"{}\" : {}", volume, why)};
}

bool is_below(std::string_view path, std::string_view folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
  if (folder == "/") return true;
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

bool climbs(std::string_view path) {
  return (std::string(path) + "/").find("/../") != std::string::npos;
}

struct Place {
  VolumeContents contents;
  bool read_only = false;
};

Result<Place> host_place(std::string_view name, View source, const Surroundings& surroundings) {
  const std::string path(source["path"].string_or(""));
  const auto& shared = surroundings.host_paths;
  const bool is_shared =
      !climbs(path) && std::any_of(shared.begin(), shared.end(), [&](const std::string& folder) {
        return is_below(path, folder);
      });
  if (!is_shared) {
    return in_volume(name, fmt::format("hostPath {} is not shared with pods; `muster up "
                                       "--host-path FOLDER` shares what lies below a folder",
                                       path));
  }
  return Place{.contents = {.folder = path,
                            .host_type = std::string(source["type"].string_or("")),
                            .beneath = shared}};
}

// Whether one of the terms is about this node.
bool is_for_node(View volume, std::string_view node) {
  const View terms = volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"];
  if (terms.size() == 0) return true;
  for (View term : terms.elements()) {
    for (View match : term["matchExpressions"].elements()) {
      if (match["key"].string_or("") != "kubernetes.io/hostname") continue;
      for (View value : match["values"].elements()) {
        if (value.string_or("") == node) return true;
      }
    }
  }
  return false;
}

Result<Place> claimed_place(std::string_view name, std::string_view claim_name,
                            const Surroundings& surroundings) {
  const auto claim = surroundings.claims.find(claim_name);
  if (claim == surroundings.claims.end()) {
    return cannot_mount(name, fmt::format("persistentvolumeclaim \"{}\" not found", claim_name));
  }
  const std::string_view volume_name = claim->second["spec"]["volumeName"].string_or("");
  const auto volume = surroundings.volumes.find(volume_name);
  const bool is_bound = claim->second["status"]["phase"].string_or("") == "Bound";
  if (!is_bound || volume == surroundings.volumes.end()) {
    return cannot_mount(name, fmt::format("PVC \"{}\" is not bound to a volume yet", claim_name));
  }
  const View spec = volume->second["spec"];
  const View place = spec["local"] ? spec["local"] : spec["hostPath"];
  if (!place) {
    return in_volume(name, fmt::format("persistent volume {} is of a kind that this node does not "
                                       "serve; it serves local and hostPath",
                                       volume_name));
  }
  if (!is_for_node(volume->second, surroundings.node.name)) {
    return cannot_mount(
        name, fmt::format("persistent volume {} lies on another node than {}: no matching "
                          "NodeSelectorTerms",
                          volume_name, surroundings.node.name));
  }
  return Place{.contents = {.folder = std::string(place["path"].string_or(""))}};
}

Result<std::optional<Place>> machine_place(View pod, View volume,
                                           const Surroundings& surroundings) {
  const std::string_view name = volume["name"].string_or("");
  if (const View host = volume["hostPath"]) {
    return std::optional(TRY(host_place(name, host, surroundings)));
  }
  if (const View claim = volume["persistentVolumeClaim"]) {
    Place place = TRY(claimed_place(name, claim["claimName"].string_or(""), surroundings));
    place.read_only = claim["readOnly"].boolean_or(false);
    return std::optional(std::move(place));
  }
  if (volume["ephemeral"]) {
    const std::string made = fmt::format("{}-{}", objects::name_of(pod), name);
    return std::optional(TRY(claimed_place(name, made, surroundings)));
  }
  return std::optional<Place>();
}

std::optional<std::uint32_t> group_of(View pod) {
  const auto group = pod["spec"]["securityContext"]["fsGroup"].integer();
  if (!group || *group < 0) return std::nullopt;
  return static_cast<std::uint32_t>(*group);
}

// 0 where there is none.
std::int64_t size_limit(View empty) {
  const auto limit = Quantity::parse(empty["sizeLimit"].string_or(""));
  return limit ? limit->value().value_or(0) : 0;
}

Result<> add_volume(View pod, View volume, const Surroundings& surroundings,
                    const std::string& pod_folder, PodVolumes& out) {
  const std::string name(volume["name"].string_or(""));
  if (!is_path_inside(name) || name.find('/') != std::string::npos) {
    return in_volume(name, "is no name of a volume");
  }
  if (auto place = TRY(machine_place(pod, volume, surroundings))) {
    out.volumes[name] = {.folder = place->contents.folder, .read_only = place->read_only};
    if (!place->contents.host_type) place->contents.group = group_of(pod);
    out.contents.push_back(std::move(place->contents));
    return {};
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
                                 "secret, downwardAPI, projected, persistentVolumeClaim, "
                                 "ephemeral and hostPath",
                                 kind));
  }
  const View empty = volume["emptyDir"];
  const bool is_memory = empty["medium"].string_or("") == "Memory";
  out.contents.push_back({.folder = folder,
                          .is_published = read_only,
                          .files = std::move(writer).take(),
                          .is_memory = is_memory,
                          .memory_bytes_max = is_memory ? size_limit(empty) : 0,
                          .group = group_of(pod)});
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
    const std::string below = TRY(path_below(mount, environment));
    if (!below.empty() && !is_path_inside(below)) {
      return in_volume(name, fmt::format("\"{}\" is no path inside of a volume", below));
    }
    mounts.push_back({.source = found->second.folder,
                      .target = std::string(mount["mountPath"].string_or("")),
                      .read_only = found->second.read_only || mount["readOnly"].boolean_or(false),
                      .below = below});
  }
  return mounts;
}

}  // namespace muster::agent
