// SPDX-License-Identifier: Apache-2.0
#include "agent/environment.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "agent/downward.h"
#include "agent/limits.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::Value;
using objects::View;

bool is_optional(View reference) {
  return reference["optional"].boolean_or(false);
}

// The map, or nothing when it is optional and missing.
Result<const Value*> config_map(View reference, const Surroundings& surroundings) {
  const std::string_view name = reference["name"].string_or("");
  const auto found = surroundings.config_maps.find(name);
  if (found != surroundings.config_maps.end()) return &found->second;
  if (is_optional(reference)) return nullptr;
  return Error{ErrorCode::not_found, fmt::format("configmap \"{}\" not found", name)};
}

Error no_secrets(View reference) {
  return Error{ErrorCode::not_found,
               fmt::format("secret \"{}\" not found: this server has no secrets yet",
                           reference["name"].string_or(""))};
}

Result<> take_all(View source, const Surroundings& surroundings, Environment& environment) {
  if (const View secret = source["secretRef"]; secret && !is_optional(secret)) {
    return no_secrets(secret);
  }
  const View reference = source["configMapRef"];
  if (!reference) return {};
  const Value* map = TRY(config_map(reference, surroundings));
  if (map == nullptr) return {};
  const std::string prefix(source["prefix"].string_or(""));
  for (const auto& [key, value] : (*map)["data"].members()) {
    environment[prefix + std::string(key)] = value.string_or("");
  }
  return {};
}

// Nothing when the variable is not set at all.
using Maybe = std::optional<std::string>;

Result<Maybe> from_config_map(View pod, View reference, const Surroundings& surroundings) {
  const Value* map = TRY(config_map(reference, surroundings));
  if (map == nullptr) return Maybe();
  const std::string_view key = reference["key"].string_or("");
  if (const auto value = (*map)["data"][key].string()) return Maybe(*value);
  if (is_optional(reference)) return Maybe();
  return Error{ErrorCode::not_found,
               fmt::format("couldn't find key {} in ConfigMap {}/{}", key,
                           objects::namespace_of(pod), reference["name"].string_or(""))};
}

Result<Maybe> value_from(View pod, View container, View source, const Surroundings& surroundings) {
  if (const View field = source["fieldRef"]) {
    return Maybe(TRY(field_of(pod, field["fieldPath"].string_or(""), surroundings)));
  }
  if (const View resource = source["resourceFieldRef"]) {
    const View named = container_named(pod, resource["containerName"].string_or(""));
    return Maybe(TRY(resource_field_of(named ? named : container, resource, surroundings.node)));
  }
  if (const View map = source["configMapKeyRef"]) return from_config_map(pod, map, surroundings);
  if (const View secret = source["secretKeyRef"]) {
    if (is_optional(secret)) return Maybe();
    return no_secrets(secret);
  }
  return Error::invalid("valueFrom has a source that this node does not know");
}

Result<> limit(const Environment& environment) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : environment) bytes += name.size() + value.size() + 2;
  if (bytes <= environment_bytes_max) return {};
  return Error::too_large(
      fmt::format("the environment has {} bytes, more than {}", bytes, environment_bytes_max));
}

}  // namespace

Result<std::string> expand(std::string_view text, const Environment& environment) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    const char next = text[at + 1];
    const std::size_t close = next == '(' ? text.find(')', at + 2) : std::string_view::npos;
    if (close == std::string_view::npos) {
      // `$$` is a dollar; a dollar before anything else, or an open reference, is itself.
      if (next != '$') out += '$';
      out += next;
      ++at;
      continue;
    }
    const std::string_view name = text.substr(at + 2, close - at - 2);
    const auto found = environment.find(name);
    out += found == environment.end() ? text.substr(at, close - at + 1) : found->second;
    if (out.size() > expanded_bytes_max) {
      return Error::too_large(
          fmt::format("$({}) makes a value longer than {} bytes", name, expanded_bytes_max));
    }
    at = close;
  }
  return out;
}

Result<Environment> environment_of(View pod, View container, const Surroundings& surroundings) {
  Environment environment;
  for (View source : container["envFrom"].elements()) {
    TRY(take_all(source, surroundings, environment));
  }
  for (View variable : container["env"].elements()) {
    Maybe value;
    const std::string_view text = variable["value"].string_or("");
    const View source = variable["valueFrom"];
    if (!text.empty() || !source) {
      value = TRY(expand(text, environment));
    } else {
      value = TRY(value_from(pod, container, source, surroundings));
    }
    if (value) environment[std::string(variable["name"].string_or(""))] = std::move(*value);
    TRY(limit(environment));
  }
  TRY(limit(environment));
  return environment;
}

Result<std::vector<std::string>> arguments_of(View container, const Environment& environment) {
  std::vector<std::string> arguments;
  if (container["command"].empty()) return arguments;
  for (const std::string_view key : {"command", "args"}) {
    for (View each : container[key].elements()) {
      arguments.push_back(TRY(expand(each.string_or(""), environment)));
    }
  }
  return arguments;
}

std::vector<std::string> config_maps_named_in(View pod) {
  std::set<std::string> names;
  const auto note = [&names](View reference) {
    if (const auto name = reference["name"].string()) names.emplace(*name);
  };
  for (View container : pod["spec"]["containers"].elements()) {
    for (View source : container["envFrom"].elements()) note(source["configMapRef"]);
    for (View variable : container["env"].elements()) {
      note(variable["valueFrom"]["configMapKeyRef"]);
    }
  }
  for (View volume : pod["spec"]["volumes"].elements()) {
    note(volume["configMap"]);
    for (View source : volume["projected"]["sources"].elements()) note(source["configMap"]);
  }
  return {names.begin(), names.end()};
}

}  // namespace muster::agent
