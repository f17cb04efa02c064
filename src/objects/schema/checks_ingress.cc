// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "objects/schema/checks.h"

namespace muster::objects {

namespace {

void check_backend(CheckScope& scope, const std::string& place, View backend) {
  const View service = backend["service"];
  if (service && backend["resource"]) {
    return scope.invalid(place, "", "cannot set both resource and service backends");
  }
  if (!service && !backend["resource"]) {
    return scope.invalid(place, "", "resource or service backend is required");
  }
  if (!service) return;
  const std::string_view name = service["name"].string_or("");
  if (name.empty()) {
    scope.required(place + ".service.name");
  } else {
    scope.format(place + ".service.name", name, Format::dns_label);
  }
  const std::string_view port_name = service["port"]["name"].string_or("");
  const std::int64_t port = service["port"]["number"].integer_or(0);
  if (!port_name.empty() && port != 0) {
    scope.invalid(place, "", "cannot set both port name & port number");
  } else if (port_name.empty() && port == 0) {
    scope.required(place, "port name or number is required");
  } else if (port_name.empty() && (port < 1 || port > 65'535)) {
    scope.invalid(place + ".service.port.number", service["port"]["number"],
                  "must be between 1 and 65535, inclusive");
  } else if (!port_name.empty()) {
    scope.format(place + ".service.port.name", port_name, Format::port_name);
  }
}

void check_host(CheckScope& scope, const std::string& place, std::string_view host) {
  if (has_format(Format::ipv4, host) || has_format(Format::ipv6, host)) {
    return scope.invalid(place, host, "must be a DNS name, not an IP address");
  }
  if (host.find('*') == std::string_view::npos) {
    return scope.format(place, host, Format::dns_subdomain);
  }
  const bool is_wild =
      host.starts_with("*.") && native_violations(Format::dns_subdomain, host.substr(2)).empty();
  if (is_wild) return;
  scope.invalid(place, host,
                "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS "
                "subdomain, which must consist of lower case alphanumeric characters, '-' or '.' "
                "and end with an alphanumeric character (e.g. '*.example.com', regex used for "
                "validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9]"
                ")?)*')");
}

void check_path(CheckScope& scope, const std::string& place, View path) {
  const std::string_view type = path["pathType"].string_or("");
  const std::string_view text = path["path"].string_or("");
  if (!path["pathType"]) return scope.required(place + ".pathType", "pathType must be specified");
  if (type == "Exact" || type == "Prefix") {
    if (!text.starts_with('/')) {
      scope.invalid(place + ".path", text, "must be an absolute path");
    }
    for (const std::string_view bad : {"//", "/./", "/../", "%2f", "%2F"}) {
      if (text.find(bad) == std::string_view::npos) continue;
      scope.invalid(place + ".path", text, fmt::format("must not contain '{}'", bad));
    }
    for (const std::string_view bad : {"/..", "/."}) {
      if (!text.ends_with(bad)) continue;
      scope.invalid(place + ".path", text, fmt::format("cannot end with '{}'", bad));
    }
  } else if (type == "ImplementationSpecific") {
    if (!text.empty() && !text.starts_with('/')) {
      scope.invalid(place + ".path", text, "must be an absolute path");
    }
  } else {
    scope.not_supported(place + ".pathType", type, {"Exact", "ImplementationSpecific", "Prefix"});
  }
  check_backend(scope, place + ".backend", path["backend"]);
}

void check_rules(CheckScope& scope) {
  std::size_t index = 0;
  for (View rule : scope["rules"].elements()) {
    const std::string place = fmt::format(".rules[{}]", index++);
    const std::string_view host = rule["host"].string_or("");
    if (!host.empty()) check_host(scope, place + ".host", host);
    if (!rule["http"]) continue;
    if (rule["http"]["paths"].empty()) scope.required(place + ".http.paths");
    std::size_t of_rule = 0;
    for (View path : rule["http"]["paths"].elements()) {
      check_path(scope, fmt::format("{}.http.paths[{}]", place, of_rule++), path);
    }
  }
}

void check_ingress(CheckScope& scope) {
  if (!scope["defaultBackend"] && scope["rules"].empty()) {
    scope.invalid_printed("", "null", "either `defaultBackend` or `rules` must be specified");
  }
  if (scope["defaultBackend"]) check_backend(scope, ".defaultBackend", scope["defaultBackend"]);
  check_rules(scope);
  std::size_t index = 0;
  for (View tls : scope["tls"].elements()) {
    const std::string place = fmt::format(".tls[{}]", index++);
    std::size_t of_tls = 0;
    for (View host : tls["hosts"].elements()) {
      check_host(scope, fmt::format("{}.hosts[{}]", place, of_tls++), host.string_or(""));
    }
    const std::string_view secret = tls["secretName"].string_or("");
    if (!secret.empty()) scope.format(place + ".secretName", secret, Format::dns_subdomain);
  }
  if (const View name = scope["ingressClassName"]) {
    scope.format(".ingressClassName", name.string_or(""), Format::dns_subdomain);
  }
}

void check_ingress_class(CheckScope& scope) {
  const std::string_view controller = scope.text("controller");
  if (controller.empty()) {
    scope.required(".controller");
  } else if (controller.find('/') == std::string_view::npos || controller.ends_with('/') ||
             controller.starts_with('/')) {
    scope.invalid(".controller", controller,
                  R"(must be a domain-prefixed path (such as "acme.io/foo"))");
  }
  const View parameters = scope["parameters"];
  if (!parameters) return;
  for (const std::string_view key : {"kind", "name"}) {
    if (parameters[key].string_or("").empty()) {
      scope.required(fmt::format(".parameters.{}", key));
    }
  }
  const std::string_view reach = parameters["scope"].string_or("");
  if (reach != "Cluster" && reach != "Namespace") {
    scope.not_supported(".parameters.scope", reach, {"Cluster", "Namespace"});
  } else if (reach == "Namespace" && parameters["namespace"].string_or("").empty()) {
    scope.required(".parameters.namespace", "`parameters.scope` is set to 'Namespace'");
  } else if (reach == "Cluster" && parameters["namespace"]) {
    scope.forbidden(".parameters.namespace", "`parameters.scope` is set to 'Cluster'");
  }
}

constexpr NamedCheck checks[] = {
    {"ingress", check_ingress},
    {"ingress-class", check_ingress_class},
};

}  // namespace

std::span<const NamedCheck> ingress_checks() {
  return checks;
}

}  // namespace muster::objects
