// SPDX-License-Identifier: Apache-2.0
#include "core/model/address_range.h"

#include <fmt/format.h>

#include <charconv>

namespace muster::core {

namespace {

// Reads a number up to `most` from the front of the text.
std::optional<std::uint32_t> take_number(std::string_view& text, std::uint32_t most) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number > most) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::uint32_t> take_address(std::string_view& text) {
  std::uint32_t address = 0;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && !take(text, '.')) return std::nullopt;
    const auto number = take_number(text, 255);
    if (!number) return std::nullopt;
    address = (address << 8U) | *number;
  }
  return address;
}

// Network, gateway, one pod, broadcast: the smallest range that gives an address.
constexpr std::uint32_t prefix_most = 30;

}  // namespace

std::optional<AddressRange> AddressRange::parse(std::string_view cidr) {
  const auto address = take_address(cidr);
  if (!address || !take(cidr, '/')) return std::nullopt;
  const auto prefix = take_number(cidr, 32);
  if (!prefix || !cidr.empty() || *prefix > prefix_most || *prefix == 0) return std::nullopt;
  const std::uint32_t hosts = 0xffff'ffffU >> *prefix;
  const std::uint32_t network = *address & ~hosts;
  return AddressRange(network + 2, network + hosts - 1);
}

std::int64_t AddressRange::count() const {
  return std::int64_t{last_} - std::int64_t{first_} + 1;
}

std::optional<std::uint32_t> AddressRange::next_free(std::optional<std::uint32_t> after,
                                                     const std::set<std::uint32_t>& in_use) const {
  const bool goes_on = after && *after >= first_ && *after < last_;
  const std::uint32_t start = goes_on ? *after + 1 : first_;
  std::uint32_t candidate = start;
  do {
    if (!in_use.contains(candidate)) return candidate;
    candidate = candidate == last_ ? first_ : candidate + 1;
  } while (candidate != start);
  return std::nullopt;
}

std::optional<std::uint32_t> parse_address(std::string_view text) {
  const auto address = take_address(text);
  return text.empty() ? address : std::nullopt;
}

std::string address_text(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24U, (address >> 16U) & 255U, (address >> 8U) & 255U,
                     address & 255U);
}

}  // namespace muster::core
