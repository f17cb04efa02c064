// SPDX-License-Identifier: Apache-2.0
//
// A program of its own, because it counts every allocation of the process.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>

#include "base/quantity.h"

namespace {
int allocations = 0;
}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace muster {
namespace {

static_assert(sizeof(Quantity) == 24, "two words of number and format, one for the rare rest");

TEST(QuantityAllocation, usual_quantities_touch_no_heap) {
  std::string out;
  out.reserve(64);
  for (const std::string_view text : {"8", "1500m", "0.5", "64Gi", "1.5", "100M", "12e6", "250m"}) {
    const int before = allocations;
    const auto parsed = Quantity::parse(text);
    const Quantity doubled = *parsed + *parsed;
    const bool is_more = doubled > *parsed;
    const auto milli = doubled.milli_value();
    out.clear();
    doubled.append_to(out);
    const int after = allocations;
    EXPECT_EQ(after - before, 0) << text;
    EXPECT_TRUE(is_more && milli.has_value());
  }
}

TEST(QuantityAllocation, the_counter_counts) {
  const int before = allocations;
  const auto kept = Quantity::parse("010");
  EXPECT_GT(allocations, before) << kept->to_string();
}

}  // namespace
}  // namespace muster
