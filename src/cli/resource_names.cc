// SPDX-License-Identifier: Apache-2.0
#include "cli/resource_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"

namespace muster::cli {

using objects::Value;
using objects::View;

namespace {

constexpr std::string_view discovery_form =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

std::string lower(std::string_view text) {
  std::string made(text);
  std::transform(made.begin(), made.end(), made.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return made;
}

std::vector<std::string> texts(View list) {
  std::vector<std::string> made;
  for (View each : list.elements()) made.emplace_back(each.string_or(""));
  return made;
}

bool is_called(const ServedKind& kind, std::string_view word) {
  return kind.plural == word || kind.singular == word || lower(kind.kind) == word ||
         std::find(kind.short_names.begin(), kind.short_names.end(), word) !=
             kind.short_names.end();
}

// `jobs`, `jobs.batch`, `jobs.v1.batch`
bool matches(const ServedKind& kind, std::string_view word) {
  if (is_called(kind, word)) return true;
  const std::size_t dot = word.find('.');
  if (dot == std::string_view::npos || !is_called(kind, word.substr(0, dot))) return false;
  const std::string_view rest = word.substr(dot + 1);
  return rest == kind.group || rest == kind.version + "." + kind.group ||
         (kind.group.empty() && rest == kind.version + ".");
}

}  // namespace

std::string ServedKind::qualified() const {
  return group.empty() ? lower(kind) : lower(kind) + "." + group;
}

std::string ServedKind::qualified_plural() const {
  return group.empty() ? plural : plural + "." + group;
}

std::string ServedKind::path(std::string_view name_space, std::string_view name) const {
  std::string made =
      group.empty() ? fmt::format("/api/{}", version) : fmt::format("/apis/{}/{}", group, version);
  if (is_namespaced && !name_space.empty()) made += "/namespaces/" + escaped(name_space);
  made += "/" + plural;
  if (!name.empty()) made += "/" + escaped(name);
  return made;
}

Result<ResourceNames> ResourceNames::discover(Talk& talk) {
  const std::string form(discovery_form);
  const Reply core = TRY(talk.ask({.target = "/api", .accept = form}));
  const Reply groups = TRY(talk.ask({.target = "/apis", .accept = form}));
  const Value first = TRY(value_of(core));
  const Value second = TRY(value_of(groups));
  return of(first, second);
}

ResourceNames ResourceNames::of(View core, View groups) {
  ResourceNames made;
  made.add(core);
  made.add(groups);
  return made;
}

void ResourceNames::add(View list) {
  for (View group : list["items"].elements()) {
    for (View version : group["versions"].elements()) {
      for (View resource : version["resources"].elements()) {
        kinds_.push_back({.group = std::string(group["metadata"]["name"].string_or("")),
                          .version = std::string(version["version"].string_or("")),
                          .plural = std::string(resource["resource"].string_or("")),
                          .singular = std::string(resource["singularResource"].string_or("")),
                          .kind = std::string(resource["responseKind"]["kind"].string_or("")),
                          .is_namespaced = resource["scope"].string_or("") == "Namespaced",
                          .short_names = texts(resource["shortNames"]),
                          .categories = texts(resource["categories"])});
      }
    }
  }
}

Result<ServedKind> ResourceNames::find(std::string_view word) const {
  const std::string wanted = lower(word);
  for (const ServedKind& kind : kinds_) {
    if (matches(kind, wanted)) return kind;
  }
  return Error::bad_request(
      fmt::format("error: the server doesn't have a resource type \"{}\"", word));
}

Result<ServedKind> ResourceNames::find_kind(std::string_view api_version,
                                            std::string_view kind) const {
  for (const ServedKind& served : kinds_) {
    const std::string version =
        served.group.empty() ? served.version : served.group + "/" + served.version;
    if (served.kind == kind && version == api_version) return served;
  }
  return Error::bad_request(
      fmt::format("error: resource mapping not found: no matches for kind \"{}\" in version \"{}\"",
                  kind, api_version));
}

std::vector<ServedKind> ResourceNames::of_category(std::string_view category) const {
  std::vector<ServedKind> found;
  for (const ServedKind& kind : kinds_) {
    const auto& names = kind.categories;
    if (std::find(names.begin(), names.end(), category) == names.end()) continue;
    const bool is_known = std::any_of(found.begin(), found.end(), [&](const ServedKind& other) {
      return other.group == kind.group && other.plural == kind.plural;
    });
    if (!is_known) found.push_back(kind);
  }
  return found;
}

}  // namespace muster::cli
