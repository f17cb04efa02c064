// SPDX-License-Identifier: Apache-2.0
#include "agent/volumes.h"

#include <gtest/gtest.h>

#include "objects/json.h"

namespace muster::agent {

namespace {

using objects::Value;

TEST(Volumes, a_path_stays_inside_or_is_refused) {
  for (const char* path : {"a", "a/b", "..a", "a..", "...", "a b", ".hidden"}) {
    EXPECT_TRUE(is_path_inside(path)) << path;
  }
  for (const char* path : {"", "/", "/a", "..", ".", "a/..", "../a", "a//b", "a/", "a/./b"}) {
    EXPECT_FALSE(is_path_inside(path)) << path;
  }
  EXPECT_FALSE(is_path_inside(std::string_view("a\0b", 3)));
}

// Server and schema refuse such names; a node that trusts them would write anywhere.
TEST(Volumes, no_name_leads_out_of_the_pod) {
  const NodeOptions node{.name = "n"};
  const char* const pods[] = {
      R"({"spec":{"volumes":[{"name":"../v","emptyDir":{}}]}})",
      R"({"spec":{"volumes":[{"name":"v","configMap":{"name":"m",
          "items":[{"key":"k","path":"../x"}]}}]}})",
      R"({"spec":{"volumes":[{"name":"v","configMap":{"name":"bad"}}]}})",
      R"({"spec":{"volumes":[{"name":"v","downwardAPI":{"items":[{"path":"/x",
          "fieldRef":{"fieldPath":"metadata.name"}}]}}]}})",
  };
  for (const char* text : pods) {
    const Value pod = objects::parse_json(text).must();
    Surroundings surroundings{.node = node};
    surroundings.config_maps["m"] = objects::parse_json(R"({"data":{"k":"v"}})").must();
    surroundings.config_maps["bad"] = objects::parse_json(R"({"data":{"../k":"v"}})").must();
    EXPECT_FALSE(volumes_of(pod, surroundings, "/pods/u")) << text;
  }
}

TEST(Volumes, files_beyond_the_limit_are_refused) {
  const NodeOptions node{.name = "n"};
  Surroundings surroundings{.node = node};
  const std::string large(3 << 20, 'x');
  surroundings.config_maps["m"] =
      Value::object({{"data", Value::object({{"k", Value::string(large)}})}});
  std::string text = R"({"spec":{"volumes":[)";
  for (int i = 0; i < 6; ++i) {
    text += (i == 0 ? "" : ",") + std::string(R"({"name":"v)") + std::to_string(i) +
            R"(","configMap":{"name":"m"}})";
  }
  const Value pod = objects::parse_json(text + "]}}").must();
  const auto volumes = volumes_of(pod, surroundings, "/pods/u");
  ASSERT_FALSE(volumes);
  EXPECT_EQ(volumes.error().code, ErrorCode::too_large);
}

}  // namespace

}  // namespace muster::agent
