// SPDX-License-Identifier: Apache-2.0
#include "agent/pod_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/os/files.h"
#include "base/os/folders.h"

namespace muster::agent {

namespace {

constexpr std::uint32_t second_octet_min = 64;
constexpr std::uint32_t second_octets = 64;
constexpr std::string_view services_part = "192.0/18";
constexpr int services_prefix = 18;
constexpr const char* network_file = "/network";
constexpr std::size_t network_bytes_max = 64;

// FNV-1a: the same on every machine and in every version, which std::hash does not promise.
std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1'099'511'628'211U;
  }
  return hash;
}

constexpr std::string_view bridge_prefix = "muster";

std::string bridge_name(const std::string& data_folder) {
  return fmt::format("{}{:08x}", bridge_prefix,
                     static_cast<std::uint32_t>(stable_hash(data_folder)));
}

PodNetwork network_of(std::uint32_t first_octet, std::uint32_t second_octet) {
  PodNetwork network;
  network.cidr = fmt::format("{}.{}.0.0/16", first_octet, second_octet);
  network.gateway = fmt::format("{}.{}.0.1", first_octet, second_octet);
  network.services = fmt::format("{}.{}.{}", first_octet, second_octet, services_part);
  return network;
}

// Whether an address of the machine and the candidate 10.second.0.0/16 have addresses in common.
bool overlaps(const LinkAddress& taken, std::uint32_t second_octet) {
  const auto address = parse_ipv4(taken.address);
  if (!address) return false;
  const std::uint32_t candidate = (10U << 24U) | (second_octet << 16U);
  const int prefix = std::clamp(taken.prefix, 0, 16);
  if (prefix == 0) return false;
  const std::uint32_t mask = ~0U << (32 - prefix);
  return (*address & mask) == (candidate & mask);
}

// The one that was kept first.
std::vector<std::uint32_t> octets_to_try(const std::string& data_folder, const std::string& kept) {
  std::vector<std::uint32_t> octets;
  const auto start = static_cast<std::uint32_t>(stable_hash(data_folder) >> 32U);
  for (std::uint32_t step = 0; step < second_octets; ++step) {
    octets.push_back(second_octet_min + (start + step) % second_octets);
  }
  std::stable_partition(octets.begin(), octets.end(),
                        [&](std::uint32_t octet) { return network_of(10, octet).cidr == kept; });
  return octets;
}

// The route goes with the bridge.
Result<> own_services(const PodNetwork& network) {
  Netlink netlink = TRY(Netlink::open());
  const std::string address = network.services.substr(0, network.services.find('/'));
  auto owned =
      netlink.own_network({.name = network.bridge, .address = address, .prefix = services_prefix});
  if (owned || owned.error().code == ErrorCode::already_exists) return {};
  return owned;
}

// Of platforms that were killed, and whose folder went before somebody said `muster down`.
void remove_abandoned(const std::vector<LinkAddress>& links) {
  for (const LinkAddress& link : links) {
    if (!link.name.starts_with(bridge_prefix)) continue;
    const std::string folder = link_label(link.name);
    if (!folder.starts_with('/') || path_exists(folder) || has_cables(link.name)) continue;
    remove_pod_network({.bridge = link.name});
  }
}

}  // namespace

std::string kept_network(const std::string& data_folder) {
  const auto text = read_whole_file(data_folder + network_file, network_bytes_max);
  return text ? text->substr(0, text->find('\n')) : std::string();
}

Result<> keep_network(const std::string& data_folder, const std::string& cidr) {
  if (kept_network(data_folder) == cidr) return {};
  return replace_file(data_folder + network_file, cidr + "\n", Durable::yes);
}

std::string network_around(const std::string& range) {
  const auto address = parse_ipv4(range.substr(0, range.find('/')));
  if (!address) return {};
  const std::uint32_t first = *address >> 24U;
  const std::uint32_t second = (*address >> 16U) & 255U;
  const bool is_bridged =
      first == 10 && second >= second_octet_min && second < second_octet_min + second_octets;
  return is_bridged || first == 127 ? network_of(first, second).cidr : std::string();
}

PodNetwork bridged_network(const std::string& data_folder, const std::vector<LinkAddress>& taken,
                           const std::string& kept) {
  const std::string name = bridge_name(data_folder);
  for (const LinkAddress& link : taken) {
    if (link.name != name) continue;
    const std::uint32_t address = parse_ipv4(link.address).value_or(0);
    PodNetwork network = network_of(address >> 24U, (address >> 16U) & 255U);
    network.bridge = name;
    return network;
  }
  for (const std::uint32_t octet : octets_to_try(data_folder, kept)) {
    const bool is_free = std::none_of(
        taken.begin(), taken.end(), [&](const LinkAddress& link) { return overlaps(link, octet); });
    if (!is_free) continue;
    PodNetwork network = network_of(10, octet);
    network.bridge = name;
    return network;
  }
  PodNetwork network = loopback_network(data_folder);
  network.reason = "every network from 10.64.0.0/16 to 10.127.0.0/16 is in use on this machine";
  return network;
}

// 127.0.0.0/16 is everybody's, so the second octet is never 0.
PodNetwork loopback_network(const std::string& data_folder) {
  return network_of(127, 1 + static_cast<std::uint32_t>(stable_hash(data_folder) % 254));
}

PodNetwork choose_pod_network(const std::string& data_folder, Isolation isolation) {
  const auto fallback = [&](std::string reason) {
    PodNetwork network = loopback_network(data_folder);
    network.reason = std::move(reason);
    return network;
  };
  if (isolation != Isolation::full) {
    return fallback("network namespaces with cables need more rights than this user has");
  }
  auto taken = link_addresses();
  if (!taken) return fallback(taken.error().message);
  const std::string kept = kept_network(data_folder);
  if (!bridged_network(data_folder, *taken, kept).has_bridge()) {
    remove_abandoned(*taken);
    taken = link_addresses();
    if (!taken) return fallback(taken.error().message);
  }
  PodNetwork network = bridged_network(data_folder, *taken, kept);
  if (!network.has_bridge()) return network;
  const auto made =
      ensure_bridge({.name = network.bridge, .address = network.gateway, .prefix = network.prefix});
  if (!made) return fallback(made.error().message);
  static_cast<void>(label_link(network.bridge, data_folder));  // one without stays for ever
  if (auto owned = own_services(network); !owned) return fallback(owned.error().message);
  return network;
}

void remove_pod_network(const PodNetwork& network) {
  if (!network.has_bridge()) return;
  if (auto netlink = Netlink::open()) static_cast<void>(netlink->remove_link(network.bridge));
}

std::string cable_name(const std::string& uid) {
  return fmt::format("mu{:012x}", stable_hash(uid) & 0xffff'ffff'ffffU);
}

}  // namespace muster::agent
