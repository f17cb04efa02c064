// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/patch.h"

#include <gtest/gtest.h>

#include "objects/json.h"

namespace muster::objects {
namespace {

TEST(PatchType, is_read_from_the_content_type) {
  EXPECT_EQ(patch_type("application/json-patch+json").must(), PatchType::json);
  EXPECT_EQ(patch_type("application/merge-patch+json; charset=utf-8").must(), PatchType::merge);
  EXPECT_EQ(patch_type(" Application/Strategic-Merge-Patch+JSON ;a=b").must(),
            PatchType::strategic_merge);
}

TEST(PatchType, has_the_media_type_it_is_read_from) {
  for (const PatchType type : {PatchType::json, PatchType::merge, PatchType::strategic_merge}) {
    EXPECT_EQ(patch_type(media_type(type)).must(), type);
  }
}

TEST(PatchType, refuses_other_content_types_and_names_its_own) {
  for (const std::string_view text : {"", ";", "application/json", "application/json-patch+jso"}) {
    const auto refused = patch_type(text);
    EXPECT_EQ(refused.error().code, ErrorCode::unsupported_media_type) << text;
    EXPECT_EQ(refused.error().message,
              "the body of the request was in an unknown format - accepted media types include: "
              "application/json-patch+json, application/merge-patch+json, "
              "application/strategic-merge-patch+json");
  }
}

TEST(Patch, of_each_type_is_applied_through_one_front) {
  const Value object = parse_json(R"({"a":1,"b":2})").must();
  const PlainPatchSchema schema;
  const auto apply = [&](PatchType type, std::string_view patch) {
    return to_json(apply_patch(type, object, parse_json(patch).must(), schema).must());
  };
  EXPECT_EQ(apply(PatchType::json, R"([{"op":"remove","path":"/b"}])"), R"({"a":1})");
  EXPECT_EQ(apply(PatchType::merge, R"({"b":null})"), R"({"a":1})");
  EXPECT_EQ(apply(PatchType::strategic_merge, R"({"$retainKeys":["a"]})"), R"({"a":1})");
}

}  // namespace
}  // namespace muster::objects
