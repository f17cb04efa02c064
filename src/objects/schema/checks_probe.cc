// SPDX-License-Identifier: Apache-2.0
// Probes and hooks of containers.
#include <fmt/format.h>

#include <string>

#include "objects/schema/checks_pod.h"

namespace muster::objects {

namespace {

bool is_header_name(std::string_view name) {
  for (const char c : name) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!fits && c != '-') return false;
  }
  return !name.empty();
}

void check_http(CheckScope& scope, const std::string& place, View action) {
  if (action["path"].string_or("").empty()) scope.required(place + ".path");
  for (View header : action["httpHeaders"].elements()) {
    const std::string_view name = header["name"].string_or("");
    if (is_header_name(name)) continue;
    scope.invalid(place + ".httpHeaders", name,
                  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. "
                  "'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')");
  }
}

// A port that is absent is number nothing; other mistakes are told by the schema.
void check_port(CheckScope& scope, const std::string& place, View port) {
  if (!port || port.is_null()) {
    scope.invalid_printed(place, "0", "must be between 1 and 65535, inclusive");
  } else if (port.is_string() && port.string_or("").empty()) {
    scope.invalid(place, port,
                  "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    scope.invalid(place, port, "must contain at least one letter (a-z)");
  }
}

// One way to ask, and no more. The peer looks at them in this order.
void check_handler(const ContainerPlace& here, const std::string& place, View handler) {
  std::size_t count = 0;
  for (const std::string_view kind : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    const View action = handler[kind];
    if (!action) continue;
    if (++count > 1) {
      here.scope.forbidden(fmt::format("{}.{}", place, kind),
                           "may not specify more than 1 handler type");
    } else if (kind == "httpGet") {
      check_http(here.scope, place + ".httpGet", action);
      check_port(here.scope, place + ".httpGet.port", action["port"]);
    } else if (kind == "tcpSocket") {
      check_port(here.scope, place + ".tcpSocket.port", action["port"]);
    } else if (kind == "sleep") {
      const View seconds = action["seconds"];
      const std::int64_t grace = here.spec()["terminationGracePeriodSeconds"].integer_or(30);
      if (seconds.integer_or(0) < 0 || seconds.integer_or(0) > grace) {
        here.scope.invalid(
            place + ".sleep", seconds,
            fmt::format("must be non-negative and less than terminationGracePeriodSeconds ({})",
                        grace));
      }
    }
  }
  if (count == 0) here.scope.required(place, "must specify a handler type");
}

void check_one_success(const ContainerPlace& here, const std::string& place, View probe) {
  const View threshold = probe["successThreshold"];
  if (threshold.integer_or(1) == 1) return;
  add_late(here.scope,
           FieldError::invalid(here.scope.at(place + ".successThreshold"), threshold, "must be 1"));
}

}  // namespace

void check_probes(const ContainerPlace& here) {
  const bool stays = here.kind == ContainerKind::regular ||
                     here.container["restartPolicy"].string_or("") == "Always";
  if (!stays || here.kind == ContainerKind::ephemeral) return;
  for (const std::string_view hook : {"postStart", "preStop"}) {
    const View handler = here.container["lifecycle"][hook];
    if (handler) check_handler(here, here.at(fmt::format(".lifecycle.{}", hook)), handler);
  }
  for (const std::string_view kind : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    const View probe = here.container[kind];
    if (!probe) continue;
    const std::string place = here.at(fmt::format(".{}", kind));
    check_handler(here, place, probe);
    if (kind != "readinessProbe") {
      check_one_success(here, place, probe);
    } else if (probe["terminationGracePeriodSeconds"]) {
      here.scope.invalid(place + ".terminationGracePeriodSeconds",
                         probe["terminationGracePeriodSeconds"],
                         "must not be set for readinessProbes");
    }
  }
}

}  // namespace muster::objects
