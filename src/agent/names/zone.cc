// SPDX-License-Identifier: Apache-2.0
#include "agent/names/zone.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "agent/gang.h"
#include "agent/pod_status.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::ObjectKey;
using objects::Value;
using objects::View;
namespace resources = objects::resources;

constexpr std::string_view reverse_domain = "in-addr.arpa";

std::vector<std::string_view> labels_of(std::string_view name) {
  std::vector<std::string_view> labels;
  while (!name.empty()) {
    const std::size_t dot = name.find('.');
    labels.push_back(name.substr(0, dot));
    name = dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
  }
  return labels;
}

// The part of the name before the domain; nothing when it is not below it.
std::optional<std::string_view> below(std::string_view name, std::string_view domain) {
  if (name == domain) return std::string_view();
  if (name.size() <= domain.size() || !name.ends_with(domain)) return std::nullopt;
  const std::string_view rest = name.substr(0, name.size() - domain.size());
  if (rest.back() != '.') return std::nullopt;
  return rest.substr(0, rest.size() - 1);
}

bool asks_for(DnsType asked, DnsType type) {
  return asked == type || asked == DnsType::any;
}

std::string dashed(const DnsAddress& address) {
  return fmt::format("{}", fmt::join(address, "-"));
}

DnsRecord address_record(std::string_view name, const DnsAddress& address) {
  return {.name = std::string(name), .type = DnsType::a, .seconds = name_seconds, .data = address};
}

ZoneAnswer unknown() {
  return {.kind = ZoneAnswer::Kind::unknown};
}

ZoneAnswer found() {
  return {.kind = ZoneAnswer::Kind::found};
}

// The port that the pod listens on: a number, or the name of a container's port.
std::uint16_t port_of(View service_port, View pod) {
  const View target = service_port["targetPort"];
  std::int64_t number = target.integer_or(service_port["port"].integer_or(0));
  if (const auto name = target.string()) {
    for (View container : pod["spec"]["containers"].elements()) {
      for (View port : container["ports"].elements()) {
        if (port["name"].string_or("") == *name) number = port["containerPort"].integer_or(number);
      }
    }
  }
  return static_cast<std::uint16_t>(number);
}

}  // namespace

std::optional<DnsAddress> dns_address_of(std::string_view text) {
  DnsAddress address{};
  for (std::size_t i = 0; i < address.size(); ++i) {
    if (i != 0) {
      if (text.empty() || text.front() != '.') return std::nullopt;
      text.remove_prefix(1);
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), address[i]);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return text.empty() ? std::optional(address) : std::nullopt;
}

void Zone::apply(const client::CacheChange& change) {
  const ObjectKey key = objects::key_of(change.object());
  if (change.resource == resources::pods) {
    drop_pod(key);
    if (change.after.is_object()) put_pod(change.after);
    return;
  }
  if (!(change.resource == resources::services)) return;
  if (const auto had = dns_address_of(change.before["spec"]["clusterIP"].string_or(""))) {
    by_service_address_.erase(*had);
  }
  services_.erase(key);
  if (change.after.is_absent()) return;
  const View spec = change.after["spec"];
  Service service{.is_headless = spec["clusterIP"].string_or("") == "None",
                  .external_name = {},
                  .publishes_unready = spec["publishNotReadyAddresses"].boolean_or(false),
                  .object = change.after};
  if (spec["type"].string_or("") == "ExternalName") {
    service.external_name = lower_dns_name(spec["externalName"].string_or(""));
  }
  if (const auto address = dns_address_of(spec["clusterIP"].string_or(""))) {
    by_service_address_[*address] = key;
  }
  services_.emplace(key, std::move(service));
}

void Zone::put_pod(const Value& object) {
  const auto address = dns_address_of(address_of(object));
  const bool is_bound = !object["spec"]["nodeName"].string_or("").empty();
  if (!address || !is_bound || is_terminal(object.view())) return;
  const View spec = object["spec"];
  Pod pod{.hostname = std::string(spec["hostname"].string_or("")),
          .subdomain = std::string(spec["subdomain"].string_or("")),
          .address = *address,
          .is_ready = objects::is_true(objects::condition(object, "Ready")),
          .is_leaving = objects::is_being_deleted(object),
          .object = object};
  const ObjectKey key = objects::key_of(object);
  if (!pod.hostname.empty() && !pod.subdomain.empty()) {
    by_host_[{key.name_space, pod.subdomain, pod.hostname}].insert(key);
  }
  by_address_[pod.address].insert(key);
  pods_.emplace(key, std::move(pod));
}

void Zone::drop_pod(const ObjectKey& key) {
  const auto at = pods_.find(key);
  if (at == pods_.end()) return;
  const HostKey host{key.name_space, at->second.subdomain, at->second.hostname};
  if (const auto named = by_host_.find(host); named != by_host_.end()) {
    named->second.erase(key);
    if (named->second.empty()) by_host_.erase(named);
  }
  const auto addressed = by_address_.find(at->second.address);
  addressed->second.erase(key);
  if (addressed->second.empty()) by_address_.erase(addressed);
  pods_.erase(at);
}

const Zone::Service* Zone::service_of(std::string_view name_space, std::string_view name) const {
  const auto at = services_.find({std::string(name_space), std::string(name)});
  return at == services_.end() ? nullptr : &at->second;
}

bool Zone::selects(const Service& service, View pod) {
  const View selector = service.object["spec"]["selector"];
  if (selector.empty()) return false;
  const View labels = objects::labels_of(pod);
  for (const auto& [key, value] : selector.members()) {
    if (!(labels[key] == value)) return false;
  }
  return true;
}

std::vector<const Zone::Pod*> Zone::pods_of(std::string_view name_space,
                                            const Service& service) const {
  std::vector<const Pod*> chosen;
  const ObjectKey first{.name_space = std::string(name_space), .name = ""};
  for (auto at = pods_.lower_bound(first); at != pods_.end() && at->first.name_space == name_space;
       ++at) {
    const Pod& pod = at->second;
    const bool is_published = service.publishes_unready || (pod.is_ready && !pod.is_leaving);
    if (is_published && selects(service, pod.object)) chosen.push_back(&pod);
  }
  return chosen;
}

// Where one is going and its successor is here, only the successor.
std::vector<const Zone::Pod*> Zone::pods_named(std::string_view name_space,
                                               std::string_view subdomain,
                                               std::string_view host) const {
  std::vector<const Pod*> staying;
  std::vector<const Pod*> leaving;
  const auto at =
      by_host_.find({std::string(name_space), std::string(subdomain), std::string(host)});
  if (at == by_host_.end()) return staying;
  for (const ObjectKey& key : at->second) {
    const Pod& pod = pods_.at(key);
    (pod.is_leaving ? leaving : staying).push_back(&pod);
  }
  return staying.empty() ? leaving : staying;
}

std::string Zone::name_of(const Pod& pod) const {
  const std::string_view name_space = objects::namespace_of(pod.object);
  const Service* service = service_of(name_space, pod.subdomain);
  if (pod.hostname.empty() || service == nullptr || !selects(*service, pod.object)) {
    return fmt::format("{}.{}.pod.{}", dashed(pod.address), name_space, domain_);
  }
  return fmt::format("{}.{}.{}.svc.{}", pod.hostname, pod.subdomain, name_space, domain_);
}

ZoneAnswer Zone::resolve(std::string_view name, DnsType type) const {
  if (name.ends_with(reverse_domain)) return resolve_address(name, type);
  const auto inside = below(name, domain_);
  if (!inside) return {.kind = ZoneAnswer::Kind::outside};
  const std::vector<std::string_view> labels = labels_of(*inside);
  if (labels.empty()) {
    ZoneAnswer apex = found();
    if (asks_for(type, DnsType::soa)) apex.records.push_back(authority());
    return apex;
  }
  if (labels.back() == "pod") return resolve_pod(name, type, labels);
  if (labels.back() != "svc") return unknown();
  switch (labels.size()) {
    case 1:
      return found();
    case 2: {
      const auto at = services_.lower_bound({std::string(labels[0]), ""});
      const bool has_services = at != services_.end() && at->first.name_space == labels[0];
      return has_services ? found() : unknown();
    }
    case 3:
      return resolve_service(name, type, labels);
    case 4:
      return resolve_host(name, type, labels);
    case 5:
      return resolve_port(name, type, labels);
    default:
      return unknown();
  }
}

ZoneAnswer Zone::resolve_service(std::string_view name, DnsType type, Labels labels) const {
  const Service* service = service_of(labels[1], labels[0]);
  if (service == nullptr) return unknown();
  ZoneAnswer answer = found();
  if (!service->external_name.empty()) {
    answer.records.push_back({.name = std::string(name),
                              .type = DnsType::cname,
                              .seconds = name_seconds,
                              .data = DnsTarget{service->external_name}});
    return answer;
  }
  if (!asks_for(type, DnsType::a)) return answer;
  if (!service->is_headless) {
    const auto address = dns_address_of(service->object["spec"]["clusterIP"].string_or(""));
    if (address) answer.records.push_back(address_record(name, *address));
    return answer;
  }
  for (const Pod* pod : pods_of(labels[1], *service)) {
    answer.records.push_back(address_record(name, pod->address));
  }
  return answer;
}

ZoneAnswer Zone::resolve_host(std::string_view name, DnsType type, Labels labels) const {
  const Service* service = service_of(labels[2], labels[1]);
  if (service == nullptr || !service->is_headless) return unknown();
  ZoneAnswer answer = unknown();
  const auto add = [&](const Pod& pod) {
    if (!selects(*service, pod.object)) return;
    answer.kind = ZoneAnswer::Kind::found;
    if (asks_for(type, DnsType::a)) answer.records.push_back(address_record(name, pod.address));
  };
  for (const Pod* pod : pods_named(labels[2], labels[1], labels[0])) add(*pod);
  if (answer.kind == ZoneAnswer::Kind::found) return answer;
  std::string dotted(labels[0]);
  std::replace(dotted.begin(), dotted.end(), '-', '.');
  const auto address = dns_address_of(dotted);
  if (!address) return answer;
  for (const Pod* pod : pods_of(labels[2], *service)) {
    if (pod->address == *address) add(*pod);
  }
  return answer;
}

// The Service itself, where it has an address.
void Zone::add_own_port(ZoneAnswer& answer, std::string_view name, const Service& service,
                        View port) const {
  const auto address = dns_address_of(service.object["spec"]["clusterIP"].string_or(""));
  if (!address) return;
  std::string target = fmt::format("{}.{}.svc.{}", objects::name_of(service.object),
                                   objects::namespace_of(service.object), domain_);
  answer.additionals.push_back(address_record(target, *address));
  answer.records.push_back(
      {.name = std::string(name),
       .type = DnsType::srv,
       .seconds = name_seconds,
       .data = DnsService{.port = static_cast<std::uint16_t>(port["port"].integer_or(0)),
                          .target = std::move(target)}});
}

// _port._protocol.service.namespace.svc
ZoneAnswer Zone::resolve_port(std::string_view name, DnsType type, Labels labels) const {
  const Service* service = service_of(labels[3], labels[2]);
  if (service == nullptr || !service->external_name.empty()) return unknown();
  if (!labels[0].starts_with('_') || !labels[1].starts_with('_')) return unknown();
  ZoneAnswer answer = unknown();
  for (View port : service->object["spec"]["ports"].elements()) {
    const bool is_it = port["name"].string_or("") == labels[0].substr(1) &&
                       lower_dns_name(port["protocol"].string_or("TCP")) == labels[1].substr(1);
    if (!is_it) continue;
    answer.kind = ZoneAnswer::Kind::found;
    if (!asks_for(type, DnsType::srv)) continue;
    if (!service->is_headless) {
      add_own_port(answer, name, *service, port);
      continue;
    }
    for (const Pod* pod : pods_of(labels[3], *service)) {
      const std::string host = pod->hostname.empty() || pod->subdomain != labels[2]
                                   ? dashed(pod->address)
                                   : pod->hostname;
      std::string target = fmt::format("{}.{}.{}.svc.{}", host, labels[2], labels[3], domain_);
      answer.additionals.push_back(address_record(target, pod->address));
      answer.records.push_back(
          {.name = std::string(name),
           .type = DnsType::srv,
           .seconds = name_seconds,
           .data = DnsService{.port = port_of(port, pod->object), .target = std::move(target)}});
    }
  }
  return answer;
}

// 10-64-1-2.namespace.pod
ZoneAnswer Zone::resolve_pod(std::string_view name, DnsType type, Labels labels) const {
  if (labels.size() == 1) return found();
  if (labels.size() != 3) return unknown();
  std::string dotted(labels[0]);
  std::replace(dotted.begin(), dotted.end(), '-', '.');
  const auto address = dns_address_of(dotted);
  if (!address) return unknown();
  const auto at = by_address_.find(*address);
  if (at == by_address_.end()) return unknown();
  const bool is_there = std::any_of(at->second.begin(), at->second.end(),
                                    [&](const auto& key) { return key.name_space == labels[1]; });
  if (!is_there) return unknown();
  ZoneAnswer answer = found();
  if (asks_for(type, DnsType::a)) answer.records.push_back(address_record(name, *address));
  return answer;
}

ZoneAnswer Zone::resolve_address(std::string_view name, DnsType type) const {
  const auto reversed = below(name, reverse_domain);
  if (!reversed) return {.kind = ZoneAnswer::Kind::outside};
  std::vector<std::string_view> labels = labels_of(*reversed);
  std::reverse(labels.begin(), labels.end());
  const auto address = dns_address_of(fmt::format("{}", fmt::join(labels, ".")));
  if (!address) return unknown();
  const auto at = by_address_.find(*address);
  if (at == by_address_.end()) return resolve_service_address(name, type, *address);
  ZoneAnswer answer = found();
  if (!asks_for(type, DnsType::ptr)) return answer;
  for (const ObjectKey& key : at->second) {
    answer.records.push_back({.name = std::string(name),
                              .type = DnsType::ptr,
                              .seconds = name_seconds,
                              .data = DnsTarget{name_of(pods_.at(key))}});
  }
  return answer;
}

ZoneAnswer Zone::resolve_service_address(std::string_view name, DnsType type,
                                         const DnsAddress& address) const {
  const auto at = by_service_address_.find(address);
  if (at == by_service_address_.end()) return unknown();
  ZoneAnswer answer = found();
  if (!asks_for(type, DnsType::ptr)) return answer;
  answer.records.push_back({.name = std::string(name),
                            .type = DnsType::ptr,
                            .seconds = name_seconds,
                            .data = DnsTarget{fmt::format("{}.{}.svc.{}", at->second.name,
                                                          at->second.name_space, domain_)}});
  return answer;
}

DnsRecord Zone::authority() const {
  return {.name = domain_,
          .type = DnsType::soa,
          .seconds = name_seconds,
          .data = DnsAuthority{.primary = "ns.dns." + domain_,
                               .mailbox = "hostmaster." + domain_,
                               .serial = 1,
                               .refresh = 7200,
                               .retry = 1800,
                               .expire = 86400,
                               .minimum = name_seconds}};
}

}  // namespace muster::agent
