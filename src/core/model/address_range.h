// AddressRange: the IPv4 addresses that a node gives to its pods, read from spec.podCIDR. The first
// address names the network, the next one is the node's own gateway, the last one is broadcast:
// those are never given.
//
//   const auto range = AddressRange::parse("10.88.1.0/24");    // nothing: not an IPv4 range
//   range->next_free(last, in_use)                              // after the last one given
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace muster::core {

class AddressRange {
 public:
  static std::optional<AddressRange> parse(std::string_view cidr);

  // How many addresses there are to give.
  std::int64_t count() const;

  bool contains(std::uint32_t address) const { return address >= first_ && address <= last_; }

  // The lowest free one above `after`, else the lowest free one: what was given back last is given
  // again last. Nothing when all are in use.
  std::optional<std::uint32_t> next_free(std::optional<std::uint32_t> after,
                                         const std::set<std::uint32_t>& in_use) const;

 private:
  AddressRange(std::uint32_t first, std::uint32_t last) : first_(first), last_(last) {}

  std::uint32_t first_;  // that may be given
  std::uint32_t last_;
};

std::optional<std::uint32_t> parse_address(std::string_view text);
std::string address_text(std::uint32_t address);

}  // namespace muster::core
