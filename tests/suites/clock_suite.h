// What every Clock promises. A world is a clock and a way to let time pass.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "base/clock.h"

namespace muster::suites {

class ClockWorld {
 public:
  virtual ~ClockWorld() = default;
  virtual const Clock& clock() = 0;
  virtual void pass(Span span) = 0;  // returns when at least that much has passed
};

using ClockWorldFactory = std::unique_ptr<ClockWorld> (*)();

class ClockSuite : public ::testing::TestWithParam<ClockWorldFactory> {
 protected:
  std::unique_ptr<ClockWorld> world_ = GetParam()();
};

TEST_P(ClockSuite, monotonic_time_never_goes_back) {
  MonotonicInstant last = world_->clock().monotonic();
  for (int i = 0; i < 1000; ++i) {
    const MonotonicInstant now = world_->clock().monotonic();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST_P(ClockSuite, time_passes_on_both_lines) {
  const MonotonicInstant monotonic = world_->clock().monotonic();
  const Instant wall = world_->clock().wall();
  world_->pass(Span::of_milliseconds(3));
  EXPECT_GE(world_->clock().monotonic() - monotonic, Span::of_milliseconds(3));
  EXPECT_GT(world_->clock().wall(), wall);
}

TEST_P(ClockSuite, the_wall_shows_a_year_of_ours) {
  constexpr Instant year_2020 = {Span::of_seconds(1'577'836'800).nanoseconds};
  constexpr Instant year_2200 = {Span::of_seconds(7'258'118'400).nanoseconds};
  EXPECT_GT(world_->clock().wall(), year_2020);
  EXPECT_LT(world_->clock().wall(), year_2200);
}

}  // namespace muster::suites
