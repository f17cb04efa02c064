// SPDX-License-Identifier: Apache-2.0
// Secrets, ConfigMaps and RBAC.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/base64.h"
#include "objects/json.h"
#include "objects/label_selector.h"
#include "objects/schema/checks.h"

namespace muster::objects {

namespace {

// What a ConfigMap or a Secret may hold.
constexpr std::size_t stored_data_bytes_max = std::size_t{1024} * 1024;

constexpr std::string_view rbac_group = "rbac.authorization.k8s.io";

// Secrets and ConfigMaps.

std::string decoded(View bytes) {
  auto text = base64_decode(bytes.string_or(""));
  return text ? std::move(text).take() : std::string();
}

std::string key_place(std::string_view field, std::string_view key) {
  return fmt::format(".{}[{}]", field, key);
}

void require_key(CheckScope& scope, std::string_view key) {
  if (!scope["data"][key]) scope.required(key_place("data", key));
}

// What Go's decoder says of a text that should be an object.
std::optional<std::string> go_map_refusal(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "unexpected end of JSON input";
  const auto parsed = parse_json(text);
  if (parsed) {
    const View found = *parsed;
    if (found.is_object() || found.is_null()) return std::nullopt;
    const std::string_view kind = found.is_array()     ? "array"
                                  : found.is_string()  ? "string"
                                  : found.is_boolean() ? "bool"
                                                       : "number";
    return fmt::format("json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                       kind);
  }
  const char start = text[first];
  constexpr std::string_view starts = "{[\"-0123456789tfn";
  if (starts.find(start) == std::string_view::npos) {
    return fmt::format("invalid character '{}' looking for beginning of value", start);
  }
  return "unexpected end of JSON input";
}

void check_json_key(CheckScope& scope, std::string_view key) {
  const View bytes = scope["data"][key];
  if (!bytes) return scope.required(key_place("data", key));
  if (auto refusal = go_map_refusal(decoded(bytes))) {
    scope.invalid(key_place("data", key), "<secret contents redacted>", std::move(*refusal));
  }
}

void check_secret_type(CheckScope& scope) {
  const std::string_view type = scope.text("type");
  if (type == "kubernetes.io/service-account-token") {
    constexpr std::string_view name = "kubernetes.io/service-account.name";
    if (scope["metadata"]["annotations"][name].string_or("").empty()) {
      scope.required(fmt::format(".metadata.annotations[{}]", name));
    }
  } else if (type == "kubernetes.io/dockercfg") {
    check_json_key(scope, ".dockercfg");
  } else if (type == "kubernetes.io/dockerconfigjson") {
    check_json_key(scope, ".dockerconfigjson");
  } else if (type == "kubernetes.io/basic-auth") {
    if (scope["data"]["username"] || scope["data"]["password"]) return;
    scope.required(key_place("data", "username"));
    scope.required(key_place("data", "password"));
  } else if (type == "kubernetes.io/ssh-auth") {
    if (scope["data"]["ssh-privatekey"].string_or("").empty()) {
      scope.required(key_place("data", "ssh-privatekey"));
    }
  } else if (type == "kubernetes.io/tls") {
    require_key(scope, "tls.crt");
    require_key(scope, "tls.key");
  }
}

std::size_t decoded_size(View bytes) {
  const std::string_view text = bytes.string_or("");
  const std::size_t padding = text.size() - std::min(text.find('='), text.size());
  return text.size() / 4 * 3 - std::min(padding, text.size() / 4 * 3);
}

void check_secret(CheckScope& scope) {
  std::size_t bytes = 0;
  for (MemberView entry : scope["data"].members()) bytes += decoded_size(entry.value);
  if (bytes > stored_data_bytes_max) scope.too_long(".data", stored_data_bytes_max);
  check_secret_type(scope);
}

void check_config_map(CheckScope& scope) {
  std::size_t bytes = 0;
  for (MemberView entry : scope["data"].members()) {
    bytes += entry.value.string_or("").size();
    if (scope["binaryData"][entry.key]) {
      scope.invalid(key_place("data", entry.key), entry.key,
                    "duplicate of key present in binaryData");
    }
  }
  for (MemberView entry : scope["binaryData"].members()) bytes += decoded_size(entry.value);
  if (bytes > stored_data_bytes_max) scope.too_long("[]", stored_data_bytes_max);
}

// RBAC.

void check_policy_rule(CheckScope& scope) {
  if (scope["verbs"].empty()) {
    scope.required(".verbs", "verbs must contain at least one value");
  }
  const View paths = scope["nonResourceURLs"];
  if (!paths.empty()) {
    const bool is_namespaced = !scope.root()["metadata"]["namespace"].string_or("").empty();
    if (is_namespaced) {
      scope.invalid(".nonResourceURLs", paths,
                    "namespaced rules cannot apply to non-resource URLs");
    }
    if (!scope["apiGroups"].empty() || !scope["resources"].empty() ||
        !scope["resourceNames"].empty()) {
      scope.invalid(".nonResourceURLs", paths,
                    "rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  if (scope["apiGroups"].empty()) {
    scope.required(".apiGroups", "resource rules must supply at least one api group");
  }
  if (scope["resources"].empty()) {
    scope.required(".resources", "resource rules must supply at least one resource");
  }
}

void check_aggregation_rule(CheckScope& scope) {
  if (scope["clusterRoleSelectors"].empty()) {
    scope.required(".clusterRoleSelectors",
                   "at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  std::size_t index = 0;
  for (View selector : scope["clusterRoleSelectors"].elements()) {
    const std::string place = fmt::format(".clusterRoleSelectors[{}]", index++);
    if (!LabelSelector::of(selector)) {
      scope.invalid_printed(place, "null", "invalid label selector.");
    }
  }
}

std::string printed_role_ref(View role) {
  return fmt::format(R"({{"APIGroup":{},"Kind":{},"Name":{}}})",
                     go_quoted(role["apiGroup"].string_or("")),
                     go_quoted(role["kind"].string_or("")), go_quoted(role["name"].string_or("")));
}

// On the binding: what it refers to, and that this never changes.
void check_role_binding(CheckScope& scope) {
  const View role = scope["roleRef"];
  const bool is_namespaced = !scope["metadata"]["namespace"].string_or("").empty();
  const std::string_view group = role["apiGroup"].string_or("");
  if (group != rbac_group) scope.not_supported(".roleRef.apiGroup", group, {rbac_group});
  const std::string_view kind = role["kind"].string_or("");
  if (is_namespaced && kind != "Role" && kind != "ClusterRole") {
    scope.not_supported(".roleRef.kind", kind, {"Role", "ClusterRole"});
  } else if (!is_namespaced && kind != "ClusterRole") {
    scope.not_supported(".roleRef.kind", kind, {"ClusterRole"});
  }
  const std::string_view name = role["name"].string_or("");
  if (name.empty()) {
    scope.required(".roleRef.name");
  } else {
    scope.format(".roleRef.name", name, Format::path_segment);
  }
}

void check_role_ref_update(CheckScope& scope) {
  if (scope.is_create() || scope["roleRef"] == scope.old_value()["roleRef"]) return;
  scope.add_change({FieldError::Type::invalid, scope.at(".roleRef"),
                    printed_role_ref(scope["roleRef"]), "cannot change roleRef"});
}

void check_subject(CheckScope& scope) {
  const std::string_view name = scope.text("name");
  const std::string_view kind = scope.text("kind");
  const std::string_view group = scope.text("apiGroup");
  if (name.empty()) scope.required(".name");
  if (kind == "ServiceAccount") {
    if (!name.empty()) scope.format(".name", name, Format::dns_subdomain);
    if (!group.empty()) scope.not_supported(".apiGroup", group, {""});
    const bool is_namespaced = !scope.root()["metadata"]["namespace"].string_or("").empty();
    if (!is_namespaced && scope.text("namespace").empty()) scope.required(".namespace");
  } else if (kind == "User" || kind == "Group") {
    if (group != rbac_group) scope.not_supported(".apiGroup", group, {rbac_group});
  } else {
    scope.not_supported(".kind", kind, {"ServiceAccount", "User", "Group"});
  }
}

constexpr NamedCheck checks[] = {
    {"aggregation-rule", check_aggregation_rule},
    {"config-map", check_config_map},
    {"policy-rule", check_policy_rule},
    {"role-binding", check_role_binding},
    {"role-ref-update", check_role_ref_update},
    {"secret", check_secret},
    {"subject", check_subject},
};

}  // namespace

std::span<const NamedCheck> access_checks() {
  return checks;
}

}  // namespace muster::objects
