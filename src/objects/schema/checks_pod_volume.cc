// SPDX-License-Identifier: Apache-2.0
// Volumes of pods: one source each, and what the common sources must say.
#include <fmt/format.h>

#include <set>
#include <string>

#include "base/quantity.h"
#include "objects/schema/checks_pod.h"

namespace muster::objects {

namespace {

// In the order in which the peer counts them: of two the later one is wrong.
constexpr std::string_view sources[] = {"emptyDir",
                                        "hostPath",
                                        "gitRepo",
                                        "gcePersistentDisk",
                                        "awsElasticBlockStore",
                                        "secret",
                                        "nfs",
                                        "iscsi",
                                        "glusterfs",
                                        "flocker",
                                        "persistentVolumeClaim",
                                        "rbd",
                                        "cinder",
                                        "cephfs",
                                        "quobyte",
                                        "downwardAPI",
                                        "fc",
                                        "flexVolume",
                                        "configMap",
                                        "azureFile",
                                        "vsphereVolume",
                                        "photonPersistentDisk",
                                        "portworxVolume",
                                        "azureDisk",
                                        "storageos",
                                        "projected",
                                        "scaleIO",
                                        "csi",
                                        "ephemeral",
                                        "image"};

void check_items(CheckScope& scope, const std::string& place, View items) {
  std::size_t index = 0;
  for (View item : items.elements()) {
    const std::string at = fmt::format("{}.items[{}].path", place, index++);
    check_local_path(scope, at, item["path"].string_or(""));
  }
}

// The peer does not say which file it means.
void check_files(CheckScope& scope, const std::string& place, View files) {
  for (View file : files.elements()) {
    const std::string_view path = file["path"].string_or("");
    if (path.empty()) scope.required(place + ".path");
    check_local_path(scope, place + ".path", path);
    const View field = file["fieldRef"];
    const View resource = file["resourceFieldRef"];
    if (field) {
      check_field_ref(scope, place + ".fieldRef", field, FieldUser::volume);
      if (resource) {
        scope.invalid(place, "resource",
                      "fieldRef and resourceFieldRef can not be specified simultaneously");
      }
    } else if (resource) {
      check_resource_field_ref(scope, place + ".resourceFieldRef", resource, FieldUser::volume);
    } else {
      scope.required(place, "one of fieldRef and resourceFieldRef is required");
    }
    const std::int64_t mode = file["mode"].integer_or(0);
    if (mode < 0 || mode > 0777) {
      scope.invalid(place + ".mode", file["mode"],
                    "must be a number between 0 and 0777 (octal), both inclusive");
    }
  }
}

void check_distinct(CheckScope& scope, View files, std::string_view named,
                    std::set<std::string_view>& paths) {
  for (View file : files.elements()) {
    const std::string_view path = file["path"].string_or("");
    if (path.empty() || paths.insert(path).second) continue;
    scope.invalid(".projected", named.empty() ? path : named, "conflicting duplicate paths");
  }
}

void check_projected(CheckScope& scope) {
  std::set<std::string_view> paths;
  std::size_t index = 0;
  for (View source : scope["projected"]["sources"].elements()) {
    const std::string place = fmt::format(".projected.sources[{}]", index++);
    std::size_t count = 0;
    for (const std::string_view kind : {"secret", "configMap"}) {
      const View named = source[kind];
      if (!named) continue;
      ++count;
      check_items(scope, fmt::format("{}.{}", place, kind), named["items"]);
      check_distinct(scope, named["items"], named["name"].string_or(""), paths);
    }
    if (const View files = source["downwardAPI"]) {
      ++count;
      check_files(scope, place + ".downwardAPI", files["items"]);
      check_distinct(scope, files["items"], {}, paths);
    }
    if (const View token = source["serviceAccountToken"]) {
      ++count;
      const std::string_view path = token["path"].string_or("");
      if (path.empty()) {
        add_late(scope, FieldError::required(scope.at(".projected.path")));
      } else {
        check_local_path(scope, ".projected.path", path);
      }
    }
    count += source["clusterTrustBundle"] ? 1U : 0U;
    count += source["podCertificate"] ? 1U : 0U;
    if (count > 1) scope.forbidden(place, "may not specify more than 1 volume type per source");
  }
}

void check_source(CheckScope& scope, std::string_view kind) {
  if (kind == "emptyDir") {
    const auto size = Quantity::parse_field(scope[kind]["sizeLimit"].string_or("0"));
    if (size && size->sign() < 0) {
      scope.forbidden(".emptyDir.sizeLimit", "SizeLimit field must be a valid resource quantity");
    }
  } else if (kind == "hostPath") {
    check_path_without_steps_back(scope, ".hostPath.path", scope[kind]["path"].string_or(""));
  } else if (kind == "secret" || kind == "configMap") {
    check_items(scope, fmt::format(".{}", kind), scope[kind]["items"]);
  } else if (kind == "downwardAPI") {
    check_files(scope, ".downwardAPI", scope[kind]["items"]);
  } else if (kind == "projected") {
    check_projected(scope);
  } else if (kind == "image") {
    if (scope[kind]["reference"].string_or("").empty()) scope.required(".image.reference");
  }
}

void check_pod_volume(CheckScope& scope) {
  std::size_t count = 0;
  for (const std::string_view kind : sources) {
    if (!scope[kind]) continue;
    if (++count > 1) {
      scope.forbidden(fmt::format(".{}", kind), "may not specify more than 1 volume type");
    } else {
      check_source(scope, kind);
    }
  }
}

}  // namespace

std::span<const NamedCheck> volume_checks() {
  static constexpr NamedCheck checks[] = {{"pod-volume", check_pod_volume}};
  return checks;
}

}  // namespace muster::objects
