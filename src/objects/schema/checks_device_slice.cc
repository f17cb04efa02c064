// SPDX-License-Identifier: Apache-2.0
// Slices: which devices a driver has, and where.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "objects/schema/checks_device.h"

namespace muster::objects {

namespace {

constexpr std::size_t devices_max = 128;
constexpr std::size_t attribute_bytes_max = 64;

constexpr std::string_view places_of_nodes =
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

void check_pool(CheckScope& scope, View pool) {
  std::string_view name = pool["name"].string_or("");
  if (name.empty()) {
    scope.required(".pool.name");
  } else {
    while (true) {
      const std::size_t slash = name.find('/');
      const std::string_view part = name.substr(0, slash);
      if (!native_violations(Format::dns_subdomain, part).empty()) {
        scope.format(".pool.name", part, Format::dns_subdomain);
        break;  // the first that is wrong
      }
      if (slash == std::string_view::npos) break;
      name = name.substr(slash + 1);
    }
  }
  const std::int64_t slices = pool["resourceSliceCount"].integer_or(0);
  if (slices <= 0) {
    const Value said = Value::integer(slices);
    scope.invalid(".pool.resourceSliceCount", said, "must be greater than zero");
  }
  if (pool["generation"].integer_or(0) < 0) {
    scope.invalid(".pool.generation", pool["generation"], "must be greater than or equal to zero");
  }
}

std::string printed_terms(View terms) {
  if (!terms) return "null";
  std::string out;
  for (const View term : terms.elements()) {
    const auto part = [&](std::string_view field) {
      return term[field] ? go_printed(term[field]) : std::string("null");
    };
    out += fmt::format(R"({}{{"MatchExpressions":{},"MatchFields":{}}})", out.empty() ? "" : ",",
                       part("matchExpressions"), part("matchFields"));
  }
  return fmt::format("[{}]", out);
}

bool is_set_to_true(CheckScope& scope, std::string_view field) {
  const View value = scope[field];
  if (!value) return false;
  if (value.boolean_or(false)) return true;
  scope.invalid(fmt::format(".{}", field), value, "must be either unset or set to true");
  return false;
}

// On which nodes its devices are: one way of saying it.
void check_nodes(CheckScope& scope) {
  std::vector<std::string> said;
  if (const auto name = scope["nodeName"].string()) {
    if (name->empty()) {
      scope.invalid(".nodeName", *name, "must be either unset or set to a non-empty string");
    } else {
      said.emplace_back("`nodeName`");
      scope.format(".nodeName", *name, Format::dns_subdomain);
    }
  }
  if (const View selector = scope["nodeSelector"]) {
    said.emplace_back("`nodeSelector`");
    const View terms = selector["nodeSelectorTerms"];
    if (terms.size() != 1) {
      FieldError error{FieldError::Type::invalid, scope.at(".nodeSelector.nodeSelectorTerms"),
                       printed_terms(terms), "must have exactly one node selector term"};
      error.pass = 1;  // after what is wrong with any selector
      scope.add(std::move(error));
    }
  }
  for (const std::string_view field : {"allNodes", "perDeviceNodeSelection"}) {
    if (is_set_to_true(scope, field)) said.push_back(fmt::format("`{}`", field));
  }
  if (said.empty()) return scope.required("", std::string(places_of_nodes));
  if (said.size() == 1) return;
  std::string fields;
  for (const std::string& field : said) fields += fields.empty() ? field : ", " + field;
  scope.invalid("", fmt::format("{{{}}}", fields),
                fmt::format("{}, but multiple fields are set", places_of_nodes));
}

// Major, minor and patch, then perhaps what comes before the release and what was built.
bool is_semantic_version(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (int part = 0; part < 3; ++part) {
    const auto end = std::ranges::find_if_not(text, is_digit);
    const auto size = static_cast<std::size_t>(end - text.begin());
    if (size == 0 || (size > 1 && text.front() == '0')) return false;
    text.remove_prefix(size);
    if (part == 2) break;
    if (!text.starts_with('.')) return false;
    text.remove_prefix(1);
  }
  const auto is_word = [&](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '.' || c == '+';
  };
  if (text.empty()) return true;
  return (text.front() == '-' || text.front() == '+') && text.size() > 1 &&
         std::ranges::all_of(text, is_word);
}

std::string printed_attribute(View attribute) {
  constexpr std::pair<std::string_view, std::string_view> fields[] = {
      {"IntValue", "int"},         {"BoolValue", "bool"},        {"StringValue", "string"},
      {"VersionValue", "version"}, {"IntValues", "ints"},        {"BoolValues", "bools"},
      {"StringValues", "strings"}, {"VersionValues", "versions"}};
  std::string out;
  for (const auto& [printed, field] : fields) {
    out += fmt::format(R"({}"{}":{})", out.empty() ? "" : ",", printed,
                       attribute[field] ? go_printed(attribute[field]) : std::string("null"));
  }
  return fmt::format("{{{}}}", out);
}

void check_attribute(CheckScope& scope, const std::string& place, View attribute) {
  std::size_t values = 0;
  for (const std::string_view field :
       {"int", "bool", "string", "version", "ints", "bools", "strings", "versions"}) {
    if (attribute[field]) ++values;
  }
  if (values == 0) return scope.invalid(place, "", "exactly one value must be specified");
  if (values > 1) {
    return scope.invalid_printed(place, printed_attribute(attribute),
                                 "exactly one value must be specified");
  }
  for (const std::string_view field : {"string", "version"}) {
    const auto text = attribute[field].string();
    if (!text) continue;
    const std::string at = fmt::format("{}.{}", place, field);
    if (field == "version" && !is_semantic_version(*text)) {
      scope.invalid(at, *text, "must be a string compatible with semver.org spec 2.0.0");
    }
    if (text->size() > attribute_bytes_max) scope.too_long(at, attribute_bytes_max);
  }
}

void check_counters(CheckScope& scope, const std::string& place, std::string_view name_field,
                    View set) {
  const std::string_view name = set[name_field].string_or("");
  const std::string at = fmt::format("{}.{}", place, name_field);
  if (name.empty()) {
    scope.required(at);
  } else {
    scope.format(at, name, Format::dns_label);
  }
  if (set["counters"].empty()) scope.required(place + ".counters");
  for (const MemberView counter : set["counters"].members()) {
    scope.format(place + ".counters", counter.key, Format::dns_label);
  }
}

void check_binding(CheckScope& scope, const std::string& place, View device) {
  const View wanted = device["bindingConditions"];
  const View failed = device["bindingFailureConditions"];
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string_view name = wanted[i].string_or("");
    names.insert(name);
    scope.format(fmt::format("{}.bindingConditions[{}]", place, i), name, Format::qualified_name);
  }
  for (std::size_t i = 0; i < failed.size(); ++i) {
    const std::string at = fmt::format("{}.bindingFailureConditions[{}]", place, i);
    const std::string_view name = failed[i].string_or("");
    scope.format(at, name, Format::qualified_name);
    if (names.contains(name)) {
      scope.invalid(at, name, "bindingFailureConditions must not overlap with bindingConditions");
    }
  }
  if (wanted.empty() == failed.empty()) return;
  const std::string_view has = failed.empty() ? "bindingConditions" : "bindingFailureConditions";
  const std::string_view lacks = failed.empty() ? "bindingFailureConditions" : "bindingConditions";
  scope.invalid_printed(fmt::format("{}.{}", place, lacks), "null",
                        fmt::format("{} are required to use {}", lacks, has));
}

void check_taints(CheckScope& scope, const std::string& place, View taints) {
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const std::string at = fmt::format("{}[{}]", place, i);
    scope.format(at + ".key", taints[i]["key"].string_or(""), Format::qualified_name);
    const std::string_view value = taints[i]["value"].string_or("");
    if (!value.empty()) scope.format(at + ".value", value, Format::label_value);
    const std::string_view effect = taints[i]["effect"].string_or("");
    if (effect.empty()) {
      scope.required(at + ".effect");
    } else {
      check_taint_effect(scope, at + ".effect", effect);
    }
  }
}

void check_device(CheckScope& scope, const std::string& place, View device) {
  scope.format(place + ".name", device["name"].string_or(""), Format::dns_label);
  for (const MemberView attribute : device["attributes"].members()) {
    check_qualified(scope, place + ".attributes", attribute.key);
    check_attribute(scope, fmt::format("{}.attributes[{}]", place, attribute.key), attribute.value);
  }
  for (const MemberView capacity : device["capacity"].members()) {
    check_qualified(scope, place + ".capacity", capacity.key);
  }
  check_taints(scope, place + ".taints", device["taints"]);
  const View consumed = device["consumesCounters"];
  for (std::size_t i = 0; i < consumed.size(); ++i) {
    check_counters(scope, fmt::format("{}.consumesCounters[{}]", place, i), "counterSet",
                   consumed[i]);
  }
  const bool names_nodes = device["nodeName"] || device["nodeSelector"] || device["allNodes"];
  if (names_nodes && !scope["perDeviceNodeSelection"].boolean_or(false)) {
    scope.invalid_printed(place, "null",
                          "`nodeName`, `nodeSelector` and `allNodes` can only be set if "
                          "`perDeviceNodeSelection` is set to true in the ResourceSlice spec");
  }
  check_binding(scope, place, device);
}

// Each of a list, and that no two have the same name.
template <class CheckOne>
void check_named(CheckScope& scope, const std::string& place, View list, CheckOne check) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string at = fmt::format("{}[{}]", place, i);
    check(at, list[i]);
    if (!names.insert(list[i]["name"].string_or("")).second) scope.duplicate(at, list[i]["name"]);
  }
}

void check_slice(CheckScope& scope) {
  check_driver_name(scope, ".driver", scope.text("driver"));
  check_pool(scope, scope["pool"]);
  check_nodes(scope);
  if (check_count(scope, ".devices", scope["devices"], devices_max)) {
    check_named(scope, ".devices", scope["devices"],
                [&](const std::string& at, View device) { check_device(scope, at, device); });
  }
  check_named(scope, ".sharedCounters", scope["sharedCounters"],
              [&](const std::string& at, View set) { check_counters(scope, at, "name", set); });
}

constexpr NamedCheck checks[] = {{"resource-slice", check_slice}};

}  // namespace

std::span<const NamedCheck> device_slice_checks() {
  return checks;
}

}  // namespace muster::objects
