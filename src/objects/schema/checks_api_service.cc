// SPDX-License-Identifier: Apache-2.0
// Groups that somebody else serves.
#include <fmt/format.h>

#include <string>

#include "objects/schema/checks.h"

namespace muster::objects {

namespace {

constexpr std::int64_t group_priority_max = 20'000;
constexpr std::int64_t version_priority_max = 1'000;
constexpr std::int64_t port_max = 65'535;

void check_priority(CheckScope& scope, std::string_view field, std::int64_t most) {
  const std::int64_t priority = scope[field].integer_or(0);
  if (priority > 0 && priority <= most) return;
  const Value said = Value::integer(priority);
  scope.invalid(fmt::format(".{}", field), said,
                fmt::format("must be positive and less than {}", most));
}

void check_group_and_version(CheckScope& scope) {
  const std::string_view group = scope.text("group");
  const std::string_view version = scope.text("version");
  if (group.empty() && version != "v1") {
    scope.required(".group", "only v1 may have an empty group and it better be legacy kube");
  }
  if (!group.empty()) scope.format(".group", group, Format::dns_subdomain);
  scope.format(".version", version, Format::dns1035_label);
}

// Without a service the group is this server's own.
void check_own_group(CheckScope& scope) {
  if (const std::string_view bundle = scope.text("caBundle"); !bundle.empty()) {
    const std::size_t padding = bundle.ends_with("==") ? 2 : bundle.ends_with('=') ? 1 : 0;
    scope.invalid(".caBundle", fmt::format("{} bytes", bundle.size() / 4 * 3 - padding),
                  "local APIServices may not have a caBundle");
  }
  if (scope["insecureSkipTLSVerify"].boolean_or(false)) {
    scope.invalid(".insecureSkipTLSVerify", scope["insecureSkipTLSVerify"],
                  "local APIServices may not have insecureSkipTLSVerify");
  }
}

void check_served_elsewhere(CheckScope& scope, View service) {
  if (service["namespace"].string_or("").empty()) scope.required(".service.namespace");
  if (service["name"].string_or("").empty()) scope.required(".service.name");
  const std::int64_t port = service["port"].integer_or(1);
  if (port < 1 || port > port_max) {
    scope.invalid(".service.port", service["port"],
                  "port is not valid: must be between 1 and 65535, inclusive");
  }
  if (scope["insecureSkipTLSVerify"].boolean_or(false) && !scope.text("caBundle").empty()) {
    scope.invalid(".insecureSkipTLSVerify", scope["insecureSkipTLSVerify"],
                  "may not be true if caBundle is present");
  }
}

void check_api_service(CheckScope& scope) {
  const std::string wanted = fmt::format("{}.{}", scope.text("version"), scope.text("group"));
  const View name = scope.root()["metadata"]["name"];
  if (name.string_or("") != wanted) {
    scope.add(FieldError::invalid(
        "metadata.name", name,
        fmt::format(R"(must be `spec.version+"."+spec.group`: {})", go_quoted(wanted))));
  }
  check_group_and_version(scope);
  check_priority(scope, "groupPriorityMinimum", group_priority_max);
  check_priority(scope, "versionPriority", version_priority_max);
  const View service = scope["service"];
  if (service) return check_served_elsewhere(scope, service);
  check_own_group(scope);
}

constexpr NamedCheck checks[] = {{"api-service", check_api_service}};

}  // namespace

std::span<const NamedCheck> api_service_checks() {
  return checks;
}

}  // namespace muster::objects
