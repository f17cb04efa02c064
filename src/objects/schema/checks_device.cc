// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/checks_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "objects/cel/cel.h"

namespace muster::objects {

namespace {

constexpr std::size_t lists_max = 32;
constexpr std::size_t alternatives_max = 8;
constexpr std::size_t driver_bytes_max = 63;
constexpr std::size_t expression_bytes_max = std::size_t{10} * 1024;
constexpr std::size_t identifier_bytes_max = 32;
constexpr std::size_t domain_bytes_max = 63;

bool is_identifier(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

void check_identifier(CheckScope& scope, const std::string& place, std::string_view text) {
  if (text.size() > identifier_bytes_max) scope.too_long(place, identifier_bytes_max);
  if (is_identifier(text)) return;
  scope.invalid(place, text,
                "a valid C identifier must start with alphabetic character or '_', followed by a "
                "string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or "
                "'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')");
}

void check_selectors(CheckScope& scope, const std::string& place, View selectors) {
  if (!check_count(scope, place, selectors, lists_max)) return;
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    const std::string at = fmt::format("{}[{}].cel", place, i);
    const View cel = selectors[i]["cel"];
    if (!cel) {
      scope.required(at);
      continue;
    }
    const std::string_view text = cel["expression"].string_or("");
    if (text.size() > expression_bytes_max) {
      scope.too_long(at + ".expression", expression_bytes_max);
      continue;
    }
    const auto program = compile_cel(text, {.variables = {"device"}, .result = CelResult::any});
    if (!program) {
      scope.invalid(at + ".expression", text, "compilation failed: " + program.error().message);
      continue;
    }
    const std::string_view kind = program->result_kind();
    if (kind == "bool" || kind == "dyn") continue;
    scope.invalid(at + ".expression", text,
                  fmt::format("must evaluate to bool or the unknown type, not {}", kind));
  }
}

void check_toleration(CheckScope& scope, const std::string& place, View toleration) {
  const std::string_view key = toleration["key"].string_or("");
  if (!key.empty()) scope.format(place + ".key", key, Format::qualified_name);
  const std::string_view operation = toleration["operator"].string_or("");
  const std::string_view value = toleration["value"].string_or("");
  if (operation == "Exists") {
    if (!value.empty()) {
      scope.invalid(place + ".value", value, "must be empty for operator `Exists`");
    }
  } else if (operation == "Equal") {
    scope.format(place + ".value", value, Format::label_value);
  } else {
    scope.not_supported(place + ".operator", operation, {"Equal", "Exists"});
  }
  const std::string_view effect = toleration["effect"].string_or("");
  if (!effect.empty()) check_taint_effect(scope, place + ".effect", effect);
}

// How many devices of which class.
void check_wish(CheckScope& scope, const std::string& place, View wish) {
  const std::string_view name = wish["deviceClassName"].string_or("");
  if (name.empty()) {
    scope.required(place + ".deviceClassName");
  } else {
    scope.format(place + ".deviceClassName", name, Format::dns_subdomain);
  }
  check_selectors(scope, place + ".selectors", wish["selectors"]);
  const std::string_view mode = wish["allocationMode"].string_or("");
  const std::int64_t count = wish["count"].integer_or(0);
  if (mode == "All") {
    if (count != 0) {
      scope.invalid(place + ".count", wish["count"],
                    "must not be specified when allocationMode is 'All'");
    }
  } else if (mode != "ExactCount") {
    scope.not_supported(place + ".allocationMode", mode, {"All", "ExactCount"});
  } else if (count <= 0) {
    scope.invalid(place + ".count", wish["count"], "must be greater than zero");
  }
  const View tolerations = wish["tolerations"];
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    check_toleration(scope, fmt::format("{}.tolerations[{}]", place, i), tolerations[i]);
  }
}

void check_alternatives(CheckScope& scope, const std::string& place, View alternatives) {
  if (!check_count(scope, place, alternatives, alternatives_max)) return;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    const std::string at = fmt::format("{}[{}]", place, i);
    const View each = alternatives[i];
    scope.format(at + ".name", each["name"].string_or(""), Format::dns_label);
    check_wish(scope, at, each);
    if (!names.insert(each["name"].string_or("")).second) scope.duplicate(at, each["name"]);
  }
}

void check_request(CheckScope& scope, const std::string& place, View request) {
  scope.format(place + ".name", request["name"].string_or(""), Format::dns_label);
  const View exactly = request["exactly"];
  const View alternatives = request["firstAvailable"];
  const std::string demand = "exactly one of `exactly` or `firstAvailable` is required";
  if (exactly && !alternatives.empty()) {
    scope.invalid_printed(place, "null", demand + ", but multiple fields are set");
  } else if (exactly) {
    check_wish(scope, place + ".exactly", exactly);
  } else if (!alternatives.empty()) {
    check_alternatives(scope, place + ".firstAvailable", alternatives);
  } else {
    scope.required(place, demand);
  }
}

// The names of requests, and of their alternatives behind them: `gpu`, `gpu/large`.
using RequestNames = std::set<std::string, std::less<>>;

RequestNames names_of(View requests) {
  RequestNames known;
  for (const View request : requests.elements()) {
    const std::string_view name = request["name"].string_or("");
    known.emplace(name);
    for (const View each : request["firstAvailable"].elements()) {
      known.insert(fmt::format("{}/{}", name, each["name"].string_or("")));
    }
  }
  return known;
}

void check_requests(CheckScope& scope, View requests) {
  if (!check_count(scope, ".requests", requests, lists_max)) return;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::string place = fmt::format(".requests[{}]", i);
    check_request(scope, place, requests[i]);
    const View name = requests[i]["name"];
    if (!seen.insert(name.string_or("")).second) scope.duplicate(place, name);
  }
}

void check_reference(CheckScope& scope, const std::string& place, std::string_view name,
                     const RequestNames& known) {
  if (known.contains(name)) return;
  scope.invalid(place, name,
                "must be the name of a request in the claim or the name of a request and a "
                "subrequest separated by '/'");
}

void check_references(CheckScope& scope, const std::string& place, View names,
                      const RequestNames& known) {
  if (!check_count(scope, place, names, lists_max)) return;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string at = fmt::format("{}[{}]", place, i);
    const std::string_view name = names[i].string_or("");
    check_reference(scope, at, name, known);
    if (!seen.insert(name).second) scope.duplicate(at, names[i]);
  }
}

void check_constraint(CheckScope& scope, const std::string& place, View constraint) {
  const View same = constraint["matchAttribute"];
  const View different = constraint["distinctAttribute"];
  if (!same && !different) {
    scope.required(place,
                   "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but "
                   "multiple fields are set");
  }
  for (const std::string_view field : {"matchAttribute", "distinctAttribute"}) {
    const auto name = constraint[field].string();
    if (!name) continue;
    const std::string at = fmt::format("{}.{}", place, field);
    if (name->find('/') == std::string_view::npos) {
      scope.invalid(at, *name,
                    "a fully qualified name must be a domain and a name separated by a slash");
    } else {
      check_qualified(scope, at, *name);
    }
  }
}

void check_configuration(CheckScope& scope, const std::string& place, View configuration) {
  const View opaque = configuration["opaque"];
  if (!opaque) return scope.required(place + ".opaque");
  check_driver_name(scope, place + ".opaque.driver", opaque["driver"].string_or(""));
  const View parameters = opaque["parameters"];
  if (!parameters || parameters.is_null()) scope.required(place + ".opaque.parameters");
}

void check_device_claim(CheckScope& scope) {
  check_requests(scope, scope["requests"]);
  const RequestNames known = names_of(scope["requests"]);
  const auto each = [&](std::string_view field, auto check) {
    const View list = scope[field];
    const std::string place = fmt::format(".{}", field);
    if (!check_count(scope, place, list, lists_max)) return;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string at = fmt::format("{}[{}]", place, i);
      check_references(scope, at + ".requests", list[i]["requests"], known);
      check(scope, at, list[i]);
    }
  };
  each("constraints", check_constraint);
  each("config", check_configuration);
}

// A name that a quota could count: with a domain of its own.
bool is_extended_resource(std::string_view name) {
  if (name.find('/') == std::string_view::npos || name.starts_with("requests.")) return false;
  const std::string_view domain = name.substr(0, name.find('/'));
  if (domain == "kubernetes.io" || domain.ends_with(".kubernetes.io")) return false;
  return native_violations(Format::qualified_name, fmt::format("requests.{}", name)).empty();
}

void check_device_class(CheckScope& scope) {
  check_selectors(scope, ".selectors", scope["selectors"]);
  const View configurations = scope["config"];
  if (check_count(scope, ".config", configurations, lists_max)) {
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      check_configuration(scope, fmt::format(".config[{}]", i), configurations[i]);
    }
  }
  const auto name = scope["extendedResourceName"].string();
  if (name && !is_extended_resource(*name)) {
    scope.invalid(".extendedResourceName", *name, "must be a valid extended resource name");
  }
}

// What a claim is made of has labels and annotations, and no name of its own.
void check_claim_template(CheckScope& scope) {
  for (const std::string_view field : {"name", "generateName"}) {
    if (scope["metadata"][field].string_or("").empty()) continue;
    scope.forbidden(fmt::format(".metadata.{}", field), "cannot be set");
  }
}

// Whom it is given to, and which devices.
void check_claim_status(CheckScope& scope) {
  const View allocation = scope["allocation"];
  if (!scope["reservedFor"].empty() && !allocation) {
    scope.forbidden(".reservedFor", "may not be specified when `allocated` is not set");
  }
  const RequestNames known = names_of(scope.root()["spec"]["devices"]["requests"]);
  const View results = allocation["devices"]["results"];
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string place = fmt::format(".allocation.devices.results[{}]", i);
    check_reference(scope, place + ".request", results[i]["request"].string_or(""), known);
    check_driver_name(scope, place + ".driver", results[i]["driver"].string_or(""));
    if (results[i]["pool"].string_or("").empty()) scope.required(place + ".pool");
    scope.format(place + ".device", results[i]["device"].string_or(""), Format::dns_label);
  }
}

constexpr NamedCheck checks[] = {
    {"device-claim", check_device_claim},
    {"device-class", check_device_class},
    {"resource-claim-status", check_claim_status},
    {"resource-claim-template", check_claim_template},
};

}  // namespace

bool check_count(CheckScope& scope, const std::string& place, View list, std::size_t count_max) {
  if (list.size() <= count_max) return true;
  scope.add(FieldError::too_many(scope.at(place), list.size(), count_max));
  return false;
}

void check_driver_name(CheckScope& scope, const std::string& place, std::string_view name) {
  if (name.empty()) return scope.required(place);
  if (name.size() > driver_bytes_max) scope.too_long(place, driver_bytes_max);
  scope.format(place, name, Format::dns_subdomain);
}

void check_taint_effect(CheckScope& scope, const std::string& place, std::string_view effect) {
  if (effect == "NoExecute" || effect == "NoSchedule" || effect == "None") return;
  scope.not_supported(place, effect, {"NoExecute", "NoSchedule", "None"});
}

void check_qualified(CheckScope& scope, const std::string& place, std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return check_identifier(scope, place, name);
  const std::string_view domain = name.substr(0, slash);
  const std::string_view rest = name.substr(slash + 1);
  if (rest.find('/') != std::string_view::npos) return;  // the peer looks at no more than two parts
  if (domain.size() > domain_bytes_max) scope.too_long(place, domain_bytes_max);
  scope.format(place, domain, Format::dns_subdomain);
  check_identifier(scope, place, rest);
}

std::span<const NamedCheck> device_checks() {
  return checks;
}

}  // namespace muster::objects
