// SPDX-License-Identifier: Apache-2.0
// Where pods want to be, and what nodes say of themselves.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "objects/schema/checks_pod.h"

namespace muster::objects {

namespace {

// Labels of nodes.

void check_node_requirement(CheckScope& scope, const std::string& place, View requirement) {
  const std::string_view operation = requirement["operator"].string_or("");
  const View values = requirement["values"];
  if (operation == "In" || operation == "NotIn") {
    if (values.empty()) {
      scope.required(place + ".values", "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (operation == "Exists" || operation == "DoesNotExist") {
    if (!values.empty()) {
      scope.forbidden(place + ".values",
                      "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (operation == "Gt" || operation == "Lt") {
    if (values.size() != 1) {
      scope.required(place + ".values",
                     "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    scope.invalid(place + ".operator", operation, "not a valid selector operator");
  }
  scope.format(place + ".key", requirement["key"].string_or(""), Format::qualified_name);
  if (operation == "Gt" || operation == "Lt") return;
  std::size_t index = 0;
  for (View value : values.elements()) {
    const std::string at = fmt::format("{}.values[{}]", place, index++);
    for (std::string& why : label_value_violations(value.string_or(""))) {
      scope.invalid(at, value, std::move(why));
    }
  }
}

// Only the name of a node can be asked for as a field.
void check_field_requirement(CheckScope& scope, const std::string& place, View requirement) {
  const std::string_view operation = requirement["operator"].string_or("");
  const View values = requirement["values"];
  if (operation == "In" || operation == "NotIn") {
    if (values.size() != 1) {
      scope.required(place + ".values",
                     "must be only one value when `operator` is 'In' or 'NotIn' for node field "
                     "selector");
    }
  } else {
    scope.invalid(place + ".operator", operation, "not a valid selector operator");
  }
  const std::string_view key = requirement["key"].string_or("");
  if (key != "metadata.name") {
    scope.invalid(place + ".key", key, "not a valid field selector key");
    return;
  }
  if (values.size() != 1) return;
  scope.format(place + ".values[0]", values[0].string_or(""), Format::dns_subdomain);
}

void check_node_term(CheckScope& scope) {
  std::size_t index = 0;
  for (View each : scope["matchExpressions"].elements()) {
    check_node_requirement(scope, fmt::format(".matchExpressions[{}]", index++), each);
  }
  index = 0;
  for (View each : scope["matchFields"].elements()) {
    check_field_requirement(scope, fmt::format(".matchFields[{}]", index++), each);
  }
}

// A key that is not empty is checked by the schema.
void check_label_requirement(CheckScope& scope) {
  if (scope.text("key").empty()) scope.format(".key", "", Format::qualified_name);
}

void check_node_selector(CheckScope& scope) {
  if (scope["nodeSelectorTerms"].empty()) {
    scope.required(".nodeSelectorTerms", "must have at least one node selector term");
  }
}

// Other pods.

bool contains(View list, std::string_view text) {
  for (View each : list.elements()) {
    if (each.string_or("") == text) return true;
  }
  return false;
}

void check_label_keys(CheckScope& scope, std::string_view list) {
  const View keys = scope[list];
  if (keys.empty()) return;
  if (!scope["labelSelector"]) {
    scope.forbidden(fmt::format(".{}", list),
                    "must not be specified when labelSelector is not set");
    return;
  }
  std::size_t index = 0;
  for (View key : keys.elements()) {
    scope.format(fmt::format(".{}[{}]", list, index++), key.string_or(""), Format::qualified_name);
  }
}

void check_affinity_term(CheckScope& scope) {
  std::size_t index = 0;
  for (View name : scope["namespaces"].elements()) {
    scope.format(".namespace", name.string_or(""), Format::dns_label);
  }
  check_label_keys(scope, "matchLabelKeys");
  check_label_keys(scope, "mismatchLabelKeys");
  for (View key : scope["matchLabelKeys"].elements()) {
    const std::string place = fmt::format(".matchLabelKeys[{}]", index++);
    if (contains(scope["mismatchLabelKeys"], key.string_or(""))) {
      scope.invalid(place, key, "exists in both matchLabelKeys and mismatchLabelKeys");
    }
  }
  const std::string_view topology = scope.text("topologyKey");
  if (topology.empty()) scope.required(".topologyKey", "can not be empty");
  scope.format(".topologyKey", topology, Format::qualified_name);
}

void check_spread(CheckScope& scope) {
  if (scope.text("topologyKey").empty()) scope.required(".topologyKey", "can not be empty");
  const std::string_view when = scope.text("whenUnsatisfiable");
  if (when != "DoNotSchedule" && when != "ScheduleAnyway") {
    scope.not_supported(".whenUnsatisfiable", when, {"DoNotSchedule", "ScheduleAnyway"});
  }
  const View domains = scope["minDomains"];
  if (domains && domains.integer_or(1) <= 0) {
    scope.invalid(".minDomains", domains, "must be greater than zero");
  }
  if (domains && when != "DoNotSchedule") {
    scope.invalid(
        ".minDomains", domains,
        fmt::format("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}", when));
  }
  check_label_keys(scope, "matchLabelKeys");
}

// Nodes.

std::string printed_taint(View taint) {
  return fmt::format(R"({{"Key":{},"Value":{},"Effect":{},"TimeAdded":{}}})",
                     go_quoted(taint["key"].string_or("")), go_quoted(taint["value"].string_or("")),
                     go_quoted(taint["effect"].string_or("")),
                     taint["timeAdded"] ? go_printed(taint["timeAdded"]) : std::string("null"));
}

void check_taints(CheckScope& scope) {
  std::set<std::pair<std::string_view, std::string_view>> known;
  std::size_t index = 0;
  for (View taint : scope["spec"]["taints"].elements()) {
    const std::string place = fmt::format(".metadata.taints[{}]", index++);
    const std::string_view key = taint["key"].string_or("");
    const std::string_view effect = taint["effect"].string_or("");
    scope.format(place + ".key", key, Format::qualified_name);
    const auto sentences = label_value_violations(taint["value"].string_or(""));
    if (!sentences.empty()) {
      scope.invalid(place + ".value", taint["value"], fmt::format("{}", fmt::join(sentences, ";")));
    }
    if (effect.empty()) {
      scope.required(place + ".effect");
    } else if (effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute") {
      scope.not_supported(place + ".effect", effect,
                          {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    }
    if (!known.emplace(key, effect).second) {
      scope.add({FieldError::Type::duplicate, scope.at(place), printed_taint(taint),
                 "taints must be unique by key and effect pair"});
    }
  }
}

// Of a node either list is what the other says.
std::vector<std::string_view> blocks_of(View spec) {
  std::vector<std::string_view> blocks;
  for (View each : spec["podCIDRs"].elements()) blocks.push_back(each.string_or(""));
  const std::string_view first = spec["podCIDR"].string_or("");
  if (!first.empty() && (blocks.empty() || blocks.front() != first)) blocks = {first};
  return blocks;
}

void check_blocks(CheckScope& scope) {
  const auto blocks = blocks_of(scope["spec"]);
  std::size_t index = 0;
  int of_four = 0;
  int of_six = 0;
  bool all_well = true;
  for (const std::string_view block : blocks) {
    const std::string place = fmt::format(".spec.podCIDRs[{}]", index++);
    ++(block.find(':') == std::string_view::npos ? of_four : of_six);
    if (has_format(Format::cidr, block)) continue;
    all_well = false;
    scope.invalid(place, block, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
  }
  if (all_well && (of_four > 1 || of_six > 1)) {
    scope.invalid(".spec.podCIDRs", scope["spec"]["podCIDRs"],
                  "may specify no more than one CIDR for each IP family");
  }
  if (scope.is_create()) return;
  const auto before = blocks_of(scope.old_value()["spec"]);
  if (!before.empty() && before != blocks) {
    scope.forbidden(".spec.podCIDRs",
                    "node updates may not change podCIDR except from \"\" to valid");
  }
  const std::string_view provider = scope.old_value()["spec"]["providerID"].string_or("");
  if (!provider.empty() && scope["spec"]["providerID"].string_or("") != provider) {
    scope.forbidden(".spec.providerID",
                    "node updates may not change providerID except from \"\" to valid");
  }
}

void check_amounts(CheckScope& scope, std::string_view list) {
  for (MemberView entry : scope["status"][list].members()) {
    const auto amount = Quantity::parse_field(entry.value.string_or(""));
    if (!amount) continue;
    const std::string place = fmt::format(".status.{}.{}", list, entry.key);
    if (amount->sign() < 0) {
      scope.invalid(place, entry.value, "must be greater than or equal to 0");
    }
    const bool is_whole = entry.key.find('/') != std::string_view::npos &&
                          entry.key.find("kubernetes.io/") == std::string_view::npos;
    const auto milli = amount->milli_value();
    if (is_whole && milli && *milli % 1000 != 0) {
      scope.invalid(place, entry.value, "must be an integer");
    }
  }
}

void check_addresses(CheckScope& scope) {
  std::set<std::pair<std::string_view, std::string_view>> known;
  std::size_t index = 0;
  for (View address : scope["status"]["addresses"].elements()) {
    const std::string place = fmt::format(".status.addresses[{}]", index++);
    const std::string_view type = address["type"].string_or("");
    const std::string_view text = address["address"].string_or("");
    if (known.emplace(type, text).second) continue;
    scope.add({FieldError::Type::duplicate, scope.at(place),
               fmt::format(R"({{"Type":{},"Address":{}}})", go_quoted(type), go_quoted(text)), ""});
  }
}

void check_node(CheckScope& scope) {
  check_taints(scope);
  check_blocks(scope);
  if (scope.is_create()) return;
  check_amounts(scope, "capacity");
  check_amounts(scope, "allocatable");
  check_addresses(scope);
}

}  // namespace

std::span<const NamedCheck> placement_checks() {
  static constexpr NamedCheck checks[] = {
      {"label-selector-requirement", check_label_requirement},
      {"affinity-term", check_affinity_term},
      {"node", check_node},
      {"node-selector", check_node_selector},
      {"node-selector-term", check_node_term},
      {"spread-constraint", check_spread},
  };
  return checks;
}

}  // namespace muster::objects
