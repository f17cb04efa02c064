// SPDX-License-Identifier: Apache-2.0
#include "agent/environment.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "agent/downward.h"
#include "agent/limits.h"
#include "base/base64.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::Value;
using objects::View;

bool is_optional(View reference) {
  return reference["optional"].boolean_or(false);
}

// A ConfigMap or Secret, or nothing when it is optional and missing.
using Objects = std::map<std::string, Value, std::less<>>;

Result<const Value*> object_named(std::string_view kind, View reference, const Objects& objects) {
  const std::string_view name = reference["name"].string_or("");
  const auto found = objects.find(name);
  if (found != objects.end()) return &found->second;
  if (is_optional(reference)) return nullptr;
  return Error{ErrorCode::not_found, fmt::format("{} \"{}\" not found", kind, name)};
}

std::string secret_text(View value) {
  return base64_decode(value.string_or("")).value_or(std::string());
}

Result<> take_all(View source, const Surroundings& surroundings, Environment& environment) {
  const std::string prefix(source["prefix"].string_or(""));
  if (const View reference = source["configMapRef"]) {
    const Value* map = TRY(object_named("configmap", reference, surroundings.config_maps));
    if (map == nullptr) return {};
    for (const auto& [key, value] : (*map)["data"].members()) {
      environment[prefix + std::string(key)] = value.string_or("");
    }
  }
  const View reference = source["secretRef"];
  if (!reference || !surroundings.has_secrets) return {};
  const Value* secret = TRY(object_named("secret", reference, surroundings.secrets));
  if (secret == nullptr) return {};
  for (const auto& [key, value] : (*secret)["data"].members()) {
    environment[prefix + std::string(key)] = secret_text(value);
  }
  return {};
}

// Nothing when the variable is not set at all.
using Maybe = std::optional<std::string>;

Result<Maybe> from_config_map(View pod, View reference, const Surroundings& surroundings) {
  const Value* map = TRY(object_named("configmap", reference, surroundings.config_maps));
  if (map == nullptr) return Maybe();
  const std::string_view key = reference["key"].string_or("");
  if (const auto value = (*map)["data"][key].string()) return Maybe(*value);
  if (is_optional(reference)) return Maybe();
  return Error{ErrorCode::not_found,
               fmt::format("couldn't find key {} in ConfigMap {}/{}", key,
                           objects::namespace_of(pod), reference["name"].string_or(""))};
}

Result<Maybe> from_secret(View pod, View reference, const Surroundings& surroundings) {
  if (!surroundings.has_secrets) return Maybe("");
  const Value* secret = TRY(object_named("secret", reference, surroundings.secrets));
  if (secret == nullptr) return Maybe();
  const std::string_view key = reference["key"].string_or("");
  if (const View value = (*secret)["data"][key]) return Maybe(secret_text(value));
  if (is_optional(reference)) return Maybe();
  return Error{ErrorCode::not_found,
               fmt::format("couldn't find key {} in Secret {}/{}", key, objects::namespace_of(pod),
                           reference["name"].string_or(""))};
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
  if (const View secret = source["secretKeyRef"]) return from_secret(pod, secret, surroundings);
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
  Environment environment = surroundings.services;  // whoever says the same name himself wins
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

namespace {

// What refers to an object of one kind: in envFrom, in valueFrom, as a volume and in a projection.
struct ReferenceKeys {
  std::string_view all;
  std::string_view one;
  std::string_view volume;
  std::string_view name_in_volume;
};

std::vector<std::string> named_in(View pod, const ReferenceKeys& keys) {
  std::set<std::string> names;
  const auto note = [&names](View name) {
    if (const auto text = name.string()) names.emplace(*text);
  };
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (View container : pod["spec"][list].elements()) {
      for (View source : container["envFrom"].elements()) note(source[keys.all]["name"]);
      for (View variable : container["env"].elements()) {
        note(variable["valueFrom"][keys.one]["name"]);
      }
    }
  }
  for (View volume : pod["spec"]["volumes"].elements()) {
    note(volume[keys.volume][keys.name_in_volume]);
    for (View source : volume["projected"]["sources"].elements()) {
      note(source[keys.volume]["name"]);
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace

std::vector<std::string> config_maps_named_in(View pod) {
  return named_in(pod, {"configMapRef", "configMapKeyRef", "configMap", "name"});
}

std::vector<std::string> secrets_named_in(View pod) {
  return named_in(pod, {"secretRef", "secretKeyRef", "secret", "secretName"});
}

std::vector<std::string> claims_named_in(View pod) {
  std::set<std::string> names;
  for (View volume : pod["spec"]["volumes"].elements()) {
    if (const auto name = volume["persistentVolumeClaim"]["claimName"].string()) {
      names.emplace(*name);
    } else if (volume["ephemeral"]) {
      names.insert(fmt::format("{}-{}", objects::name_of(pod), volume["name"].string_or("")));
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace muster::agent
