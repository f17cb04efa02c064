// SPDX-License-Identifier: Apache-2.0
#include "server/service_addresses.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"
#include "core/draft.h"
#include "core/model/address_range.h"
#include "objects/metadata.h"
#include "server/limits.h"

namespace muster::server {

using core::Draft;
using objects::FieldError;
using objects::Value;
using objects::View;

namespace {

constexpr NumberPool::Range node_port_range = {
    .first = node_port_min,
    .last = node_port_max,
    .reserve = (node_port_max - node_port_min + 1) / 32,
};

bool wants_address(View spec) {
  return spec["type"].string_or("ClusterIP") != "ExternalName" &&
         spec["clusterIP"].string_or("") != "None";
}

bool wants_node_ports(View spec) {
  const std::string_view type = spec["type"].string_or("ClusterIP");
  return type == "NodePort" || type == "LoadBalancer";
}

// Only these are made up; what was asked for is taken either way.
bool makes_node_ports(View spec) {
  return spec["type"].string_or("") == "NodePort" ||
         (spec["type"].string_or("") == "LoadBalancer" &&
          spec["allocateLoadBalancerNodePorts"].boolean_or(true));
}

bool wants_health_port(View spec) {
  return spec["type"].string_or("") == "LoadBalancer" &&
         spec["externalTrafficPolicy"].string_or("") == "Local";
}

std::uint32_t number_of(View value) {
  const std::int64_t number = value.integer_or(0);
  return number > 0 && number <= 65'535 ? static_cast<std::uint32_t>(number) : 0;
}

FieldError outside_of_range(const std::string& place, std::int64_t port) {
  return FieldError::invalid(
      place, Value::integer(port),
      fmt::format("provided port is not in the valid range. The range of valid ports is {}-{}",
                  node_port_min, node_port_max));
}

std::set<std::uint32_t> node_ports_of(View spec) {
  std::set<std::uint32_t> numbers;
  if (!wants_node_ports(spec)) return numbers;
  for (View port : spec["ports"].elements()) {
    if (const std::uint32_t number = number_of(port["nodePort"]); number != 0) {
      numbers.insert(number);
    }
  }
  if (!wants_health_port(spec)) return numbers;
  if (const std::uint32_t number = number_of(spec["healthCheckNodePort"]); number != 0) {
    numbers.insert(number);
  }
  return numbers;
}

std::optional<std::uint32_t> address_of(View spec) {
  if (!wants_address(spec)) return std::nullopt;
  return core::parse_address(spec["clusterIP"].string_or(""));
}

// One port of the Service says which node port all with its number have.
std::uint32_t asked_for(View spec, std::int64_t port) {
  for (View each : spec["ports"].elements()) {
    if (each["port"].integer_or(0) != port) continue;
    if (const std::uint32_t number = number_of(each["nodePort"]); number != 0) return number;
  }
  return 0;
}

}  // namespace

NumberPool::Range service_numbers(std::string_view cidr) {
  const std::size_t slash = cidr.find('/');
  const auto network = core::parse_address(cidr.substr(0, slash));
  int length = 0;
  if (slash != std::string_view::npos) {
    for (const char c : cidr.substr(slash + 1)) length = length * 10 + (c - '0');
  }
  CHECK(network && length >= 8 && length <= 28, "a range of IPv4 addresses");
  const std::uint32_t size = std::uint32_t{1} << static_cast<std::uint32_t>(32 - length);
  return {.first = *network + 1,
          .last = *network + size - 2,
          .reserve = std::min(std::max(size / 16U, 16U), 256U)};
}

void NumberPool::leave(std::uint32_t number) {
  const auto at = taken_.find(number);
  if (at == taken_.end()) return;
  if (--at->second == 0) taken_.erase(at);
}

std::optional<std::uint32_t> NumberPool::choose(Random& random) const {
  const std::uint32_t size = range_.last - range_.first + 1;
  const std::uint32_t upper = size - range_.reserve;
  const std::uint32_t upper_first = range_.first + range_.reserve;
  const auto start = static_cast<std::uint32_t>(random.below(upper));
  for (std::uint32_t step = 0; step < upper; ++step) {
    const std::uint32_t number = upper_first + (start + step) % upper;
    if (!is_taken(number)) return number;
  }
  for (std::uint32_t number = range_.first; number < upper_first; ++number) {
    if (!is_taken(number)) return number;
  }
  return std::nullopt;
}

// What one write was given: taken in the pools until its hold goes.
struct ServiceAddresses::Given {
  std::vector<std::uint32_t> addresses = {};
  std::vector<std::uint32_t> node_ports = {};
};

ServiceAddresses::ServiceAddresses(Context& context, std::string cidr)
    : context_(context),
      cidr_(std::move(cidr)),
      addresses_(service_numbers(cidr_)),
      node_ports_(node_port_range) {}

void ServiceAddresses::start() {
  const auto services = context_.registry.find_resource("", "services");
  for (const auto& [key, object] : context_.cache.all_in(*services, "")) count(&object, 1);
}

void ServiceAddresses::on_change(const CacheChange& change) {
  const CachedObject* about = change.now != nullptr ? change.now : change.before;
  if (!about->kind->group.empty() || about->kind->plural != "services") return;
  count(change.now, 1);
  count(change.before, -1);
}

void ServiceAddresses::count(const CachedObject* object, int sign) {
  if (object == nullptr) return;
  const Value service = context_.trees.tree_of(object->bytes);
  const View spec = service["spec"];
  const auto change = [&](NumberPool& pool, std::uint32_t number) {
    if (!pool.has(number)) return;
    if (sign > 0) {
      pool.take(number);
    } else {
      pool.leave(number);
    }
  };
  if (const auto address = address_of(spec)) change(addresses_, *address);
  for (const std::uint32_t number : node_ports_of(spec)) change(node_ports_, number);
}

Outcome<> ServiceAddresses::give(Admission& admission) {
  Given given;
  Outcome<> outcome;
  if (wants_address(admission.object["spec"])) give_address(admission, given, outcome);
  if (outcome && admission.errors.empty()) give_node_ports(admission, given, outcome);
  if (outcome && admission.errors.empty()) give_health_port(admission, given, outcome);
  const auto release = [this, alive = std::weak_ptr(alive_)](Given* ours) {
    const std::unique_ptr<Given> owned(ours);
    if (alive.expired()) return;
    for (const std::uint32_t number : ours->addresses) addresses_.leave(number);
    for (const std::uint32_t number : ours->node_ports) node_ports_.leave(number);
  };
  std::shared_ptr<Given> hold(new Given(std::move(given)), release);
  if (outcome && admission.errors.empty() && !admission.dry_run) admission.keep(std::move(hold));
  return outcome;
}

void ServiceAddresses::give_address(Admission& admission, Given& given, Outcome<>& outcome) {
  const View spec = admission.object["spec"];
  const std::string_view asked = spec["clusterIP"].string_or("");
  if (!admission.is_create() && !asked.empty() &&
      asked == admission.old_object["spec"]["clusterIP"].string_or("")) {
    return;  // it has it
  }
  std::optional<std::uint32_t> address = core::parse_address(asked);
  if (asked.empty()) {
    address = addresses_.choose(context_.random);
    if (!address) {
      outcome =
          Error::internal(fmt::format("Internal error occurred: failed to allocate a serviceIP for "
                                      "Service \"{}\": range is full",
                                      admission.target.name));
      return;
    }
  }
  if (!address) return;  // validation has said so
  const Value text = Value::string(core::address_text(*address));
  Draft next(admission.object);
  next.set({"spec", "clusterIP"}, text).set({"spec", "clusterIPs"}, Value::array({text}));
  const auto refuse = [&](std::string why) {
    admission.errors.add(
        FieldError::invalid("spec.clusterIPs", next.value()["spec"]["clusterIPs"],
                            fmt::format("failed to allocate IP {}: {}", asked, std::move(why))));
  };
  if (!addresses_.has(*address)) {
    return refuse(
        fmt::format("the provided IP ({}) is not in the valid range. The range of valid "
                    "IPs is {}",
                    asked, cidr_));
  }
  if (addresses_.is_taken(*address)) return refuse("provided IP is already allocated");
  addresses_.take(*address);
  given.addresses.push_back(*address);
  admission.object = next.value();
}

void ServiceAddresses::give_node_ports(Admission& admission, Given& given, Outcome<>& outcome) {
  const Value object = admission.object;
  const View spec = object["spec"];
  if (!wants_node_ports(spec)) return;
  const std::set<std::uint32_t> before = node_ports_of(admission.old_object["spec"]);
  std::map<std::int64_t, std::uint32_t> by_port;
  std::vector<Value> ports;
  std::size_t index = 0;
  for (View port : spec["ports"].elements()) {
    const std::string place = fmt::format("spec.ports[{}].nodePort", index++);
    const std::int64_t number = port["port"].integer_or(0);
    // Who only tries is not told: the peer has nothing to give then.
    const std::int64_t said = port["nodePort"].integer_or(0);
    const bool is_outside = said != 0 && (said < node_port_min || said > node_port_max);
    if (is_outside && !before.contains(number_of(port["nodePort"]))) {
      if (!admission.dry_run) return admission.errors.add(outside_of_range(place, said));
      ports.push_back(object.part(port));
      continue;
    }
    std::uint32_t node_port = number_of(port["nodePort"]);
    if (node_port == 0 && admission.is_create()) {
      const auto shared = by_port.find(number);
      node_port = shared != by_port.end() ? shared->second : asked_for(spec, number);
    }
    if (node_port == 0 && makes_node_ports(spec)) {
      const auto chosen = node_ports_.choose(context_.random);
      if (!chosen) {
        outcome = Error::internal(
            "Internal error occurred: failed to allocate a nodePort: range is full");
        return;
      }
      node_port = *chosen;
    }
    const auto& mine = given.node_ports;
    const bool is_ours =
        before.contains(node_port) || std::find(mine.begin(), mine.end(), node_port) != mine.end();
    if (node_port != 0 && !is_ours) {
      if (!node_ports_.has(node_port)) {
        return admission.errors.add(outside_of_range(place, node_port));
      }
      if (node_ports_.is_taken(node_port)) {
        return admission.errors.add(FieldError::invalid(place, Value::integer(node_port),
                                                        "provided port is already allocated"));
      }
      node_ports_.take(node_port);
      given.node_ports.push_back(node_port);
    }
    by_port.emplace(number, node_port);
    Draft next(object.part(port));
    if (node_port != 0) next.set({"nodePort"}, Value::integer(node_port));
    ports.push_back(next.value());
  }
  Draft next(object);
  next.set({"spec", "ports"}, core::list_of(ports));
  admission.object = next.value();
}

void ServiceAddresses::give_health_port(Admission& admission, Given& given, Outcome<>& outcome) {
  const View spec = admission.object["spec"];
  if (!wants_health_port(spec)) return;
  const std::uint32_t asked = number_of(spec["healthCheckNodePort"]);
  if (asked != 0 && node_ports_of(admission.old_object["spec"]).contains(asked)) return;
  if (asked != 0 && (!node_ports_.has(asked) || node_ports_.is_taken(asked))) {
    outcome = Error::internal(fmt::format(
        "Internal error occurred: failed to allocate requested HealthCheck NodePort {}: {}", asked,
        node_ports_.has(asked)
            ? std::string("provided port is already allocated")
            : fmt::format("provided port is not in the valid range. The range of valid ports is "
                          "{}-{}",
                          node_port_min, node_port_max)));
    return;
  }
  const auto chosen = asked != 0 ? asked : node_ports_.choose(context_.random);
  if (!chosen) {
    outcome = Error::internal(
        "Internal error occurred: failed to allocate a HealthCheck NodePort 0: range is full");
    return;
  }
  node_ports_.take(*chosen);
  given.node_ports.push_back(*chosen);
  Draft next(admission.object);
  next.set({"spec", "healthCheckNodePort"}, Value::integer(*chosen));
  admission.object = next.value();
}

}  // namespace muster::server
