// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "server/cells_table.h"

namespace muster::server {

using objects::Node;
using objects::View;

namespace {

constexpr std::string_view none_text = "<none>";
constexpr std::string_view unset_text = "<unset>";
constexpr std::size_t shown_max = 3;

// The first of many, and how many more there are.
std::string first_of(const std::vector<std::string>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size() && i < shown_max; ++i) {
    if (i > 0) text += ',';
    text += all[i];
  }
  if (all.size() > shown_max) text += fmt::format(" + {} more...", all.size() - shown_max);
  return text;
}

std::string host_and_port(std::string_view host, std::int64_t port) {
  const bool is_ipv6 = host.find(':') != std::string_view::npos;
  return is_ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Node endpoints(View object, const CellContext& context) {
  if (object["subsets"].empty()) return cell_text(context, none_text);
  std::vector<std::string> all;
  for (View subset : object["subsets"].elements()) {
    const View ports = subset["ports"];
    if (ports.empty()) {
      for (View address : subset["addresses"].elements()) {
        all.emplace_back(address["ip"].string_or(""));
      }
    }
    for (View port : ports.elements()) {
      for (View address : subset["addresses"].elements()) {
        all.push_back(host_and_port(address["ip"].string_or(""), port["port"].integer_or(0)));
      }
    }
  }
  return cell_text(context, first_of(all));
}

Node endpoint_slice_ports(View slice, const CellContext& context) {
  std::vector<std::string> all;
  for (View port : slice["ports"].elements()) {
    const auto number = port["port"].integer();
    all.push_back(number ? fmt::format("{}", *number) : std::string(port["name"].string_or("*")));
  }
  const std::string text = first_of(all);
  return cell_text(context, text.empty() ? unset_text : text);
}

Node endpoint_slice_endpoints(View slice, const CellContext& context) {
  std::vector<std::string> all;
  for (View endpoint : slice["endpoints"].elements()) {
    for (View address : endpoint["addresses"].elements()) {
      all.emplace_back(address.string_or(""));
    }
  }
  const std::string text = first_of(all);
  return cell_text(context, text.empty() ? unset_text : text);
}

// Ingresses.

Node ingress_class(View ingress, const CellContext& context) {
  return cell_text(context, ingress["spec"]["ingressClassName"].string_or(none_text));
}

Node ingress_hosts(View ingress, const CellContext& context) {
  const View rules = ingress["spec"]["rules"];
  std::string all;
  std::size_t hosts = 0;
  bool more = false;
  for (View rule : rules.elements()) {
    more = more || hosts == shown_max;
    const std::string_view host = rule["host"].string_or("");
    if (more || host.empty()) continue;
    if (hosts++ > 0) all += ',';
    all += host;
  }
  if (hosts == 0) all = "*";
  if (more) all += fmt::format(" + {} more...", rules.size() - shown_max);
  return cell_text(context, all);
}

Node ingress_address(View ingress, const CellContext& context) {
  std::set<std::string_view> given;
  for (View each : ingress["status"]["loadBalancer"]["ingress"].elements()) {
    const std::string_view ip = each["ip"].string_or("");
    const std::string_view shown = ip.empty() ? each["hostname"].string_or("") : ip;
    if (!shown.empty()) given.insert(shown);
  }
  return cell_text(context, fmt::format("{}", fmt::join(given, ",")));
}

Node ingress_ports(View ingress, const CellContext& context) {
  return cell_text(context, ingress["spec"]["tls"].empty() ? "80" : "80, 443");
}

Node ingress_class_name(View ingress_class, const CellContext& context) {
  const View metadata = ingress_class["metadata"];
  constexpr std::string_view mark = "ingressclass.kubernetes.io/is-default-class";
  std::string name(metadata["name"].string_or(""));
  if (metadata["annotations"][mark].string_or("") == "true") name += " (default)";
  return cell_text(context, name);
}

Node ingress_class_parameters(View ingress_class, const CellContext& context) {
  const View parameters = ingress_class["spec"]["parameters"];
  if (!parameters) return cell_text(context, none_text);
  std::string text(parameters["kind"].string_or(""));
  if (const auto group = parameters["apiGroup"].string()) text += fmt::format(".{}", *group);
  return cell_text(context, fmt::format("{}/{}", text, parameters["name"].string_or("")));
}

// Addresses.

Node ip_address_parent(View address, const CellContext& context) {
  const View parent = address["spec"]["parentRef"];
  if (!parent) return cell_text(context, none_text);
  const std::string_view group = parent["group"].string_or("");
  const std::string_view space = parent["namespace"].string_or("");
  std::string text(parent["resource"].string_or(""));
  if (!group.empty()) text += fmt::format(".{}", group);
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (!space.empty()) text += fmt::format("/{}", space);
  return cell_text(context, fmt::format("{}/{}", text, parent["name"].string_or("")));
}

Node service_cidrs(View cidr, const CellContext& context) {
  std::string all;
  for (View each : cidr["spec"]["cidrs"].elements()) {
    if (!all.empty()) all += ',';
    all += each.string_or("");
  }
  return cell_text(context, all);
}

constexpr NamedCell cells[] = {
    {"endpoint-slice-endpoints", endpoint_slice_endpoints},
    {"endpoint-slice-ports", endpoint_slice_ports},
    {"endpoints", endpoints},
    {"ingress-address", ingress_address},
    {"ingress-class", ingress_class},
    {"ingress-class-name", ingress_class_name},
    {"ingress-class-parameters", ingress_class_parameters},
    {"ingress-hosts", ingress_hosts},
    {"ingress-ports", ingress_ports},
    {"ip-address-parent", ip_address_parent},
    {"service-cidrs", service_cidrs},
};

}  // namespace

std::span<const NamedCell> network_cells() {
  return cells;
}

}  // namespace muster::server
