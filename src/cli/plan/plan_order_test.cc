// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/plan/plan_engine.h"
#include "objects/json.h"
#include "tests/plan/mutation.h"
#include "tests/plan/strange_world.h"

namespace muster::cli {
namespace {

class Numbers {
 public:
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return state_ >> 33;
  }

 private:
  std::uint64_t state_ = 4077;
};

void shuffle(std::vector<PlanSource>& sources, Numbers& numbers) {
  for (std::size_t i = sources.size(); i > 1; --i) {
    std::swap(sources[i - 1], sources[numbers.next() % i]);
  }
}

// Objects are heard of in any order: a workload before its queue, its flavor, its topology and the
// nodes that it stands on.
TEST(plan_order, any_order_of_the_objects_gives_the_same_bytes) {
  const PlanEngine engine(objects::KindRegistry::built_in().must());
  const auto world = read_plan_text(tests::strange_world(), "world").must();
  Numbers numbers;
  int planned = 0;
  for (int round = 0; round < 120; ++round) {
    std::vector<std::uint8_t> bytes(64);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(numbers.next());
    tests::Mutation mutation(bytes);
    PlanInput input{.sources = {}, .cycles = 3};
    for (PlanSource source : world) {
      if (mutation.next(30) == 1) continue;
      if (mutation.next(40) == 1) source.object = mutation.of(source.object);
      input.sources.push_back(std::move(source));
    }
    const auto document = engine.answer(input);
    if (!document) continue;
    ++planned;
    shuffle(input.sources, numbers);
    auto again = engine.answer(input);
    ASSERT_TRUE(again.has_value()) << again.error().to_string();
    // What is ignored is listed as it came.
    const std::string before = objects::to_json((*document)["cycles"]);
    EXPECT_EQ(objects::to_json((*again)["cycles"]), before) << "round " << round;
    for (const std::string_view part : {"queues", "evicted", "finished", "quota", "shares"}) {
      EXPECT_EQ(objects::to_json((*again)[part]), objects::to_json((*document)[part]))
          << part << " in round " << round;
    }
  }
  EXPECT_GT(planned, 30);
}

}  // namespace
}  // namespace muster::cli
