// SPDX-License-Identifier: Apache-2.0
#include "base/unique_function.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster {
namespace {

TEST(UniqueFunction, calls_with_arguments_and_returns) {
  UniqueFunction<int(int, int)> sum = [](int a, int b) { return a + b; };
  EXPECT_EQ(sum(20, 22), 42);
  UniqueFunction<std::string(std::unique_ptr<std::string>)> unwrap =
      [](std::unique_ptr<std::string> text) { return std::move(*text); };
  EXPECT_EQ(unwrap(std::make_unique<std::string>("gang")), "gang");
  int n = 0;
  UniqueFunction<void(int&)> increment = [](int& value) { ++value; };
  increment(n);
  EXPECT_EQ(n, 1);
}

TEST(UniqueFunction, is_empty_until_given_something_and_after_it_was_moved) {
  UniqueFunction<void()> empty;
  EXPECT_FALSE(empty);
  UniqueFunction<void()> full = [] {};
  EXPECT_TRUE(full);
  empty = std::move(full);
  EXPECT_TRUE(empty);
  EXPECT_FALSE(full);
  empty = nullptr;
  EXPECT_FALSE(empty);
}

TEST(UniqueFunction, keeps_state_between_calls) {
  UniqueFunction<int()> count = [n = 0]() mutable { return ++n; };
  count();
  UniqueFunction<int()> moved = std::move(count);
  EXPECT_EQ(moved(), 2);
}

// The same promises for what lives inside, what moves by its own rules, and what is on the heap.
template <class Payload>
void owns_and_drops() {
  const auto witness = std::make_shared<int>(7);
  {
    UniqueFunction<int()> first = [witness, payload = Payload{}]() mutable {
      payload = Payload{};
      return *witness;
    };
    EXPECT_EQ(witness.use_count(), 2);
    UniqueFunction<int()> second = std::move(first);
    EXPECT_EQ(witness.use_count(), 2);
    EXPECT_EQ(second(), 7);
    std::vector<UniqueFunction<int()>> many;
    for (int i = 0; i < 10; ++i) many.emplace_back([] { return 1; });
    many.push_back(std::move(second));
    many.erase(many.begin(), many.begin() + 10);
    EXPECT_EQ(many.front()(), 7);
    many.front() = [] { return 0; };
    EXPECT_EQ(witness.use_count(), 1) << "assignment drops what was there";
    second = [witness] { return 1; };
  }
  EXPECT_EQ(witness.use_count(), 1);
}

TEST(UniqueFunction, owns_what_lives_inside) {
  owns_and_drops<char>();
}
TEST(UniqueFunction, owns_what_moves_by_its_own_rules) {
  owns_and_drops<std::unique_ptr<int>>();
}
TEST(UniqueFunction, owns_what_lives_on_the_heap) {
  owns_and_drops<std::array<char, 200>>();
}

TEST(UniqueFunction, a_string_that_points_into_itself_survives_moves) {
  UniqueFunction<std::string()> function = [text = std::string("short")] { return text; };
  std::vector<UniqueFunction<std::string()>> many;
  many.push_back(std::move(function));
  for (int i = 0; i < 100; ++i) many.emplace_back([] { return std::string(); });
  EXPECT_EQ(many.front()(), "short");
}

TEST(UniqueFunction, may_drop_itself_as_its_last_act) {
  auto holder = std::make_unique<UniqueFunction<void()>>();
  bool ran = false;
  *holder = [&] {
    ran = true;
    holder.reset();
  };
  (*holder)();
  EXPECT_TRUE(ran);
}

TEST(UniqueFunctionDeathTest, calling_an_empty_one_is_a_bug) {
  UniqueFunction<void()> empty;
  EXPECT_DEATH(empty(), "CHECK failed");
}

}  // namespace
}  // namespace muster
