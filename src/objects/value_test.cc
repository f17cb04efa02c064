// SPDX-License-Identifier: Apache-2.0
#include "objects/value.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "objects/builder.h"
#include "objects/json.h"

namespace muster::objects {
namespace {

constexpr std::string_view pod_text =
    R"({"metadata":{"name":"a","labels":{"x":"y"}},"spec":{"containers":[{"name":"c","n":1.5}]}})";

Value object_with(std::size_t count, bool sorted) {
  Builder builder;
  std::vector<Node::Member> members;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t number = 100000 + (sorted ? i : (i * 7919) % count);
    members.push_back({builder.text("key-" + std::to_string(number)),
                       Builder::integer(static_cast<std::int64_t>(number))});
  }
  const Node root = builder.object(members);
  return std::move(builder).finish(root);
}

TEST(Value, reads_through_absent_members_without_failing) {
  const Value pod = parse_json(pod_text).must();
  EXPECT_EQ(pod["metadata"]["name"].string_or(""), "a");
  EXPECT_TRUE(pod["status"]["phase"]["deeper"].is_absent());
  EXPECT_EQ(pod["spec"]["containers"][std::size_t{0}]["n"].real(), 1.5);
  EXPECT_TRUE(pod["spec"]["containers"][std::size_t{9}].is_absent());
  EXPECT_TRUE(pod["spec"]["containers"]["name"].is_absent());
  EXPECT_EQ(pod["metadata"]["name"].integer(), std::nullopt);
}

TEST(Value, equality_ignores_member_order_but_not_number_type) {
  const auto same = [](std::string_view a, std::string_view b) {
    const bool equal = parse_json(a).must().view() == parse_json(b).must().view();
    EXPECT_EQ(equal, hash(parse_json(a).must()) == hash(parse_json(b).must())) << a;
    return equal;
  };
  EXPECT_TRUE(same(R"({"a":1,"b":{"c":[1,2]}})", R"({"b":{"c":[1,2]},"a":1})"));
  EXPECT_FALSE(same("1", "1.0"));
  EXPECT_FALSE(same("[1,2]", "[2,1]"));
  EXPECT_FALSE(same(R"({"a":null})", R"({"b":null})"));
  EXPECT_FALSE(same(R"({"a":1,"b":2})", R"({"a":1,"c":2})"));
  EXPECT_TRUE(same("0.0", "-0.0"));
  EXPECT_FALSE(same("{}", "[]"));
}

TEST(Value, finds_members_however_many_and_in_whatever_order) {
  for (const std::size_t count : {0U, 1U, 31U, 32U, 33U, 1000U}) {
    for (const bool sorted : {true, false}) {
      const Value value = object_with(count, sorted);
      const Value copy = Value::copy_of(value);
      for (std::size_t i = 0; i < count; ++i) {
        const std::string key = "key-" + std::to_string(100000 + i);
        EXPECT_EQ(value[key].integer_or(0), 100000 + static_cast<std::int64_t>(i));
        EXPECT_TRUE(copy[key] == value[key]);
      }
      EXPECT_TRUE(value["key-"].is_absent());
      EXPECT_TRUE(value["zzz"].is_absent());
      EXPECT_TRUE(copy.view() == value.view());
      EXPECT_TRUE(object_with(count, !sorted).view() == value.view());
    }
  }
}

TEST(Value, hashes_of_different_values_differ) {
  std::set<std::uint64_t> seen;
  std::size_t count = 0;
  const auto add = [&](const Value& value) {
    seen.insert(hash(value));
    ++count;
  };
  for (std::int64_t i = -20000; i < 20000; ++i) {
    add(Value::integer(i));
    add(Value::string(std::to_string(i)));
    add(Value::real(static_cast<double>(i) + 0.5));
    add(Value::object({{"a", Value::integer(i)}, {"b", Value::integer(-i)}}));
    add(Value::array({Value::integer(i), Value::integer(i + 1)}));
  }
  for (std::size_t size = 0; size < 200; ++size) add(Value::string(std::string(size, 'x')));
  EXPECT_EQ(seen.size(), count);
  EXPECT_NE(hash(parse_json(R"({"a":"b","c":"d"})").must()),
            hash(parse_json(R"({"a":"d","c":"b"})").must()));
}

TEST(Value, scalars_need_no_arena) {
  EXPECT_EQ(Value::integer(7).arenas(), 0U);
  EXPECT_EQ(Value::boolean(true).memory(), sizeof(Value));
  EXPECT_EQ(Value::copy_of(Value::null()).arenas(), 0U);
}

TEST(Value, a_copy_takes_what_it_needs_to_the_byte) {
  const Value value = parse_json(R"({"name":"abcdefg","list":[1,2,3]})").must();
  const Value copy = Value::copy_of(value);
  const Value again = Value::copy_of(copy);
  EXPECT_EQ(copy.arenas(), 1U);
  EXPECT_EQ(copy.memory(), again.memory());
  const Value longer = parse_json(R"({"name":"abcdefgh","list":[1,2,3]})").must();
  EXPECT_LE(Value::copy_of(longer).memory() - copy.memory(), 8U);
}

TEST(Value, a_part_keeps_the_whole_alive) {
  Value part;
  {
    const Value whole = parse_json(pod_text).must();
    part = whole.part(whole["spec"]["containers"]);
  }
  EXPECT_EQ(to_json(part), R"([{"name":"c","n":1.5}])");
}

}  // namespace
}  // namespace muster::objects
