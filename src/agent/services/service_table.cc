// SPDX-License-Identifier: Apache-2.0
#include "agent/services/service_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "agent/names/zone.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::ObjectKey;
using objects::Value;
using objects::View;
namespace resources = objects::resources;

constexpr std::string_view service_name_label = "kubernetes.io/service-name";
constexpr std::int64_t affinity_seconds_default = 10'800;

std::optional<std::uint32_t> number_of(std::string_view text) {
  const auto parts = dns_address_of(text);
  if (!parts) return std::nullopt;
  std::uint32_t number = 0;
  for (const std::uint8_t part : *parts) number = (number << 8U) | part;
  return number;
}

std::uint16_t port_number(View value) {
  const std::int64_t number = value.integer_or(0);
  return number > 0 && number <= 65'535 ? static_cast<std::uint16_t>(number) : std::uint16_t{0};
}

std::optional<ServiceProtocol> protocol_of(View port) {
  const std::string_view protocol = port["protocol"].string_or("TCP");
  if (protocol == "TCP") return ServiceProtocol::tcp;
  if (protocol == "UDP") return ServiceProtocol::udp;
  return std::nullopt;
}

// The slice's port for one of the Service; 0: it has none.
std::uint16_t target_of(View slice, View port) {
  for (View each : slice["ports"].elements()) {
    if (each["name"].string_or("") == port["name"].string_or("") &&
        each["protocol"].string_or("TCP") == port["protocol"].string_or("TCP")) {
      return port_number(each["port"]);
    }
  }
  return 0;
}

}  // namespace

bool is_in_network(std::string_view address, std::string_view cidr) {
  const std::size_t slash = cidr.find('/');
  if (slash == std::string_view::npos) return false;
  const auto inside = number_of(address);
  const auto network = number_of(cidr.substr(0, slash));
  int length = -1;
  const std::string_view digits = cidr.substr(slash + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (!inside || !network || length < 1 || length > 32) return false;
  const int shift = 32 - length;
  return (*inside >> shift) == (*network >> shift);
}

namespace {

// A port of the machine that leads to a pod; nothing where it is not ours to listen on.
std::string host_address(View port, const std::string& node_address) {
  const std::string_view asked = port["hostIP"].string_or("");
  if (asked.empty() || asked == "0.0.0.0" || asked == node_address) return node_address;
  return asked.starts_with("127.") ? std::string(asked) : std::string();
}

}  // namespace

ServiceTable::ServiceTable(ServiceTableOptions options) : options_(std::move(options)) {}

void ServiceTable::apply(const client::CacheChange& change) {
  if (change.resource == resources::endpoint_slices) {
    return put_slice(change.before, change.after);
  }
  if (change.resource == resources::pods) return put_pod(change);
  if (!(change.resource == resources::services)) return;
  const ObjectKey key = objects::key_of(change.after.is_absent() ? change.before : change.after);
  if (change.after.is_absent()) {
    services_.erase(key);
  } else {
    services_[key] = change.after;
  }
  changed_.insert(key);
}

void ServiceTable::put_slice(const Value& before, const Value& after) {
  const auto service_of = [](const Value& slice) {
    return ObjectKey{
        .name_space = std::string(objects::namespace_of(slice)),
        .name = std::string(objects::labels_of(slice)[service_name_label].string_or(""))};
  };
  if (!before.is_absent()) {
    const ObjectKey key = service_of(before);
    auto& slices = slices_[key];
    slices.erase(std::string(objects::name_of(before)));
    if (slices.empty()) slices_.erase(key);
    changed_.insert(key);
  }
  if (after.is_absent()) return;
  const ObjectKey key = service_of(after);
  slices_[key][std::string(objects::name_of(after))] = after;
  changed_.insert(key);
}

std::vector<ServiceBackend> ServiceTable::backends_of(const ObjectKey& key, View port) const {
  std::set<ServiceBackend> ready;
  std::set<ServiceBackend> going;
  const auto slices = slices_.find(key);
  if (slices == slices_.end()) return {};
  for (const auto& [name, slice] : slices->second) {
    const std::uint16_t number = target_of(slice, port);
    if (slice["addressType"].string_or("") != "IPv4" || number == 0) continue;
    for (View endpoint : slice["endpoints"].elements()) {
      const std::string_view address = endpoint["addresses"][0].string_or("");
      const bool is_pod =
          is_in_network(address, options_.network) && !is_in_network(address, options_.services);
      if (!is_pod) continue;
      const View conditions = endpoint["conditions"];
      const bool is_ready = conditions["ready"].boolean_or(true);
      const bool still_serves =
          conditions["serving"].boolean_or(is_ready) && conditions["terminating"].boolean_or(false);
      if (is_ready) ready.insert({std::string(address), number});
      if (still_serves) going.insert({std::string(address), number});
    }
  }
  const std::set<ServiceBackend>& chosen = ready.empty() ? going : ready;
  return {chosen.begin(), chosen.end()};
}

ServiceTable::Ports ServiceTable::ports_of(const ObjectKey& key) const {
  Ports ports;
  const auto at = services_.find(key);
  if (at == services_.end()) return ports;
  const View spec = at->second["spec"];
  const std::string_view type = spec["type"].string_or("ClusterIP");
  const std::string address(spec["clusterIP"].string_or(""));
  if (type == "ExternalName" || !is_in_network(address, options_.services)) return ports;
  const bool is_sticky = spec["sessionAffinity"].string_or("None") == "ClientIP";
  const std::int64_t seconds =
      spec["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"].integer_or(
          affinity_seconds_default);
  for (View port : spec["ports"].elements()) {
    const auto protocol = protocol_of(port);
    if (!protocol) continue;
    ServedPort served{.service = fmt::format("{}/{}", key.name_space, key.name),
                      .backends = backends_of(key, port),
                      .affinity = is_sticky ? Span::of_seconds(seconds) : Span()};
    if (served.backends.empty()) continue;
    const std::uint16_t node_port = port_number(port["nodePort"]);
    if (node_port != 0 && type != "ClusterIP") {
      ports[{options_.node_address, node_port, *protocol}] = served;
    }
    ports[{address, port_number(port["port"]), *protocol}] = std::move(served);
  }
  return ports;
}

void ServiceTable::put_pod(const client::CacheChange& change) {
  const ObjectKey key = objects::key_of(change.object());
  Ports ports;
  const View pod = change.after;
  const std::string address(pod["status"]["podIP"].string_or(""));
  const bool runs = pod["status"]["phase"].string_or("") == "Running" &&
                    !objects::is_being_deleted(pod) &&
                    !pod["spec"]["hostNetwork"].boolean_or(false);
  if (runs && is_in_network(address, options_.network)) {
    for (View container : pod["spec"]["containers"].elements()) {
      for (View port : container["ports"].elements()) {
        const auto protocol = protocol_of(port);
        const std::uint16_t host_port = port_number(port["hostPort"]);
        const std::string here = host_address(port, options_.node_address);
        if (!protocol || host_port == 0 || here.empty()) continue;
        ports[{here, host_port, *protocol}] = {
            .service = fmt::format("pod {}/{}", key.name_space, key.name),
            .backends = {{address, port_number(port["containerPort"])}}};
      }
    }
  }
  if (ports.empty() && !host_ports_.contains(key)) return;
  changed_pods_.insert(key);
  host_ports_[key] = std::move(ports);
  if (host_ports_[key].empty()) host_ports_.erase(key);
}

void ServiceTable::compare(Ports& before, Ports now, Ports& changes, Ports& ended) {
  for (const auto& [port, served] : before) {
    if (!now.contains(port)) ended[port] = {};
  }
  for (const auto& [port, served] : now) {
    const auto at = before.find(port);
    if (at == before.end() || !(at->second == served)) changes[port] = served;
  }
  before = std::move(now);
}

std::map<ServicePort, ServedPort> ServiceTable::take_changes() {
  Ports changes;
  Ports ended;
  for (const ObjectKey& key : changed_) {
    Ports& before = told_[key];
    compare(before, ports_of(key), changes, ended);
    if (before.empty()) told_.erase(key);
  }
  changed_.clear();
  for (const ObjectKey& key : changed_pods_) {
    const auto now = host_ports_.find(key);
    Ports& before = told_host_ports_[key];
    compare(before, now == host_ports_.end() ? Ports() : now->second, changes, ended);
    if (before.empty()) told_host_ports_.erase(key);
  }
  changed_pods_.clear();
  // An address that one lost and another got in the meantime goes on.
  for (auto& [port, nothing] : ended) changes.try_emplace(port, std::move(nothing));
  return changes;
}

}  // namespace muster::agent
