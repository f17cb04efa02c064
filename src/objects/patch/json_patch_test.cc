// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/json_patch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "objects/builder.h"
#include "objects/json.h"

namespace muster::objects {
namespace {

Value json(std::string_view text) {
  return parse_json(text, {.bytes_max = std::size_t{64} * 1024 * 1024}).must();
}

Result<Value> patched(std::string_view document, std::string_view patch,
                      const PatchLimits& limits = {}) {
  return apply_json_patch(json(document), json(patch), limits);
}

TEST(JsonPatch, shares_what_it_does_not_change) {
  const Value before = json(R"({"a":{"b":[1,2]},"c":{"d":[{"e":1},{"f":2}]}})");
  const Value after = apply_json_patch(before, json(R"([{"op":"test","path":"/a/b/0","value":1},
                                        {"op":"replace","path":"/c/d/0/e","value":9}])"))
                          .must();
  EXPECT_EQ(to_json(after), R"({"a":{"b":[1,2]},"c":{"d":[{"e":9},{"f":2}]}})");
  EXPECT_EQ(after["a"].node().members, before["a"].node().members);
  EXPECT_EQ(after["c"]["d"][1].node().members, before["c"]["d"][1].node().members);
}

TEST(JsonPatch, that_only_tests_returns_the_very_document) {
  const Value before = json(R"({"a":{"b":[1,2]}})");
  const Value after =
      apply_json_patch(before, json(R"([{"op":"test","path":"/a/b/1","value":2}])")).must();
  EXPECT_EQ(after.view().node().members, before.view().node().members);
}

TEST(JsonPatch, leaves_the_document_alone_when_an_operation_fails) {
  const Value before = json(R"({"a":[1,2,3]})");
  const auto after = apply_json_patch(
      before, json(R"([{"op":"remove","path":"/a/0"},{"op":"remove","path":"/nope"}])"));
  EXPECT_EQ(after.error().code, ErrorCode::invalid);
  EXPECT_EQ(to_json(before), R"({"a":[1,2,3]})");
}

TEST(JsonPatch, keeps_the_order_of_members_and_appends_new_ones) {
  EXPECT_EQ(to_json(patched(R"({"z":1,"a":2,"m":3})",
                            R"([{"op":"remove","path":"/a"},{"op":"add","path":"/b","value":4},
                                {"op":"add","path":"/a","value":5}])")
                        .must()),
            R"({"z":1,"m":3,"b":4,"a":5})");
}

TEST(JsonPatch, sees_earlier_operations_in_later_ones) {
  EXPECT_EQ(to_json(patched(R"({"a":{"x":1}})",
                            R"([{"op":"copy","from":"/a","path":"/b"},
                                {"op":"add","path":"/a/y","value":2},
                                {"op":"copy","from":"/a","path":"/b/a"},
                                {"op":"test","path":"","value":
                                   {"a":{"x":1,"y":2},"b":{"x":1,"a":{"x":1,"y":2}}}},
                                {"op":"move","from":"/a","path":"/b/a/z"},
                                {"op":"remove","path":"/b/x"}])")
                        .must()),
            R"({"b":{"a":{"x":1,"y":2,"z":{"x":1,"y":2}}}})");
}

TEST(JsonPatch, refuses_more_operations_than_allowed) {
  const auto refused = patched("{}", R"([{"op":"add","path":"/a","value":1},
                                         {"op":"add","path":"/b","value":1}])",
                               {.operations_max = 1});
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_EQ(refused.error().message, "The allowed maximum operations in a JSON patch is 1, got 2");
}

TEST(JsonPatch, refuses_a_copy_bomb) {
  std::string patch = "[";
  for (int i = 0; i < 64; ++i) {
    patch += R"({"op":"copy","from":"/a","path":"/a/-"},)";
  }
  patch.back() = ']';
  const auto refused = patched(R"({"a":["0123456789abcdef"]})", patch);
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_TRUE(refused.error().message.starts_with(
      "Unable to complete the copy, the accumulated size increase of copy is "));
}

TEST(JsonPatch, refuses_to_nest_deeper_than_allowed) {
  std::string patch = "[";
  for (int i = 0; i < 12; ++i) patch += R"({"op":"copy","from":"/a","path":"/a/a"},)";
  patch.back() = ']';
  const auto refused = patched(R"({"a":{"b":{}}})", patch, {.depth_max = 8});
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_EQ(refused.error().message, "the patch nests deeper than 8");
}

TEST(JsonPatch, allows_exactly_the_depth_that_is_allowed) {
  EXPECT_TRUE(
      patched(R"({"a":{}})", R"([{"op":"add","path":"/a/b","value":[[]]}])", {.depth_max = 4}));
  EXPECT_FALSE(
      patched(R"({"a":{}})", R"([{"op":"add","path":"/a/b","value":[[]]}])", {.depth_max = 3}));
}

TEST(JsonPatch, refuses_to_shift_arrays_for_ever) {
  const auto refused =
      patched("[1,2,3,4,5,6]", R"([{"op":"remove","path":"/0"},{"op":"remove","path":"/0"}])",
              {.shifts_max = 8});
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
}

TEST(JsonPatch, refuses_a_result_that_is_too_large) {
  const auto refused = patched(R"({"a":1})", R"([{"op":"add","path":"/b","value":"0123456789"}])",
                               {.result_bytes_max = 16});
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
}

TEST(JsonPatch, is_not_slow_on_an_object_with_a_hundred_thousand_members) {
  Builder builder;
  std::vector<Node::Member> members;
  for (int i = 0; i < 100'000; ++i) {
    members.push_back({builder.text(fmt::format("k{}", i)), Builder::integer(i)});
  }
  const Node root = builder.object(members);
  const Value document = std::move(builder).finish(root);
  std::string patch = "[";
  for (int i = 0; i < 10'000; ++i) {
    patch += fmt::format(R"({{"op":"test","path":"/k{}","value":{}}},)", 99'999 - i, 99'999 - i);
  }
  patch.back() = ']';
  EXPECT_TRUE(apply_json_patch(document, json(patch)));
}

TEST(JsonPatch, refuses_what_is_no_patch) {
  EXPECT_EQ(patched("{}", "1").error().code, ErrorCode::bad_request);
  EXPECT_EQ(patched("{}", R"(["add"])").error().message,
            "json: cannot unmarshal string into Go value of type jsonpatch.Operation");
}

TEST(JsonPatchBetween, is_short_where_little_changed) {
  const auto between = [](std::string_view from, std::string_view to) {
    return to_json(json_patch_between(json(from), json(to)));
  };
  EXPECT_EQ(between("{}", "{}"), "[]");
  EXPECT_EQ(between(R"({"a":[1,2,3,4]})", R"({"a":[1,3,4]})"),
            R"([{"op":"remove","path":"/a/1"}])");
  EXPECT_EQ(between(R"({"a":[1,2]})", R"({"a":[1,9,2]})"),
            R"([{"op":"add","path":"/a/1","value":9}])");
  EXPECT_EQ(between(R"({"a/b":{"c":1},"d":2})", R"({"a/b":{"c":3}})"),
            R"([{"op":"replace","path":"/a~1b/c","value":3},{"op":"remove","path":"/d"}])");
}

TEST(JsonPatchBetween, replaces_the_document_when_it_would_need_too_many_operations) {
  std::string from = "[";
  std::string to = "[";
  for (std::size_t i = 0; i <= json_patch_operations_max; ++i) {
    from += "1,";
    to += "2,";
  }
  from.back() = ']';
  to.back() = ']';
  const Value patch = json_patch_between(json(from), json(to));
  EXPECT_EQ(patch.view().size(), 1U);
  EXPECT_TRUE(apply_json_patch(json(from), patch).must().view() == json(to).view());
}

}  // namespace
}  // namespace muster::objects
