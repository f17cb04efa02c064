// SPDX-License-Identifier: Apache-2.0
//
// Any bytes: what parses must print, read back as the same amount, and survive arithmetic.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using muster::Quantity;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const std::size_t split = text.find(' ');
  const auto a = Quantity::parse(text.substr(0, split));
  if (!a) return 0;
  const std::string canonical = a->canonical();
  const Quantity again = Quantity::parse(canonical).must();
  CHECK(again == *a);
  // A binary amount that prints without a suffix comes back as a decimal one, which may print
  // otherwise (69831531.25Ki, 71507488000, 71507488k); from there on it is settled.
  const std::string settled = again.canonical();
  CHECK(Quantity::parse(settled).must().canonical() == settled);
  CHECK(Quantity::parse(a->to_string()).must() == *a);
  CHECK(-(-*a) == *a);
  if (const auto value = a->value()) {
    CHECK(Quantity::of(*value) == a->round_up(muster::QuantityScale::unit));
  }
  if (split == std::string_view::npos) return 0;
  const auto b = Quantity::parse(text.substr(split + 1));
  if (!b) return 0;
  CHECK((*a + *b) - *b == *a);
  CHECK((*a < *b) == ((*a - *b).sign() < 0));
  return 0;
}
