// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/cdi.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/checked.h"
#include "objects/yaml.h"

namespace muster::agent {

namespace {

using objects::Value;
using objects::View;

constexpr std::uint32_t mode_default = 0666;
constexpr std::array<std::string_view, 6> stages = {
    "prestart", "createRuntime", "createContainer", "startContainer", "poststart", "poststop"};

Error wrong(std::string_view what, std::string_view where) {
  return Error::invalid(std::string(what), std::string(where));
}

Result<std::string> text_of(View object, std::string_view key) {
  const View value = object[key];
  if (!value || value.is_null()) return std::string();
  const auto text = value.string();
  if (!text || text->find('\0') != std::string_view::npos) return wrong("must be a text", key);
  return std::string(*text);
}

Result<std::string> path_of(View object, std::string_view key) {
  std::string path = TRY(text_of(object, key));
  const bool climbs = (path + "/").find("/../") != std::string::npos;
  if (path.empty() || path.front() != '/' || climbs) return wrong("must be an absolute path", key);
  return path;
}

Result<std::vector<std::string>> texts_of(View object, std::string_view key) {
  std::vector<std::string> texts;
  if (object[key].size() > cdi_entries_max) return wrong("has too many entries", key);
  for (const View each : object[key].elements()) {
    const auto text = each.string();
    if (!text || text->find('\0') != std::string_view::npos) return wrong("must be texts", key);
    texts.emplace_back(*text);
  }
  return texts;
}

Result<std::uint32_t> small_of(View object, std::string_view key, std::uint32_t fallback) {
  if (!object[key]) return fallback;
  const auto number = object[key].integer();
  const auto small = number ? checked_cast<std::uint32_t>(*number) : std::nullopt;
  if (!small) return wrong("must be a small number", key);
  return *small;
}

Result<DeviceNode> node_of(View view) {
  DeviceNode node;
  node.path = TRY(path_of(view, "path"));
  node.host_path = TRY(text_of(view, "hostPath"));
  if (node.host_path.empty()) node.host_path = node.path;
  const std::string kind = TRY(text_of(view, "type"));
  if (!kind.empty() && kind != "c" && kind != "b" && kind != "u") {
    return wrong("must be c, b or u", "type");
  }
  node.kind = kind == "b" ? 'b' : 'c';
  node.major = view["major"].integer_or(0);
  node.minor = view["minor"].integer_or(0);
  node.mode = TRY(small_of(view, "fileMode", mode_default));
  node.user = TRY(small_of(view, "uid", 0));
  node.group = TRY(small_of(view, "gid", 0));
  const std::string access = TRY(text_of(view, "permissions"));
  if (access.find_first_not_of("rwm") != std::string::npos) {
    return wrong("must be of r, w and m", "permissions");
  }
  if (!access.empty()) node.access = access;
  return node;
}

Result<Mount> mount_of(View view) {
  Mount mount;
  mount.source = TRY(path_of(view, "hostPath"));
  mount.target = TRY(path_of(view, "containerPath"));
  for (const std::string& option : TRY(texts_of(view, "options"))) {
    mount.read_only = mount.read_only || option == "ro";
  }
  return mount;
}

Result<DeviceHook> hook_of(View view) {
  DeviceHook hook;
  hook.stage = TRY(text_of(view, "hookName"));
  hook.path = TRY(path_of(view, "path"));
  if (std::find(stages.begin(), stages.end(), hook.stage) == stages.end()) {
    return wrong("is none of the stages that there are", "hookName");
  }
  hook.arguments = TRY(texts_of(view, "args"));
  hook.environment = TRY(texts_of(view, "env"));
  hook.timeout_seconds = TRY(small_of(view, "timeout", 0));
  return hook;
}

Result<DeviceEdits> edits_of(View view) {
  DeviceEdits edits;
  edits.environment = TRY(texts_of(view, "env"));
  for (const std::string& entry : edits.environment) {
    if (entry.find('=') == 0 || entry.find('=') == std::string::npos) {
      return wrong("must be NAME=value", "env");
    }
  }
  for (const char* list : {"deviceNodes", "mounts", "hooks"}) {
    if (view[list].size() > cdi_entries_max) return wrong("has too many entries", list);
  }
  for (const View each : view["deviceNodes"].elements()) edits.nodes.push_back(TRY(node_of(each)));
  for (const View each : view["mounts"].elements()) edits.mounts.push_back(TRY(mount_of(each)));
  for (const View each : view["hooks"].elements()) edits.hooks.push_back(TRY(hook_of(each)));
  return edits;
}

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && is_letter(text.front()) && is_letter(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return is_letter(c) || c == '_' || c == '-' || c == '.' || c == ':';
         });
}

}  // namespace

void DeviceEdits::append(const DeviceEdits& more) {
  environment.insert(environment.end(), more.environment.begin(), more.environment.end());
  nodes.insert(nodes.end(), more.nodes.begin(), more.nodes.end());
  mounts.insert(mounts.end(), more.mounts.begin(), more.mounts.end());
  hooks.insert(hooks.end(), more.hooks.begin(), more.hooks.end());
}

Result<CdiSpec> parse_cdi(std::string_view text) {
  const Value value = TRY(objects::parse_yaml_document(text, {.bytes_max = cdi_bytes_max}));
  if (TRY(text_of(value, "cdiVersion")).empty()) return wrong("must be said", "cdiVersion");
  CdiSpec spec;
  spec.kind = TRY(text_of(value, "kind"));
  const std::size_t slash = spec.kind.find('/');
  if (slash == std::string::npos || !is_name(std::string_view(spec.kind).substr(0, slash)) ||
      !is_name(std::string_view(spec.kind).substr(slash + 1))) {
    return wrong("must be VENDOR/CLASS", "kind");
  }
  spec.edits = TRY(edits_of(value["containerEdits"]));
  if (value["devices"].size() > cdi_entries_max) return wrong("has too many entries", "devices");
  for (const View each : value["devices"].elements()) {
    CdiDevice device;
    device.name = TRY(text_of(each, "name"));
    if (!is_name(device.name)) return wrong("must be a name", "devices");
    device.edits = TRY(edits_of(each["containerEdits"]));
    spec.devices.push_back(std::move(device));
  }
  if (spec.devices.empty()) return wrong("must name at least one", "devices");
  return spec;
}

}  // namespace muster::agent
