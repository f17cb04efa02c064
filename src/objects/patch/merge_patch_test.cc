// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/merge_patch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "objects/builder.h"
#include "objects/json.h"

namespace muster::objects {
namespace {

Value json(std::string_view text) {
  return parse_json(text).must();
}

TEST(MergePatch, shares_what_it_does_not_change) {
  const Value before = json(R"({"a":{"b":1},"c":{"d":{"e":2},"f":3}})");
  const Value after = apply_merge_patch(before, json(R"({"c":{"f":4}})")).must();
  EXPECT_EQ(to_json(after), R"({"a":{"b":1},"c":{"d":{"e":2},"f":4}})");
  EXPECT_EQ(after["a"].node().members, before["a"].node().members);
  EXPECT_EQ(after["c"]["d"].node().members, before["c"]["d"].node().members);
}

TEST(MergePatch, refuses_a_result_that_is_too_large) {
  const auto refused = apply_merge_patch(json(R"({"a":"0123456789"})"),
                                         json(R"({"b":"0123456789"})"), {.result_bytes_max = 20});
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
}

// Members k<first> … k<last - 1>.
Value large_object(int first, int last) {
  Builder builder;
  std::vector<Node::Member> members;
  for (int i = first; i < last; ++i) {
    members.push_back({builder.text(fmt::format("k{}", i)), Builder::integer(first)});
  }
  const Node root = builder.object(members);
  return std::move(builder).finish(root);
}

TEST(MergePatch, is_not_slow_on_large_objects) {
  const Value document = large_object(0, 50'000);
  const Value patch = large_object(25'000, 75'000);
  EXPECT_EQ(apply_merge_patch(document, patch).must().view().size(), 75'000U);
}

TEST(MergePatchBetween, says_only_what_changed) {
  const auto between = [](std::string_view from, std::string_view to) {
    return to_json(merge_patch_between(json(from), json(to)));
  };
  EXPECT_EQ(between(R"({"a":1})", R"({"a":1})"), "{}");
  EXPECT_EQ(between(R"({"a":1,"b":{"c":2,"d":3},"e":[1]})", R"({"b":{"c":4,"d":3},"e":[1,2]})"),
            R"({"a":null,"b":{"c":4},"e":[1,2]})");
  EXPECT_EQ(between(R"({"a":{"b":1}})", R"({"a":{}})"), R"({"a":{"b":null}})");
}

}  // namespace
}  // namespace muster::objects
