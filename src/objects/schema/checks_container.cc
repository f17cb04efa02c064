// SPDX-License-Identifier: Apache-2.0
// One container: its environment, its mounts, how it is resized.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "base/quantity.h"
#include "objects/schema/checks_pod.h"

namespace muster::objects {

namespace {

bool is_one_of(std::string_view text, const auto& texts) {
  return std::find(std::begin(texts), std::end(texts), text) != std::end(texts);
}

void check_key_ref(CheckScope& scope, const std::string& place, View reference) {
  if (!reference) return;
  scope.format(place + ".name", reference["name"].string_or(""), Format::dns_subdomain);
  const std::string_view key = reference["key"].string_or("");
  if (key.empty()) {
    scope.required(place + ".key");
  } else {
    scope.format(place + ".key", key, Format::config_map_key);
  }
}

// Of one that takes its value from elsewhere.
void check_variable(CheckScope& scope, const std::string& place, View variable) {
  const View from = variable["valueFrom"];
  std::size_t sources = 0;
  for (const std::string_view source :
       {"fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"}) {
    if (from[source]) ++sources;
  }
  check_field_ref(scope, place + ".valueFrom.fieldRef", from["fieldRef"], FieldUser::environment);
  check_resource_field_ref(scope, place + ".valueFrom.resourceFieldRef", from["resourceFieldRef"],
                           FieldUser::environment);
  check_key_ref(scope, place + ".valueFrom.configMapKeyRef", from["configMapKeyRef"]);
  check_key_ref(scope, place + ".valueFrom.secretKeyRef", from["secretKeyRef"]);
  std::string why;
  if (sources == 0) {
    why =
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` "
        "or `fileKeyRef`";
  } else if (!variable["value"].string_or("").empty()) {
    why = "may not be specified when `value` is not empty";
  } else if (sources > 1) {
    why = "may not have more than one field specified at a time";
  }
  if (!why.empty()) {
    add_late(scope, FieldError::invalid(scope.at(place + ".valueFrom"), Value::string(""), why));
  }
}

void check_environment(const ContainerPlace& here) {
  std::size_t index = 0;
  for (View variable : here.container["env"].elements()) {
    const std::size_t at = index++;
    if (!variable["valueFrom"]) continue;
    check_variable(here.scope, here.at(fmt::format(".env[{}]", at)), variable);
  }
  index = 0;
  for (View source : here.container["envFrom"].elements()) {
    const std::string place = here.at(fmt::format(".envFrom[{}]", index++));
    const std::string_view prefix = source["prefix"].string_or("");
    if (!prefix.empty()) here.scope.format(place + ".prefix", prefix, Format::env_var_name);
    const View map = source["configMapRef"];
    const View secret = source["secretRef"];
    const auto check_name = [&](std::string_view field, View reference) {
      const std::string at = fmt::format("{}.{}.name", place, field);
      if (!reference) return;
      const std::string_view name = reference["name"].string_or("");
      if (name.empty()) return here.scope.required(at);
      here.scope.format(at, name, Format::dns_subdomain);
    };
    check_name("configMapRef", map);
    check_name("secretRef", secret);
    if (!map && !secret) {
      here.scope.invalid(here.at(".envFrom"), "",
                         "must specify one of: `configMapRef` or `secretRef`");
    } else if (map && secret) {
      here.scope.invalid(here.at(".envFrom"), "",
                         "may not have more than one field specified at a time");
    }
  }
}

// What is known about the volumes of the pod, and of those that this container uses.
struct Volumes {
  std::set<std::string_view> all;
  std::set<std::string_view> claims;  // those that may be devices
  std::set<std::string_view> device_names;
  std::set<std::string_view> device_paths;
  std::set<std::string_view> mount_names;
  std::set<std::string_view> mount_paths;
};

Volumes volumes_of(const ContainerPlace& here) {
  Volumes out;
  for (View volume : here.spec()["volumes"].elements()) {
    const std::string_view name = volume["name"].string_or("");
    // The peer knows only volumes that are well in themselves.
    if (name.empty() || !dns_label_violations(name).empty()) continue;
    out.all.insert(name);
    if (volume["persistentVolumeClaim"] || volume["ephemeral"]) out.claims.insert(name);
  }
  for (View device : here.container["volumeDevices"].elements()) {
    out.device_names.insert(device["name"].string_or(""));
    out.device_paths.insert(device["devicePath"].string_or(""));
  }
  for (View mount : here.container["volumeMounts"].elements()) {
    out.mount_names.insert(mount["name"].string_or(""));
    out.mount_paths.insert(mount["mountPath"].string_or(""));
  }
  return out;
}

void check_descending(CheckScope& scope, const std::string& place, std::string_view path) {
  if (path.starts_with('/')) scope.invalid(place, path, "must be a relative path");
  check_path_without_steps_back(scope, place, path);
}

void check_recursive_read_only(const ContainerPlace& here, const std::string& place, View mount) {
  const View recursive = mount["recursiveReadOnly"];
  const std::string_view mode = recursive.string_or("");
  if (!recursive) return;
  if (!mount["readOnly"].boolean_or(false)) {
    here.scope.forbidden(place, "may only be specified when readOnly is true");
    return;
  }
  if (mode == "IfPossible" || mode == "Enabled") {
    const View propagation = mount["mountPropagation"];
    if (propagation && propagation.string_or("") != "None") {
      here.scope.forbidden(place,
                           "may only be specified when mountPropagation is None or not specified");
    }
  } else if (mode != "Disabled") {
    here.scope.not_supported(place, mode, {"Disabled", "Enabled", "IfPossible"});
  }
}

void check_propagation(const ContainerPlace& here, const std::string& place, View mount) {
  const View propagation = mount["mountPropagation"];
  if (!propagation) return;
  constexpr std::string_view known[] = {"Bidirectional", "HostToContainer", "None"};
  const std::string_view text = propagation.string_or("");
  if (!is_one_of(text, known)) {
    here.scope.not_supported(place, text, {"Bidirectional", "HostToContainer", "None"});
  }
  const bool privileged = here.container["securityContext"]["privileged"].boolean_or(false);
  if (text == "Bidirectional" && !privileged) {
    here.scope.forbidden(
        place, "Bidirectional mount propagation is available only to privileged containers");
  }
}

void check_mount(const ContainerPlace& here, const std::string& place, View mount,
                 const Volumes& volumes, std::set<std::string_view>& paths) {
  CheckScope& scope = here.scope;
  const std::string list = here.at(".volumeMounts");
  const View name = mount["name"];
  const View path = mount["mountPath"];
  const std::string_view name_text = name.string_or("");
  const std::string_view path_text = path.string_or("");
  if (name_text.empty()) scope.required(place + ".name");
  if (!volumes.all.contains(name_text)) {
    scope.add(FieldError::not_found(scope.at(place + ".name"), Value::string(name_text)));
  }
  if (path_text.empty()) scope.required(place + ".mountPath");
  if (!paths.insert(path_text).second) scope.invalid(place + ".mountPath", path, "must be unique");
  if (volumes.device_names.contains(name_text)) {
    scope.invalid(place + ".name", name, "must not already exist in volumeDevices");
  }
  if (volumes.device_paths.contains(path_text)) {
    scope.invalid(place + ".mountPath", path, "must not already exist as a path in volumeDevices");
  }
  const std::string_view sub_path = mount["subPath"].string_or("");
  if (!sub_path.empty()) check_descending(scope, list + ".subPath", sub_path);
  const std::string_view expression = mount["subPathExpr"].string_or("");
  if (!expression.empty()) {
    if (!sub_path.empty()) {
      scope.invalid(place + ".subPathExpr", expression,
                    "subPathExpr and subPath are mutually exclusive");
    }
    check_descending(scope, list + ".subPathExpr", expression);
  }
  check_propagation(here, list + ".mountPropagation", mount);
  check_recursive_read_only(here, list + ".recursiveReadOnly", mount);
}

void check_device(const ContainerPlace& here, const std::string& place, View device,
                  const Volumes& volumes, std::set<std::string_view>& names,
                  std::set<std::string_view>& paths) {
  CheckScope& scope = here.scope;
  const View name = device["name"];
  const View path = device["devicePath"];
  const std::string_view name_text = name.string_or("");
  const std::string_view path_text = path.string_or("");
  const bool known = volumes.all.contains(name_text);
  if (name_text.empty()) scope.required(place + ".name");
  if (names.contains(name_text)) scope.invalid(place + ".name", name, "must be unique");
  if (known && !volumes.claims.contains(name_text)) {
    scope.invalid(place + ".name", name,
                  "can only use volume source type of PersistentVolumeClaim or Ephemeral for block "
                  "mode");
  }
  if (!known) {
    scope.add(FieldError::not_found(scope.at(place + ".name"), Value::string(name_text)));
  }
  if (path_text.empty()) scope.required(place + ".devicePath");
  if (paths.contains(path_text)) scope.invalid(place + ".devicePath", path, "must be unique");
  if (!path_text.empty()) check_path_without_steps_back(scope, place + ".devicePath", path_text);
  if (volumes.mount_names.contains(name_text)) {
    scope.invalid(place + ".name", name, "must not already exist in volumeMounts");
  }
  if (volumes.mount_paths.contains(path_text)) {
    scope.invalid(place + ".devicePath", path, "must not already exist as a path in volumeMounts");
  }
  names.insert(name_text);
  paths.insert(path_text);
}

void check_volumes(const ContainerPlace& here) {
  const View mounts = here.container["volumeMounts"];
  const View devices = here.container["volumeDevices"];
  if (mounts.empty() && devices.empty()) return;
  const Volumes volumes = volumes_of(here);
  std::set<std::string_view> paths;
  std::size_t index = 0;
  for (View mount : mounts.elements()) {
    check_mount(here, here.at(fmt::format(".volumeMounts[{}]", index++)), mount, volumes, paths);
  }
  std::set<std::string_view> names;
  paths.clear();
  index = 0;
  for (View device : devices.elements()) {
    check_device(here, here.at(fmt::format(".volumeDevices[{}]", index++)), device, volumes, names,
                 paths);
  }
}

void check_resize_policies(const ContainerPlace& here) {
  CheckScope& scope = here.scope;
  const std::string list = here.at(".resizePolicy");
  std::set<std::string_view> resources;
  std::size_t index = 0;
  for (View policy : here.container["resizePolicy"].elements()) {
    const std::string place = fmt::format("{}[{}]", list, index++);
    const std::string_view resource = policy["resourceName"].string_or("");
    const std::string_view restart = policy["restartPolicy"].string_or("");
    if (!resources.insert(resource).second) scope.duplicate(place, policy["resourceName"]);
    if (resource.empty()) {
      scope.required(list);
    } else if (resource != "cpu" && resource != "memory") {
      scope.not_supported(list, resource, {"cpu", "memory"});
    }
    if (restart.empty()) {
      scope.required(list);
    } else if (restart != "NotRequired" && restart != "RestartContainer") {
      scope.not_supported(list, restart, {"NotRequired", "RestartContainer"});
    }
    if (here.spec()["restartPolicy"].string_or("") == "Never" && restart == "RestartContainer") {
      scope.invalid(list, restart, "must be 'NotRequired' when `restartPolicy` is 'Never'");
    }
  }
}

constexpr std::string_view divisors_of_cpu[] = {"1m", "1"};
constexpr std::string_view divisors_of_bytes[] = {"1",   "1k",  "1M",  "1G",  "1T",  "1P", "1E",
                                                  "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"};

void check_divisor(CheckScope& scope, const std::string& place, View reference) {
  const std::string_view resource = reference["resource"].string_or("");
  const std::string_view text = reference["divisor"].string_or("0");
  const auto divisor = Quantity::parse_field(text);
  if (!divisor || divisor->is_zero()) return;
  const std::size_t dot = resource.find('.');
  const std::string_view what = dot == std::string_view::npos ? resource : resource.substr(dot + 1);
  const bool is_cpu = what == "cpu";
  const bool is_bytes =
      what == "memory" || what == "ephemeral-storage" || what.starts_with("hugepages-");
  if (!is_cpu && !is_bytes) return;
  const std::string printed = divisor->to_string();
  if (is_cpu ? is_one_of(printed, divisors_of_cpu) : is_one_of(printed, divisors_of_bytes)) return;
  const std::string shown =
      what.starts_with("hugepages-") ? std::string("hugepages") : std::string(what);
  scope.invalid(
      place + ".divisor", resource,
      is_cpu ? std::string("only divisor's values 1m and 1 are supported with the cpu resource")
             : fmt::format("only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, "
                           "1Pi, 1Ei are supported with the {} resource",
                           what == "ephemeral-storage" ? "local ephemeral storage" : shown));
}

}  // namespace

void check_field_ref(CheckScope& scope, const std::string& place, View reference, FieldUser user) {
  if (!reference) return;
  const std::string_view path = reference["fieldPath"].string_or("");
  if (path.empty()) return scope.required(place + ".fieldPath");
  const std::string_view version = reference["apiVersion"].string_or("");
  const std::size_t bracket = path.find("['");
  const bool has_key = bracket != std::string_view::npos && path.ends_with("']");
  const std::string_view field = has_key ? path.substr(0, bracket) : path;
  constexpr std::string_view of_pods[] = {
      "metadata.annotations", "metadata.labels", "metadata.name",      "metadata.namespace",
      "metadata.uid",         "spec.nodeName",   "spec.restartPolicy", "spec.serviceAccountName",
      "spec.schedulerName",   "status.phase",    "status.hostIP",      "status.hostIPs",
      "status.podIP",         "status.podIPs",   "spec.host"};
  std::string why;
  if (version != "v1") {
    why = fmt::format("unsupported pod version: {}", version);
  } else if (has_key && field != "metadata.annotations" && field != "metadata.labels") {
    why = fmt::format("field label does not support subscript: {}", path);
  } else if (!is_one_of(field, of_pods)) {
    why = fmt::format("field label not supported: {}", path);
  }
  if (!why.empty()) {
    scope.invalid(place + ".fieldPath", path, "error converting fieldPath: " + why);
    return;
  }
  if (has_key) {
    const std::string_view key = path.substr(bracket + 2, path.size() - bracket - 4);
    scope.format(place, key, Format::qualified_name);
    return;
  }
  constexpr std::string_view for_environment[] = {"metadata.name",
                                                  "metadata.namespace",
                                                  "metadata.uid",
                                                  "spec.nodeName",
                                                  "spec.serviceAccountName",
                                                  "status.hostIP",
                                                  "status.hostIPs",
                                                  "status.podIP",
                                                  "status.podIPs"};
  constexpr std::string_view for_volumes[] = {"metadata.annotations", "metadata.labels",
                                              "metadata.name", "metadata.namespace",
                                              "metadata.uid"};
  if (user == FieldUser::environment && !is_one_of(path, for_environment)) {
    scope.not_supported(place + ".fieldPath", path,
                        {"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
                         "spec.serviceAccountName", "status.hostIP", "status.hostIPs",
                         "status.podIP", "status.podIPs"});
  }
  if (user == FieldUser::volume && !is_one_of(path, for_volumes)) {
    scope.not_supported(place + ".fieldPath", path,
                        {"metadata.annotations", "metadata.labels", "metadata.name",
                         "metadata.namespace", "metadata.uid"});
  }
}

void check_resource_field_ref(CheckScope& scope, const std::string& place, View reference,
                              FieldUser user) {
  if (!reference) return;
  constexpr std::string_view known[] = {
      "limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
      "requests.cpu", "requests.ephemeral-storage", "requests.memory"};
  const std::string_view resource = reference["resource"].string_or("");
  if (user == FieldUser::volume && reference["containerName"].string_or("").empty()) {
    scope.required(place + ".containerName");
  } else if (resource.empty()) {
    scope.required(place + ".resource");
  } else if (!is_one_of(resource, known) && !resource.starts_with("limits.hugepages-") &&
             !resource.starts_with("requests.hugepages-")) {
    scope.not_supported(place + ".resource", resource,
                        {"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu",
                         "requests.ephemeral-storage", "requests.memory"});
  }
  check_divisor(scope, place, reference);
}

void check_path_without_steps_back(CheckScope& scope, std::string_view place,
                                   std::string_view path) {
  std::string_view rest = path;
  while (true) {
    const std::size_t slash = rest.find('/');
    if (rest.substr(0, slash) == "..") {
      scope.invalid(place, path, "must not contain '..'");
      return;
    }
    if (slash == std::string_view::npos) return;
    rest.remove_prefix(slash + 1);
  }
}

void check_local_path(CheckScope& scope, std::string_view place, std::string_view path) {
  if (path.starts_with('/')) scope.invalid(place, path, "must be a relative path");
  check_path_without_steps_back(scope, place, path);
  if (path.starts_with("..") && !path.starts_with("../")) {
    scope.invalid(place, path, "must not start with '..'");
  }
}

void check_container(const ContainerPlace& here) {
  check_environment(here);
  check_volumes(here);
  check_container_resources(here);
  check_resize_policies(here);
  check_probes(here);
  check_container_security(here);
}

}  // namespace muster::objects
