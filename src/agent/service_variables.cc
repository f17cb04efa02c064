// SPDX-License-Identifier: Apache-2.0
#include "agent/service_variables.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "objects/metadata.h"

namespace muster::agent {

using objects::Value;
using objects::View;

namespace {

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return out;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}

bool is_served(View service) {
  const std::string_view address = service["spec"]["clusterIP"].string_or("");
  return !address.empty() && address != "None" && !service["spec"]["ports"].empty();
}

void add(View service, Environment& out) {
  if (!is_served(service)) return;
  const std::string prefix = upper(objects::name_of(service));
  const std::string address(service["spec"]["clusterIP"].string_or(""));
  const std::string host =
      address.find(':') == std::string::npos ? address : fmt::format("[{}]", address);
  out[prefix + "_SERVICE_HOST"] = address;
  bool is_first = true;
  for (View each : service["spec"]["ports"].elements()) {
    const std::string port = fmt::to_string(each["port"].integer_or(0));
    const std::string_view protocol = each["protocol"].string_or("TCP");
    const std::string url = fmt::format("{}://{}:{}", lower(protocol), host, port);
    if (is_first) {
      out[prefix + "_SERVICE_PORT"] = port;
      out[prefix + "_PORT"] = url;
      is_first = false;
    }
    const std::string_view name = each["name"].string_or("");
    if (!name.empty()) out[fmt::format("{}_SERVICE_PORT_{}", prefix, upper(name))] = port;
    const std::string link = fmt::format("{}_PORT_{}_{}", prefix, port, upper(protocol));
    out[link] = url;
    out[link + "_PROTO"] = lower(protocol);
    out[link + "_PORT"] = port;
    out[link + "_ADDR"] = address;
  }
}

}  // namespace

Environment service_variables(View pod, std::span<const Value> services, View kubernetes) {
  Environment out;
  add(kubernetes, out);
  if (!pod["spec"]["enableServiceLinks"].boolean_or(true)) return out;
  for (const Value& service : services) add(service, out);
  return out;
}

}  // namespace muster::agent
