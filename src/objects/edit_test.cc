// SPDX-License-Identifier: Apache-2.0
#include "objects/edit.h"

#include <gtest/gtest.h>

#include <string>

#include "objects/builder.h"
#include "objects/json.h"
#include "objects/limits.h"

namespace muster::objects {
namespace {

constexpr std::size_t first = 0;
constexpr std::size_t second = 1;

TEST(Edit, shares_what_it_does_not_change) {
  const Value before = parse_json(R"({"a":{"b":[1,2,3]},"c":{"d":4}})").must();
  const Value after = with(before, {"a", "b", second}, Value::string("two")).must();
  EXPECT_EQ(to_json(after), R"({"a":{"b":[1,"two",3]},"c":{"d":4}})");
  EXPECT_EQ(after["c"].node().members, before["c"].node().members);
  EXPECT_EQ(to_json(before), R"({"a":{"b":[1,2,3]},"c":{"d":4}})");
  EXPECT_EQ(to_json(without(after, {"a"}).must()), R"({"c":{"d":4}})");
}

TEST(Edit, makes_objects_on_the_way_and_appends_at_the_end) {
  const Value empty = parse_json("{}").must();
  EXPECT_EQ(to_json(with(empty, {"a", "b", "c"}, Value::integer(1)).must()),
            R"({"a":{"b":{"c":1}}})");
  const Value list = parse_json(R"({"l":[1],"n":null})").must();
  EXPECT_EQ(to_json(with(list, {"l", second}, Value::integer(2)).must()),
            R"({"l":[1,2],"n":null})");
  EXPECT_EQ(to_json(with(list, {"n", "x"}, Value::integer(2)).must()), R"({"l":[1],"n":{"x":2}})");
  EXPECT_EQ(to_json(with(list, {}, Value::integer(9)).must()), "9");
}

TEST(Edit, refuses_a_step_through_a_scalar_and_past_the_end) {
  const Value value = parse_json(R"({"a":{"b":[1]}})").must();
  EXPECT_EQ(with(value, {"a", "b", first, "c"}, Value::null()).error(),
            Error::invalid("expected an object, found integer", "a.b[0]"));
  EXPECT_EQ(with(value, {"a", first}, Value::null()).error(),
            Error::invalid("expected an array, found object", "a"));
  EXPECT_EQ(with(value, {"a", "b", std::size_t{5}}, Value::null()).error(),
            Error::invalid("index 5 is past the end of 1", "a.b"));
}

TEST(Edit, removes_what_is_there_and_leaves_what_is_not) {
  const Value value = parse_json(R"({"a":[1,2,{"b":3}]})").must();
  EXPECT_EQ(to_json(without(value, {"a", first}).must()), R"({"a":[2,{"b":3}]})");
  EXPECT_EQ(to_json(without(value, {"a", std::size_t{2}, "b"}).must()), R"({"a":[1,2,{}]})");
  const Value same = without(value, {"x", "y"}).must();
  EXPECT_EQ(same.view().node().members, value.view().node().members);
  EXPECT_TRUE(without(value, {}).must().is_absent());
}

TEST(Edit, ten_thousand_edits_stay_small) {
  Value value = parse_json(R"({"spec":{"a":{"b":[1,2,3]},"n":0},"status":{"text":"x"}})").must();
  const std::size_t before = Value::copy_of(value).memory();
  for (std::int64_t i = 0; i < 10000; ++i) {
    value = with(value, {"spec", "n"}, Value::integer(i)).must();
    ASSERT_LE(value.arenas(), arenas_retained_max);
    ASSERT_LE(value.memory(), before + arenas_retained_max * 1024);
  }
  EXPECT_EQ(value["spec"]["n"].integer_or(0), 9999);
}

TEST(Edit, values_that_hold_each_other_count_every_arena_once) {
  const Value base = parse_json(R"({"x":{"y":[1,2,3]}})").must();
  const Value left = with(base, {"l"}, Value::integer(1)).must();
  const Value right = with(base, {"r"}, Value::integer(2)).must();
  Builder builder;
  const Node::Member members[] = {{Builder::literal("left"), builder.embed(left)},
                                  {Builder::literal("right"), builder.embed(right)},
                                  {Builder::literal("base"), builder.embed(base)}};
  const Node root = builder.object(members);
  const Value both = std::move(builder).finish(root);
  EXPECT_EQ(left.arenas(), 2U);
  EXPECT_EQ(both.arenas(), 4U);
  EXPECT_LT(both.memory(), left.memory() + right.memory() + 1024);
}

TEST(Edit, embedding_many_values_ends_in_one_arena) {
  Builder builder;
  std::vector<Node> nodes;
  for (std::int64_t i = 0; i < 5000; ++i) {
    nodes.push_back(builder.embed(Value::object({{"i", Value::integer(i)}})));
  }
  const Node root = builder.array(nodes);
  const Value list = std::move(builder).finish(root);
  EXPECT_EQ(list.arenas(), 1U);
  EXPECT_EQ(list[std::size_t{4999}]["i"].integer_or(0), 4999);
}

TEST(Edit, a_large_object_stays_searchable_through_edits) {
  std::string text = "{";
  for (int i = 0; i < 2000; ++i) text += "\"k" + std::to_string(i * 7 % 2000) + "\":" + "0,";
  text.back() = '}';
  Value value = parse_json(text).must();
  for (int i = 0; i < 2000; i += 100) {
    const std::string key = "k" + std::to_string(i);
    const Step path[] = {std::string_view(key)};
    value = with(value, path, Value::integer(i)).must();
  }
  for (int i = 0; i < 2000; ++i) {
    EXPECT_EQ(value["k" + std::to_string(i)].integer_or(-1), i % 100 == 0 ? i : 0);
  }
  value = without(value, {"k100"}).must();
  EXPECT_TRUE(value["k100"].is_absent());
  EXPECT_EQ(value["k200"].integer_or(0), 200);
}

TEST(Path, is_written_as_kubernetes_writes_it) {
  const Step path[] = {"spec", "containers", first, "image"};
  EXPECT_EQ(to_string(path), "spec.containers[0].image");
  EXPECT_EQ(to_string(Path()), "");
}

}  // namespace
}  // namespace muster::objects
