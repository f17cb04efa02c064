// SPDX-License-Identifier: Apache-2.0
#include "core/model/registry.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/id.h"
#include "core/model/member_list.h"

namespace muster::core {
namespace {

using ThingId = Id<struct ThingTag>;

TEST(registry, finds_each_name_while_others_come_and_go) {
  Registry<ThingId, int> things;
  std::map<std::string, ThingId> held;
  std::uint64_t dice = 7;
  for (int step = 0; step < 20'000; ++step) {
    dice = dice * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::string name = fmt::format("thing-{}", (dice >> 33) % 500);
    const auto known = held.find(name);
    if (known == held.end()) {
      const ThingId id = things.hold(name);
      things[id] = step;
      held.emplace(name, id);
    } else {
      ASSERT_EQ(things.find(name), known->second);
      things.release(known->second);
      held.erase(known);
      ASSERT_TRUE(things.find(name).is_none());
    }
    ASSERT_EQ(things.size(), held.size());
  }
  for (const auto& [name, id] : held) {
    EXPECT_EQ(things.find(name), id);
    EXPECT_EQ(things.key(id), name);
  }
}

TEST(registry, keeps_a_row_where_it_is_until_nobody_holds_it) {
  Registry<ThingId, int> things;
  const ThingId first = things.hold("first");
  const int* row = &things[first];
  things[first] = 5;
  EXPECT_EQ(things.hold("first"), first);
  for (int i = 0; i < 1'000; ++i) things.hold(fmt::format("other-{}", i));
  EXPECT_EQ(&things[first], row);
  const std::uint64_t version = things.version();
  things.release(first);
  EXPECT_EQ(things.version(), version);
  EXPECT_EQ(things[things.find("first")], 5);
  things.release(first);
  EXPECT_NE(things.version(), version);
  EXPECT_TRUE(things.find("first").is_none());
}

TEST(member_list, lets_anybody_go_without_a_walk_through_the_others) {
  std::map<ThingId, std::uint32_t> places;
  const auto place_of = [&](ThingId id) -> std::uint32_t& { return places[id]; };
  MemberList<ThingId> list;
  for (std::uint32_t i = 0; i < 5; ++i) list.add(ThingId(i), place_of);
  list.remove(ThingId(1), place_of);
  list.remove(ThingId(4), place_of);
  EXPECT_EQ(list.size(), 3U);
  EXPECT_EQ(places[ThingId(1)], MemberList<ThingId>::nowhere);
  for (const ThingId id : list) EXPECT_EQ(*(list.begin() + places[id]), id);
}

}  // namespace
}  // namespace muster::core
