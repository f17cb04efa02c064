// SPDX-License-Identifier: Apache-2.0
#include "objects/value.h"

#include <gtest/gtest.h>

#include "objects/edit.h"
#include "objects/json.h"

namespace muster::objects {
namespace {

TEST(Value, reads_through_absent_members_without_failing) {
  const Value pod =
      parse_json(R"({"metadata":{"name":"a"},"spec":{"containers":[{"x":1}]}})").must();
  EXPECT_EQ(pod["metadata"]["name"].string_or(""), "a");
  EXPECT_TRUE(pod["status"]["phase"]["deeper"].is_absent());
  EXPECT_EQ(pod["spec"]["containers"][std::size_t{0}]["x"].integer_or(0), 1);
}

TEST(Value, equality_ignores_member_order_but_not_number_type) {
  EXPECT_TRUE(parse_json(R"({"a":1,"b":2})").must() == parse_json(R"({"b":2,"a":1})").must());
  EXPECT_FALSE(parse_json("1").must() == parse_json("1.0").must());
}

TEST(Edit, shares_what_it_does_not_change) {
  const Value before = parse_json(R"({"a":{"b":[1,2,3]},"c":{"d":4}})").must();
  const Value after = with(before, {"a", "b", std::size_t{1}}, Value::string("two")).must();
  EXPECT_EQ(to_json(after), R"({"a":{"b":[1,"two",3]},"c":{"d":4}})");
  EXPECT_EQ(after["c"].node().members, before["c"].node().members);
  EXPECT_EQ(to_json(without(after, {"a"}).must()), R"({"c":{"d":4}})");
}

}  // namespace
}  // namespace muster::objects
