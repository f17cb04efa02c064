// SPDX-License-Identifier: Apache-2.0
// Kinds by which an API server governs itself: who may ask how much at once.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "objects/json.h"
#include "objects/schema/checks.h"

namespace muster::objects {

namespace {

constexpr std::int64_t precedence_max = 10'000;
constexpr std::int64_t queues_max = 10'000'000;
constexpr double entropy_bits_max = 60;
constexpr std::int64_t percent_max = 100;

bool has(View list, std::string_view text) {
  for (const View each : list.elements()) {
    if (each.string_or("") == text) return true;
  }
  return false;
}

// What a list names: everything (`*`, alone), or at least one.
bool check_names(CheckScope& scope, const std::string& place, View list, std::string_view absence,
                 std::string_view others) {
  if (list.empty()) {
    scope.required(place, std::string(absence));
    return false;
  }
  if (list.size() > 1 && has(list, "*")) {
    scope.invalid(place, list, fmt::format("if '*' is present, must not specify other {}", others));
    return false;
  }
  return true;
}

void check_verbs(CheckScope& scope, const std::string& place, View verbs) {
  const bool are_named =
      check_names(scope, place, verbs, "verbs must contain at least one value", "verbs");
  if (!are_named || has(verbs, "*")) return;
  constexpr std::string_view known[] = {"create", "delete", "deletecollection", "get",  "list",
                                        "patch",  "proxy",  "update",           "watch"};
  bool are_known = true;
  for (const View verb : verbs.elements()) {
    are_known = are_known && std::ranges::find(known, verb.string_or("")) != std::end(known);
  }
  if (are_known) return;
  const std::vector<std::string> supported(std::begin(known), std::end(known));
  scope.add(FieldError::not_supported(scope.at(place), verbs, supported));
}

void check_account(CheckScope& scope, const std::string& place, View account) {
  const std::string_view name = account["name"].string_or("");
  if (name.empty()) {
    scope.required(place + ".name");
  } else if (name != "*") {
    scope.format(place + ".name", name, Format::dns_subdomain);
  }
  const std::string_view name_space = account["namespace"].string_or("");
  if (name_space.empty()) {
    scope.required(place + ".namespace", "must specify namespace for service account");
  } else {
    scope.format(place + ".namespace", name_space, Format::dns_label);
  }
}

// A subject says what its kind says, and nothing of the others.
void check_subject(CheckScope& scope, const std::string& place, View subject) {
  struct Part {
    std::string_view kind;
    std::string_view field;
  };
  constexpr Part parts[] = {
      {"ServiceAccount", "serviceAccount"}, {"User", "user"}, {"Group", "group"}};
  const std::string_view kind = subject["kind"].string_or("");
  if (std::ranges::find(parts, kind, &Part::kind) == std::end(parts)) {
    return scope.not_supported(place + ".kind", kind, {"Group", "ServiceAccount", "User"});
  }
  for (const Part& part : parts) {
    const std::string at = fmt::format("{}.{}", place, part.field);
    const View value = subject[part.field];
    if (part.kind != kind) {
      if (!value) continue;
      scope.forbidden(
          at, fmt::format("{} is forbidden when subject kind is not '{}'", part.field, part.kind));
    } else if (!value) {
      scope.required(
          at, fmt::format("{} is required when subject kind is '{}'", part.field, part.kind));
    } else if (part.field == "serviceAccount") {
      check_account(scope, at, value);
    } else if (value["name"].string_or("").empty()) {
      scope.required(at + ".name");
    }
  }
}

void check_namespaces(CheckScope& scope, const std::string& place, View rule) {
  const View names = rule["namespaces"];
  if (names.empty() && rule["clusterScope"].boolean_or(false)) return;
  if (!check_names(scope, place, names,
                   "resource rules that are not cluster scoped must supply at least one namespace",
                   "namespaces")) {
    return;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names[i].string_or("");
    if (name == "*") continue;
    for (const std::string& why : native_violations(Format::dns_label, name)) {
      scope.invalid(fmt::format("{}[{}]", place, i), name,
                    "each member of this list must be '*' or a DNS-1123 label; " + why);
    }
  }
}

void check_resource_rule(CheckScope& scope, const std::string& place, View rule) {
  check_verbs(scope, place + ".verbs", rule["verbs"]);
  check_names(scope, place + ".apiGroups", rule["apiGroups"],
              "resource rules must supply at least one api group", "api groups");
  check_names(scope, place + ".resources", rule["resources"],
              "resource rules must supply at least one resource", "resources");
  check_namespaces(scope, place + ".namespaces", rule);
}

std::string_view why_path_is_wrong(std::string_view path) {
  if (path.empty()) return "must not be empty";
  if (path == "/") return {};
  if (path.front() != '/') return "must start with slash";
  if (path.find(' ') != std::string_view::npos) return "must not contain white-space";
  if (path.find("//") != std::string_view::npos) return "must not contain double slash";
  const std::size_t star = path.find('*');
  if (star == std::string_view::npos) return {};
  if (star + 1 != path.size()) return "wildcard can only do suffix matching";
  return path.ends_with("/*") ? "" : "wildcard can only do suffix matching";
}

void check_path_rule(CheckScope& scope, const std::string& place, View rule) {
  check_verbs(scope, place + ".verbs", rule["verbs"]);
  const View paths = rule["nonResourceURLs"];
  const std::string at = place + ".nonResourceURLs";
  if (!check_names(scope, at, paths, "nonResourceURLs must contain at least one value",
                   "non-resource URLs") ||
      has(paths, "*")) {
    return;
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string_view path = paths[i].string_or("");
    const std::string_view why = why_path_is_wrong(path);
    if (!why.empty()) scope.invalid(fmt::format("{}[{}]", at, i), path, std::string(why));
  }
}

void check_rule(CheckScope& scope, const std::string& place, View rule) {
  const auto each = [&](std::string_view field, auto check) {
    const View list = rule[field];
    for (std::size_t i = 0; i < list.size(); ++i) {
      check(scope, fmt::format("{}.{}[{}]", place, field, i), list[i]);
    }
  };
  if (rule["subjects"].empty()) {
    scope.required(place + ".subjects", "subjects must contain at least one value");
  }
  each("subjects", check_subject);
  if (rule["resourceRules"].empty() && rule["nonResourceRules"].empty()) {
    scope.required(place, "at least one of resourceRules and nonResourceRules has to be non-empty");
  }
  each("resourceRules", check_resource_rule);
  each("nonResourceRules", check_path_rule);
}

// The two that every server has are as they are.
struct Fixed {
  std::string_view name;
  std::string_view spec;
};

constexpr Fixed fixed_schemas[] = {
    {"exempt",
     R"({"priorityLevelConfiguration":{"name":"exempt"},"matchingPrecedence":1,"rules":[{)"
     R"("subjects":[{"kind":"Group","group":{"name":"system:masters"}}],"resourceRules":[{)"
     R"("verbs":["*"],"apiGroups":["*"],"resources":["*"],"clusterScope":true,)"
     R"("namespaces":["*"]}],)"
     R"("nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]})"},
    {"catch-all",
     R"({"priorityLevelConfiguration":{"name":"catch-all"},"matchingPrecedence":10000,)"
     R"("distinguisherMethod":{"type":"ByUser"},"rules":[{"subjects":[)"
     R"({"kind":"Group","group":{"name":"system:unauthenticated"}},)"
     R"({"kind":"Group","group":{"name":"system:authenticated"}}],"resourceRules":[{)"
     R"("verbs":["*"],"apiGroups":["*"],"resources":["*"],"clusterScope":true,)"
     R"("namespaces":["*"]}],)"
     R"("nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]})"}};

constexpr Fixed fixed_levels[] = {
    {"exempt", R"({"type":"Exempt"})"},
    {"catch-all",
     R"({"type":"Limited","limited":{"nominalConcurrencyShares":5,"lendablePercent":0,)"
     R"("limitResponse":{"type":"Reject"}}})"}};

bool is_fixed(std::span<const Fixed> all, std::string_view name, View spec) {
  const auto found = std::ranges::find(all, name, &Fixed::name);
  if (found == all.end()) return true;
  const auto wanted = parse_json(found->spec);
  return wanted && wanted->view() == spec;
}

std::string_view name_of_root(const CheckScope& scope) {
  return scope.root()["metadata"]["name"].string_or("");
}

std::string printed(View value) {
  return value ? go_printed(value) : std::string("null");
}

// As the peer prints its own struct; only where there are no rules to print.
std::string printed_flow_schema(View spec) {
  const View method = spec["distinguisherMethod"];
  return fmt::format(R"({{"PriorityLevelConfiguration":{{"Name":{}}},"MatchingPrecedence":{},)"
                     R"("DistinguisherMethod":{},"Rules":{}}})",
                     go_quoted(spec["priorityLevelConfiguration"]["name"].string_or("")),
                     spec["matchingPrecedence"].integer_or(0),
                     method ? fmt::format(R"({{"Type":{}}})", printed(method["type"])) : "null",
                     printed(spec["rules"]));
}

void check_flow_schema(CheckScope& scope) {
  const std::string_view name = name_of_root(scope);
  const std::int64_t precedence = scope["matchingPrecedence"].integer_or(0);
  if (precedence <= 0) {
    scope.invalid(".matchingPrecedence", scope["matchingPrecedence"], "must be a positive value");
  } else if (precedence > precedence_max) {
    scope.invalid(".matchingPrecedence", scope["matchingPrecedence"],
                  fmt::format("must not be greater than {}", precedence_max));
  } else if (precedence == 1 && name != "exempt") {
    scope.invalid(".matchingPrecedence", scope["matchingPrecedence"],
                  "only the schema named 'exempt' may have matchingPrecedence 1");
  }
  if (const View method = scope["distinguisherMethod"]) {
    const std::string_view type = method["type"].string_or("");
    if (type != "ByUser" && type != "ByNamespace") {
      const std::string supported[] = {"ByNamespace", "ByUser"};
      scope.add(FieldError::not_supported(scope.at(".distinguisherMethod.type"),
                                          Value::object({{"Type", Value::string(type)}}),
                                          supported));
    }
  }
  const std::string_view level = scope["priorityLevelConfiguration"]["name"].string_or("");
  if (level.empty()) {
    scope.required(".priorityLevelConfiguration.name", "must reference a priority level");
  } else {
    scope.format(".priorityLevelConfiguration.name", level, Format::dns_subdomain);
  }
  const View rules = scope["rules"];
  for (std::size_t i = 0; i < rules.size(); ++i) {
    check_rule(scope, fmt::format(".rules[{}]", i), rules[i]);
  }
  if (!is_fixed(fixed_schemas, name, scope.value())) {
    scope.invalid_printed("", printed_flow_schema(scope.value()),
                          fmt::format("spec of '{}' must equal the fixed value", name));
  }
}

void check_shares(CheckScope& scope, const std::string& place, View level) {
  if (level["nominalConcurrencyShares"].integer_or(0) < 0) {
    scope.invalid(place + ".nominalConcurrencyShares", level["nominalConcurrencyShares"],
                  "must be a non-negative integer");
  }
  const std::int64_t lendable = level["lendablePercent"].integer_or(0);
  if (lendable < 0 || lendable > percent_max) {
    scope.invalid(place + ".lendablePercent", level["lendablePercent"],
                  "must be between 0 and 100, inclusive");
  }
}

// How many bits of chance it takes to deal a hand of queues.
double entropy_bits(std::int64_t deck, std::int64_t hand) {
  double choices = 1;
  for (std::int64_t i = 0; i < hand; ++i) choices *= static_cast<double>(deck - i);
  return std::ceil(std::log2(choices));
}

void check_queuing(CheckScope& scope, const std::string& place, View queuing) {
  if (queuing["queueLengthLimit"].integer_or(0) <= 0) {
    scope.invalid(place + ".queueLengthLimit", queuing["queueLengthLimit"], "must be positive");
  }
  const std::int64_t queues = queuing["queues"].integer_or(0);
  const std::int64_t hand = queuing["handSize"].integer_or(0);
  if (queues <= 0) {
    scope.invalid(place + ".queues", queuing["queues"], "must be positive");
  } else if (queues > queues_max) {
    scope.invalid(place + ".queues", queuing["queues"],
                  fmt::format("must not be greater than {}", queues_max));
  }
  if (hand <= 0) {
    scope.invalid(place + ".handSize", queuing["handSize"], "must be positive");
  } else if (hand > queues) {
    scope.invalid(place + ".handSize", queuing["handSize"],
                  fmt::format("should not be greater than queues ({})", queues));
  } else if (entropy_bits(queues, hand) > entropy_bits_max) {
    scope.invalid(place + ".handSize", queuing["handSize"],
                  fmt::format("required entropy bits of deckSize {} and handSize {} should not be "
                              "greater than {}",
                              queues, hand, entropy_bits_max));
  }
}

void check_limit_response(CheckScope& scope, const std::string& place, View response) {
  const std::string_view type = response["type"].string_or("");
  const View queuing = response["queuing"];
  if (type.empty()) return scope.required(place + ".type");
  if (type == "Reject") {
    if (!queuing) return;
    return scope.forbidden(place + ".queuing",
                           "must be nil if limited.limitResponse.type is not Limited");
  }
  if (type != "Queue") return scope.not_supported(place + ".type", type, {"Queue", "Reject"});
  if (!queuing) {
    return scope.required(place + ".queuing",
                          "must not be empty if limited.limitResponse.type is Limited");
  }
  check_queuing(scope, place + ".queuing", queuing);
}

void check_limited(CheckScope& scope, View limited) {
  check_shares(scope, ".limited", limited);
  if (limited["borrowingLimitPercent"].integer_or(0) < 0) {
    scope.invalid(".limited.borrowingLimitPercent", limited["borrowingLimitPercent"],
                  "if specified, must be a non-negative integer");
  }
  check_limit_response(scope, ".limited.limitResponse", limited["limitResponse"]);
}

std::string printed_level(View spec) {
  const auto shares = [](View level) { return printed(level["nominalConcurrencyShares"]); };
  const View limited = spec["limited"];
  const View response = limited["limitResponse"];
  const View queuing = response["queuing"];
  const View exempt = spec["exempt"];
  const std::string queues =
      queuing ? fmt::format(R"({{"Queues":{},"HandSize":{},"QueueLengthLimit":{}}})",
                            printed(queuing["queues"]), printed(queuing["handSize"]),
                            printed(queuing["queueLengthLimit"]))
              : "null";
  const std::string limits =
      limited ? fmt::format(R"({{"NominalConcurrencyShares":{},"LimitResponse":{{"Type":{},)"
                            R"("Queuing":{}}},"LendablePercent":{},"BorrowingLimitPercent":{}}})",
                            shares(limited), printed(response["type"]), queues,
                            printed(limited["lendablePercent"]),
                            printed(limited["borrowingLimitPercent"]))
              : "null";
  const std::string exemption =
      exempt ? fmt::format(R"({{"NominalConcurrencyShares":{},"LendablePercent":{}}})",
                           shares(exempt), printed(exempt["lendablePercent"]))
             : "null";
  return fmt::format(R"({{"Type":{},"Limited":{},"Exempt":{}}})", printed(spec["type"]), limits,
                     exemption);
}

bool is_fixed_level(std::string_view name, View spec) {
  if (name != "exempt") return is_fixed(fixed_levels, name, spec);
  return spec["type"].string_or("") == "Exempt" && !spec["limited"];
}

void check_level_type(CheckScope& scope, std::string_view name) {
  const std::string_view type = scope.text("type");
  const View limited = scope["limited"];
  if ((type == "Exempt") != (name == "exempt") && (type == "Exempt" || type == "Limited")) {
    scope.invalid(".type", type, "must be 'Exempt' if and only if `name` is 'exempt'");
  }
  if (type.empty()) return scope.required(".type");
  if (type == "Exempt") {
    if (limited) scope.forbidden(".limited", "must be nil if the type is not Limited");
    check_shares(scope, ".exempt", scope["exempt"]);
  } else if (type == "Limited") {
    if (scope["exempt"]) scope.forbidden(".exempt", "must be nil if the type is Limited");
    if (!limited) return scope.required(".limited", "must not be empty when type is Limited");
    check_limited(scope, limited);
  } else {
    scope.not_supported(".type", type, {"Exempt", "Limited"});
  }
}

void check_priority_level(CheckScope& scope) {
  const std::string_view name = name_of_root(scope);
  check_level_type(scope, name);
  if (is_fixed_level(name, scope.value())) return;
  scope.invalid_printed("", printed_level(scope.value()),
                        fmt::format("spec of '{}' {}must equal the fixed value", name,
                                    name == "exempt" ? "except the 'spec.exempt' field " : ""));
}

constexpr NamedCheck checks[] = {
    {"flow-schema", check_flow_schema},
    {"priority-level", check_priority_level},
};

}  // namespace

std::span<const NamedCheck> flow_checks() {
  return checks;
}

}  // namespace muster::objects
