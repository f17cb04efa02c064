// SPDX-License-Identifier: Apache-2.0
#include "agent/node_ranges.h"

#include <fmt/format.h>

#include <set>

#include "core/model/address_range.h"

namespace muster::agent {

namespace {

constexpr std::uint32_t range_addresses = 256;
constexpr std::uint32_t host_ranges_max = 191;

std::string range_text(const RangeSupply& supply, std::uint32_t number) {
  return core::address_text(supply.first + number * range_addresses) + "/24";
}

bool is_of(const RangeSupply& supply, std::string_view range) {
  const auto address = core::parse_address(range.substr(0, range.find('/')));
  return address && *address >= supply.first &&
         *address - supply.first < supply.count * range_addresses;
}

}  // namespace

RangeSupply host_ranges(std::string_view network) {
  const auto address = core::parse_address(network.substr(0, network.find('/')));
  return {.first = address.value_or(0) + range_addresses, .count = host_ranges_max};
}

RangeSupply pretended_ranges() {
  return {.first = (100U << 24U) | (64U << 16U), .count = 64 * 256};
}

Result<> give_node_ranges(std::vector<NodeOptions>& nodes, const KnownRanges& known,
                          const RangeSupply& supply) {
  std::set<std::string, std::less<>> taken;
  for (const auto& [name, range] : known) taken.insert(range);
  for (const NodeOptions& node : nodes) taken.insert(node.pod_cidr);
  std::uint32_t next = 0;
  for (NodeOptions& node : nodes) {
    if (!node.pod_cidr.empty()) continue;
    const auto had = known.find(node.name);
    if (had != known.end() && is_of(supply, had->second)) {
      node.pod_cidr = had->second;
      continue;
    }
    while (next < supply.count && taken.contains(range_text(supply, next))) ++next;
    if (next == supply.count) {
      return Error{
          ErrorCode::bad_request,
          fmt::format("node {} gets no addresses: there are ranges for {} nodes, and every "
                      "one is taken; `kubectl delete node` those that are no more",
                      node.name, supply.count)};
    }
    node.pod_cidr = range_text(supply, next++);
  }
  return {};
}

}  // namespace muster::agent
