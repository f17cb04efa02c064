// SPDX-License-Identifier: Apache-2.0
// Services, endpoints, ingresses and policies of the network.
#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "objects/schema/checks.h"

namespace muster::objects {

namespace {

constexpr std::string_view ip_sentence =
    "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
constexpr std::string_view cidr_sentence =
    "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

bool is_ip(std::string_view text) {
  return has_format(Format::ipv4, text) || has_format(Format::ipv6, text);
}

// The leading bits of an IPv4 block, and how many count.
struct Block {
  std::uint32_t bits = 0;
  int length = 0;
};

Block ipv4_block(std::string_view text) {
  Block block;
  std::uint32_t part = 0;
  std::size_t i = 0;
  for (; i < text.size() && text[i] != '/'; ++i) {
    if (text[i] == '.') {
      block.bits = (block.bits << 8) | part;
      part = 0;
    } else {
      part = part * 10 + static_cast<std::uint32_t>(text[i] - '0');
    }
  }
  block.bits = (block.bits << 8) | part;
  for (++i; i < text.size(); ++i) block.length = block.length * 10 + (text[i] - '0');
  return block;
}

// Whether a block is a part of another, and not the whole; of IPv6 only the lengths are looked at.
bool is_inside(std::string_view part, std::string_view whole) {
  const bool is_ipv6 = whole.find(':') != std::string_view::npos;
  if (is_ipv6 != (part.find(':') != std::string_view::npos)) return false;
  if (is_ipv6) {
    const auto length = [](std::string_view text) { return text.substr(text.find('/') + 1); };
    return length(part).size() > length(whole).size() || length(part) > length(whole);
  }
  const Block inner = ipv4_block(part);
  const Block outer = ipv4_block(whole);
  if (inner.length <= outer.length) return false;
  if (outer.length == 0) return true;
  const int shift = 32 - outer.length;
  return (inner.bits >> shift) == (outer.bits >> shift);
}

// An address that no other machine can have.
void check_reachable(CheckScope& scope, const std::string& place, std::string_view ip) {
  if (ip.starts_with("127.") || ip == "::1") {
    scope.invalid(place, ip, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
  } else if (ip == "0.0.0.0" || ip == "::") {
    scope.invalid(place, ip, fmt::format("may not be unspecified ({})", ip));
  } else if (ip.starts_with("169.254.") || ip.starts_with("fe80:")) {
    scope.invalid(place, ip, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
}

// Services.

// A type that has no node ports any more lets go of those that it had.
bool may_let_go(CheckScope& scope, std::int64_t node_port) {
  if (scope.is_create()) return false;
  const View before = scope.old_value();
  const std::string_view type = before["type"].string_or("");
  if (type != "NodePort" && type != "LoadBalancer") return false;
  for (View port : before["ports"].elements()) {
    if (port["nodePort"].integer_or(0) == node_port) return true;
  }
  return false;
}

void check_service_ports(CheckScope& scope) {
  const View ports = scope["ports"];
  const std::string_view type = scope.text("type");
  std::set<std::string_view> names;
  std::set<std::pair<std::int64_t, std::string_view>> taken;
  std::set<std::pair<std::int64_t, std::string_view>> node_ports;
  std::size_t index = 0;
  for (View port : ports.elements()) {
    const std::string place = fmt::format(".ports[{}]", index++);
    const std::string_view name = port["name"].string_or("");
    const std::string_view protocol = port["protocol"].string_or("");
    const std::int64_t number = port["port"].integer_or(0);
    if (ports.size() > 1 && name.empty()) {
      scope.required(place + ".name");
    } else if (!name.empty() && !names.insert(name).second) {
      scope.duplicate(place + ".name", port["name"]);
    }
    if (!taken.emplace(number, protocol).second) {
      scope.add({FieldError::Type::duplicate, scope.at(place),
                 fmt::format(R"({{"Name":"","Protocol":{},"AppProtocol":null,"Port":{},)"
                             R"("TargetPort":0,"NodePort":0}})",
                             go_quoted(protocol), number),
                 ""});
    }
    if (number == 0 && !port["targetPort"]) {
      scope.invalid_printed(place + ".targetPort", "0", "must be between 1 and 65535, inclusive");
    }
    if (const View application = port["appProtocol"]; application.string_or("-").empty()) {
      scope.format(place + ".appProtocol", "", Format::qualified_name);
    }
    const std::int64_t node_port = port["nodePort"].integer_or(0);
    if (type != "ClusterIP" && node_port != 0 && !node_ports.emplace(node_port, protocol).second) {
      scope.invalid(place + ".nodePort", port["nodePort"], "provided port is already allocated");
    }
    if (type == "ClusterIP" && node_port != 0 && !may_let_go(scope, node_port)) {
      scope.forbidden(place + ".nodePort", "may not be used when `type` is 'ClusterIP'");
    }
  }
}

void check_service_addresses(CheckScope& scope) {
  const std::string_view type = scope.text("type");
  const std::string_view ip = scope.text("clusterIP");
  const View ips = scope["clusterIPs"];
  const View before = scope.old_value();
  const bool lets_go = !scope.is_create() && before["type"].string_or("") != "ExternalName" &&
                       ip == before["clusterIP"].string_or("") && ips == before["clusterIPs"];
  if (type == "ExternalName" && (!ip.empty() || !ips.empty()) && !lets_go) {
    scope.forbidden(".clusterIPs", "may not be set for ExternalName services");
  } else if (!ips.empty() && !ip.empty() && scope.is_create() && ips[0].string_or("") != ip) {
    scope.invalid(".clusterIPs", ips, "first value must match `clusterIP`");
  } else if (ip == "None" && (type == "NodePort" || type == "LoadBalancer")) {
    scope.invalid(".clusterIPs[0]", ip,
                  fmt::format("may not be set to 'None' for {} services", type));
  } else if (!ip.empty() && ip != "None" && type != "ExternalName" && !is_ip(ip)) {
    scope.invalid(".clusterIPs[0]", ip, std::string(ip_sentence));
  }
  std::size_t index = 0;
  for (View each : scope["externalIPs"].elements()) {
    check_reachable(scope, fmt::format(".externalIPs[{}]", index++), each.string_or(""));
  }
  if (type == "ExternalName" && !scope.text("externalName").empty()) {
    std::string_view name = scope.text("externalName");
    if (name.ends_with('.')) name.remove_suffix(1);
    scope.format(".externalName", name, Format::dns_subdomain);
  }
}

void check_balancer(CheckScope& scope) {
  const bool is_balancer = scope.text("type") == "LoadBalancer";
  const View ranges = scope["loadBalancerSourceRanges"];
  if (!ranges.empty() && !is_balancer) {
    scope.forbidden(".LoadBalancerSourceRanges", "may only be used when `type` is 'LoadBalancer'");
  }
  std::size_t index = 0;
  for (View range : ranges.elements()) {
    const std::string place = fmt::format(".LoadBalancerSourceRanges[{}]", index++);
    const std::string_view text = range.string_or("");
    if (!has_format(Format::cidr, text)) scope.invalid(place, text, std::string(cidr_sentence));
  }
  if (const View load_class = scope["loadBalancerClass"]; load_class && is_balancer) {
    scope.format(".loadBalancerClass", load_class.string_or(""), Format::qualified_name);
  }
  const View health = scope["healthCheckNodePort"];
  if (health.integer_or(0) != 0 &&
      !(is_balancer && scope.text("externalTrafficPolicy") == "Local")) {
    scope.invalid(".healthCheckNodePort", health,
                  "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is "
                  "'Local'");
  }
  const View timeout = scope["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"];
  const bool is_sticky = scope.text("sessionAffinity") == "ClientIP";
  if (is_sticky && timeout && (timeout.integer_or(0) <= 0 || timeout.integer_or(0) > 86'400)) {
    scope.invalid(".sessionAffinityConfig.clientIP.timeoutSeconds", timeout,
                  "must be greater than 0 and less than 86400");
  }
}

void check_service_status(CheckScope& scope) {
  const bool is_balancer = scope.root()["spec"]["type"].string_or("") == "LoadBalancer";
  if (is_balancer || scope["loadBalancer"]["ingress"].empty()) return;
  scope.forbidden(".loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'");
}

void check_families(CheckScope& scope) {
  const View families = scope["ipFamilies"];
  if (families.size() == 2 && families[0] == families[1]) {
    scope.duplicate(".ipFamilies[1]", families[1]);
  } else if (families.size() > 1 && scope.text("ipFamilyPolicy") == "SingleStack") {
    scope.invalid(".ipFamilyPolicy", scope["ipFamilyPolicy"],
                  "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are "
                  "specified");
  }
}

// An address that was given stays.
void check_same_address(CheckScope& scope) {
  if (scope.is_create()) return;
  const View before = scope.old_value();
  const std::string_view old = before["clusterIP"].string_or("");
  const bool had_one = before["type"].string_or("") != "ExternalName" && !old.empty();
  if (!had_one || scope.text("type") == "ExternalName" || scope.text("clusterIP") == old) return;
  const std::string_view now = scope.text("clusterIP");
  if (now.empty() || (now != "None" && !is_ip(now))) return;  // told already
  scope.invalid_printed(".clusterIPs[0]", fmt::format("[{}]", go_quoted(now)),
                        "may not change once set");
}

void check_service(CheckScope& scope) {
  check_same_address(scope);
  check_service_ports(scope);
  check_service_addresses(scope);
  check_families(scope);
  check_balancer(scope);
}

// Endpoints.

void check_host_name(CheckScope& scope, const std::string& place, View host) {
  if (host) scope.format(place + ".hostname", host.string_or(""), Format::dns_label);
}

void check_node_name(CheckScope& scope, const std::string& place, View node) {
  if (node) scope.format(place + ".nodeName", node.string_or(""), Format::dns_subdomain);
}

void check_subset(CheckScope& scope) {
  if (scope["addresses"].empty() && scope["notReadyAddresses"].empty()) {
    scope.required("", "must specify `addresses` or `notReadyAddresses`");
  }
  for (const std::string_view list : {"addresses", "notReadyAddresses"}) {
    std::size_t index = 0;
    for (View address : scope[list].elements()) {
      const std::string place = fmt::format(".{}[{}].ip", list, index++);
      const std::string_view ip = address["ip"].string_or("");
      if (!is_ip(ip)) {
        scope.invalid(place, ip, std::string(ip_sentence));
        scope.invalid(place, ip, "must be a valid IP address");
      } else {
        check_reachable(scope, place, ip);
      }
      const std::string around = fmt::format(".{}[{}]", list, index - 1);
      check_host_name(scope, around, address["hostname"]);
      check_node_name(scope, around, address["nodeName"]);
    }
  }
  const View ports = scope["ports"];
  std::size_t index = 0;
  for (View port : ports.elements()) {
    const std::string place = fmt::format(".ports[{}].name", index++);
    if (ports.size() > 1 && port["name"].string_or("").empty()) scope.required(place);
  }
}

void check_slice_address(CheckScope& scope, const std::string& place, std::size_t index,
                         std::string_view address) {
  const std::string_view type = scope.text("addressType");
  const std::string at = fmt::format("{}.addresses[{}]", place, index);
  if (type == "FQDN") return scope.format(at, address, Format::dns_subdomain);
  if (type != "IPv4" && type != "IPv6") return;
  if (!is_ip(address)) return scope.invalid(at, address, std::string(ip_sentence));
  const bool is_of_type = has_format(type == "IPv4" ? Format::ipv4 : Format::ipv6, address);
  if (!is_of_type) {
    return scope.invalid(place + ".addresses", address, fmt::format("must be an {} address", type));
  }
  check_reachable(scope, at, address);
}

void check_endpoint_slice(CheckScope& scope) {
  const std::string_view type = scope.text("addressType");
  if (type.empty()) {
    scope.required(".addressType");
  } else if (type != "FQDN" && type != "IPv4" && type != "IPv6") {
    scope.not_supported(".addressType", type, {"FQDN", "IPv4", "IPv6"});
  }
  std::size_t index = 0;
  for (View endpoint : scope["endpoints"].elements()) {
    const std::string place = fmt::format(".endpoints[{}]", index++);
    if (endpoint["addresses"].empty()) {
      scope.required(place + ".addresses", "must contain at least 1 address");
    }
    std::size_t of_endpoint = 0;
    for (View address : endpoint["addresses"].elements()) {
      check_slice_address(scope, place, of_endpoint++, address.string_or(""));
    }
    check_node_name(scope, place, endpoint["nodeName"]);
    check_host_name(scope, place, endpoint["hostname"]);
  }
  std::set<std::string_view> names;
  index = 0;
  for (View port : scope["ports"].elements()) {
    const std::string place = fmt::format(".ports[{}].name", index++);
    const std::string_view name = port["name"].string_or("");
    if (!name.empty()) scope.format(place, name, Format::dns_label);
    if (!names.insert(name).second) scope.duplicate(place, port["name"]);
  }
}

// Policies.

void check_policy_port(CheckScope& scope) {
  const View port = scope["port"];
  const View end = scope["endPort"];
  if (!end) return;
  if (!port) {
    scope.invalid(".endPort", end, "may not be specified when `port` is not specified");
  } else if (!port.is_integer()) {
    scope.invalid(".endPort", end, "may not be specified when `port` is non-numeric");
  } else if (end.integer_or(0) < port.integer_or(0)) {
    scope.invalid(".endPort", port, "must be greater than or equal to `port`");
  }
  if (port.is_integer() && (end.integer_or(0) < 1 || end.integer_or(0) > 65535)) {
    scope.invalid(".endPort", end, "must be between 1 and 65535, inclusive");
  }
}

void check_policy_peer(CheckScope& scope) {
  const View block = scope["ipBlock"];
  const bool selects = scope["podSelector"] || scope["namespaceSelector"];
  if (!block && !selects) return scope.required("", "must specify a peer");
  if (!block) return;
  if (selects) return scope.forbidden("", "may not specify both ipBlock and another peer");
  const std::string_view cidr = block["cidr"].string_or("");
  if (cidr.empty()) return scope.required(".ipBlock.cidr");
  if (!has_format(Format::cidr, cidr)) {
    return scope.invalid(".ipBlock.cidr", cidr, std::string(cidr_sentence));
  }
  std::size_t index = 0;
  for (View each : block["except"].elements()) {
    const std::string place = fmt::format(".ipBlock.except[{}]", index++);
    const std::string_view part = each.string_or("");
    if (!has_format(Format::cidr, part)) {
      scope.invalid(place, part, std::string(cidr_sentence));
    } else if (!is_inside(part, cidr)) {
      scope.invalid(place, part, "must be a strict subset of `cidr`");
    }
  }
}

void check_network_policy(CheckScope& scope) {
  const View types = scope["policyTypes"];
  constexpr std::size_t types_max = 2;
  if (types.size() > types_max) {
    return scope.invalid(".policyTypes", types, "may not specify more than two policyTypes");
  }
  std::size_t index = 0;
  for (View type : types.elements()) {
    const std::string place = fmt::format(".policyTypes[{}]", index++);
    const std::string_view name = type.string_or("");
    if (name != "Ingress" && name != "Egress") {
      scope.not_supported(place, name, {"Ingress", "Egress"});
    }
  }
}

constexpr NamedCheck checks[] = {
    {"endpoint-slice", check_endpoint_slice},   {"endpoint-subset", check_subset},
    {"network-policy", check_network_policy},   {"network-policy-peer", check_policy_peer},
    {"network-policy-port", check_policy_port}, {"service", check_service},
    {"service-status", check_service_status},
};

}  // namespace

std::span<const NamedCheck> network_checks() {
  return checks;
}

}  // namespace muster::objects
