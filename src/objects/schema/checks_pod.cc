// SPDX-License-Identifier: Apache-2.0
// What a pod's spec must say as a whole: names that differ, ports that do not clash, places that
// can be.
#include "objects/schema/checks_pod.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <set>
#include <tuple>
#include <utility>

namespace muster::objects {

namespace {

constexpr std::pair<std::string_view, ContainerKind> container_lists[] = {
    {"containers", ContainerKind::regular},
    {"initContainers", ContainerKind::init},
    {"ephemeralContainers", ContainerKind::ephemeral},
};

template <class Visit>
void for_each_container(CheckScope& scope, Visit&& visit) {
  for (const auto& [list, kind] : container_lists) {
    std::size_t index = 0;
    for (View container : scope[list].elements()) {
      visit(ContainerPlace{scope, container, fmt::format(".{}[{}]", list, index++), kind});
    }
  }
}

// Names within one list are told apart by the schema; across lists only the later one is wrong.
void check_names(CheckScope& scope) {
  std::set<std::string_view> regular;
  std::set<std::string_view> others;
  for_each_container(scope, [&](const ContainerPlace& here) {
    const View name = here.container["name"];
    const std::string_view text = name.string_or("");
    if (here.kind == ContainerKind::regular) {
      regular.insert(text);
      others.insert(text);
    } else if (here.kind == ContainerKind::init) {
      if (regular.contains(text)) scope.duplicate(here.at(".name"), name);
      others.insert(text);
    } else {
      if (others.contains(text)) scope.duplicate(here.at(".name"), name);
      const View target = here.container["targetContainerName"];
      if (!target.string_or("").empty() && !others.contains(target.string_or(""))) {
        scope.add(FieldError::not_found(scope.at(here.at(".targetContainerName")), target));
      }
    }
  });
}

using HostPort = std::tuple<std::string_view, std::string_view, std::int64_t>;

void check_host_ports(const ContainerPlace& here, std::set<HostPort>& taken) {
  if (here.kind == ContainerKind::init) taken.clear();
  std::size_t index = 0;
  for (View port : here.container["ports"].elements()) {
    const std::string place = here.at(fmt::format(".ports[{}].hostPort", index++));
    const std::int64_t number = port["hostPort"].integer_or(0);
    if (number == 0) continue;
    const HostPort key{port["protocol"].string_or(""), port["hostIP"].string_or(""), number};
    if (!taken.insert(key).second) {
      add_late(here.scope,
               FieldError::duplicate(here.scope.at(place),
                                     Value::string(fmt::format("{}/{}/{}", std::get<0>(key),
                                                               std::get<1>(key), number))));
    }
    const bool shares_network = here.spec()["hostNetwork"].boolean_or(false);
    if (shares_network && number != port["containerPort"].integer_or(0)) {
      add_late(here.scope,
               FieldError::invalid(here.scope.at(place), port["hostPort"],
                                   "must match `containerPort` when `hostNetwork` is true"));
    }
  }
}

void check_port_names(const ContainerPlace& here) {
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (View port : here.container["ports"].elements()) {
    const View name = port["name"];
    const std::string place = here.at(fmt::format(".ports[{}].name", index++));
    const std::string_view text = name.string_or("");
    if (text.empty() || !native_violations(Format::port_name, text).empty()) continue;
    if (!names.insert(text).second) here.scope.duplicate(place, name);
  }
}

constexpr std::string_view search_pattern =
    R"(_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*)";

bool is_search(std::string_view text) {
  static const re2::RE2 pattern{re2::StringPiece(search_pattern.data(), search_pattern.size())};
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

void check_dns(CheckScope& scope) {
  const View config = scope["dnsConfig"];
  const bool none = scope.text("dnsPolicy") == "None";
  if (none && !config) {
    scope.required(".dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None");
  } else if (none && config["nameservers"].empty()) {
    scope.required(".dnsConfig.nameservers",
                   "must provide at least one DNS nameserver when `dnsPolicy` is None");
  }
  constexpr std::size_t servers_max = 3;
  constexpr std::size_t searches_max = 32;
  if (config["nameservers"].size() > servers_max) {
    scope.invalid(".dnsConfig.nameservers", config["nameservers"],
                  fmt::format("must not have more than {} nameservers", servers_max));
  }
  if (config["searches"].size() > searches_max) {
    scope.invalid(".dnsConfig.searches", config["searches"],
                  fmt::format("must not have more than {} search paths", searches_max));
  }
  std::size_t index = 0;
  for (View search : config["searches"].elements()) {
    const std::string place = fmt::format(".dnsConfig.searches[{}]", index++);
    std::string_view text = search.string_or("");
    if (text == ".") continue;
    if (text.ends_with('.')) text.remove_suffix(1);
    if (is_search(text)) continue;
    scope.invalid(place, search,
                  fmt::format("a lowercase RFC 1123 subdomain must consist of lower case "
                              "alphanumeric characters, '_', '-' or '.', and must start and end "
                              "with an alphanumeric character (e.g. 'example.com', regex used for "
                              "validation is '{}')",
                              search_pattern));
  }
  index = 0;
  for (View option : config["options"].elements()) {
    const std::string place = fmt::format(".dnsConfig.options[{}]", index++);
    if (option["name"].string_or("").empty()) scope.required(place, "must not be empty");
  }
}

void check_gates(CheckScope& scope) {
  std::size_t index = 0;
  for (View gate : scope["readinessGates"].elements()) {
    scope.format(fmt::format(".readinessGates[{}].conditionType", index++),
                 gate["conditionType"].string_or(""), Format::qualified_name);
  }
  index = 0;
  std::set<std::string_view> names;
  for (View gate : scope["schedulingGates"].elements()) {
    const std::string place = fmt::format(".schedulingGates[{}]", index++);
    const View name = gate["name"];
    scope.format(place, name.string_or(""), Format::qualified_name);
    if (!names.insert(name.string_or("")).second) scope.duplicate(place, name);
  }
}

std::string printed_claim(View claim) {
  const auto text = [&](std::string_view field) {
    return claim[field] ? go_printed(claim[field]) : std::string("null");
  };
  return fmt::format(R"({{"Name":{},"ResourceClaimName":{},"ResourceClaimTemplateName":{}}})",
                     go_quoted(claim["name"].string_or("")), text("resourceClaimName"),
                     text("resourceClaimTemplateName"));
}

void check_claims(CheckScope& scope) {
  std::size_t index = 0;
  for (View claim : scope["resourceClaims"].elements()) {
    const std::string place = fmt::format(".resourceClaims[{}]", index++);
    const bool named = !claim["resourceClaimName"].is_absent();
    const bool made = !claim["resourceClaimTemplateName"].is_absent();
    if (named == made) {
      scope.invalid_printed(
          place, printed_claim(claim),
          named ? "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be "
                  "specified"
                : "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
  }
}

// The peer says it at the first of the two.
void check_spread(CheckScope& scope) {
  const View all = scope["topologySpreadConstraints"];
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const View one = all[i];
      const View other = all[j];
      const bool same = one["topologyKey"] == other["topologyKey"] &&
                        one["whenUnsatisfiable"] == other["whenUnsatisfiable"];
      if (!same) continue;
      scope.duplicate(
          fmt::format(".topologySpreadConstraints[{}].{{topologyKey, whenUnsatisfiable}}", i),
          Value::string(fmt::format("{{{}, {}}}", one["topologyKey"].string_or(""),
                                    one["whenUnsatisfiable"].string_or(""))));
      break;
    }
  }
}

void check_host_names(CheckScope& scope) {
  const bool overridden = !scope["hostnameOverride"].is_absent();
  if (overridden && scope["setHostnameAsFQDN"].boolean_or(false)) {
    scope.forbidden(".hostnameOverride", "may not be specified when setHostnameAsFQDN is true");
  }
  if (overridden && scope["hostNetwork"].boolean_or(false)) {
    scope.forbidden(".hostnameOverride", "may not be specified when hostNetwork is true");
  }
}

void check_host_users(CheckScope& scope) {
  if (scope["hostUsers"].boolean_or(true)) return;
  constexpr std::string_view why = "when `hostUsers` is false";
  if (scope["hostNetwork"].boolean_or(false)) scope.forbidden(".hostNetwork", std::string(why));
  if (scope["hostPID"].boolean_or(false)) scope.forbidden(".HostPID", std::string(why));
  if (scope["hostIPC"].boolean_or(false)) scope.forbidden(".HostIPC", std::string(why));
}

void check_pod_spec(CheckScope& scope) {
  check_names(scope);
  std::set<HostPort> host_ports;
  for_each_container(scope, [&](const ContainerPlace& here) {
    check_port_names(here);
    if (here.kind != ContainerKind::ephemeral) check_host_ports(here, host_ports);
    check_container(here);
  });
  check_pod_resources(scope);
  check_dns(scope);
  check_gates(scope);
  check_claims(scope);
  check_spread(scope);
  check_host_names(scope);
  check_host_users(scope);
  check_pod_security_context(scope);
  check_operating_system(scope);
}

// Tolerations say most of what is wrong with them at their operator.
void check_toleration(CheckScope& scope) {
  const std::string_view operation = scope.text("operator");
  if (scope.text("key").empty() && operation != "Exists") {
    scope.invalid(".operator", operation,
                  "operator must be Exists when `key` is empty, which means \"match all values "
                  "and all keys\"");
  }
  if (scope["tolerationSeconds"] && scope.text("effect") != "NoExecute") {
    scope.invalid(".effect", scope.text("effect"),
                  "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  const std::string_view value = scope.text("value");
  if (operation.empty() || operation == "Equal") {
    const auto sentences = label_value_violations(value);
    if (!sentences.empty()) {
      scope.invalid(".operator", value, fmt::format("{}", fmt::join(sentences, ";")));
    }
  } else if (operation == "Exists") {
    if (!value.empty()) {
      scope.invalid(".operator", value, "value must be empty when `operator` is 'Exists'");
    }
  } else if (operation == "Lt" || operation == "Gt") {
    scope.not_supported(".operator", operation, {"Equal", "Exists", "Lt", "Gt"});
  } else {
    scope.not_supported(".operator", operation, {"Equal", "Exists"});
  }
}

// Names that begin with system- are the peer's own two; others have a bound.
void check_priority_class(CheckScope& scope) {
  const std::string_view name = scope["metadata"]["name"].string_or("");
  if (name == "system-node-critical" || name == "system-cluster-critical") return;
  if (name.starts_with("system-")) {
    scope.forbidden(".metadata.name",
                    fmt::format("priority class names with 'system-' prefix are reserved for "
                                "system use only. error: {} is not a known system priority class",
                                name));
  } else if (scope["value"].integer_or(0) > 1'000'000'000) {
    scope.forbidden(".value", "maximum allowed value of a user defined priority is 1000000000");
  }
}

}  // namespace

void add_late(CheckScope& scope, FieldError error) {
  error.late = true;
  scope.add(std::move(error));
}

std::span<const NamedCheck> pod_checks() {
  static constexpr NamedCheck checks[] = {
      {"pod-spec", check_pod_spec},
      {"priority-class", check_priority_class},
      {"toleration", check_toleration},
  };
  return checks;
}

}  // namespace muster::objects
