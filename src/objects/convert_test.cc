// SPDX-License-Identifier: Apache-2.0
// What Kueue itself converts is in tests/scenarios/conversion; here is what it cannot answer.
#include "objects/convert.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "objects/convert_kueue_hostnames.h"
#include "objects/json.h"

namespace muster::objects {
namespace {

Value json(std::string_view text) {
  return parse_json(text).must();
}

Value workload_with_domains(const std::vector<std::string>& hostnames) {
  std::string domains;
  for (const std::string& hostname : hostnames) {
    domains +=
        fmt::format(R"({}{{"values":["{}"],"count":1}})", domains.empty() ? "" : ",", hostname);
  }
  return json(fmt::format(
      R"({{"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Workload","status":{{"admission":{{
          "podSetAssignments":[{{"topologyAssignment":{{"levels":["kubernetes.io/hostname"],
          "domains":[{}]}}}}]}}}}}})",
      domains));
}

View topology(const Value& workload) {
  return workload["status"]["admission"]["podSetAssignments"][0]["topologyAssignment"];
}

TEST(Convert, an_object_in_the_wanted_version_is_returned_as_it_is) {
  const Value object = json(R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload"})");
  const Value same = convert("kueue-workload", object, "v1beta2").must();
  EXPECT_EQ(same.view(), object.view());
}

TEST(Convert, a_kind_without_a_conversion_changes_its_version_only) {
  const Value object = json(R"({"apiVersion":"example.com/v1","kind":"Any","spec":{"a":[1]}})");
  const Value converted = convert("", object, "v2").must();
  EXPECT_EQ(to_json(converted), R"({"apiVersion":"example.com/v2","kind":"Any","spec":{"a":[1]}})");
}

TEST(Convert, a_kind_of_the_core_group_has_no_slash) {
  const Value object = json(R"({"apiVersion":"v1","kind":"Any"})");
  EXPECT_EQ(to_json(convert("", object, "v2").must()), R"({"apiVersion":"v2","kind":"Any"})");
}

TEST(Convert, an_unknown_conversion_is_refused) {
  const Value object = json(R"({"apiVersion":"example.com/v1"})");
  EXPECT_EQ(convert("example", object, "v2").error(),
            (Error{ErrorCode::not_found, "there is no conversion named example"}));
}

TEST(Convert, a_version_that_the_kind_does_not_have_is_refused) {
  const Value object = json(R"({"apiVersion":"kueue.x-k8s.io/v1beta1"})");
  EXPECT_EQ(convert("kueue-cohort", object, "v1").error(),
            (Error{ErrorCode::not_found, "kueue-cohort does not convert from v1beta1 to v1"}));
}

TEST(Convert, an_object_without_a_version_is_refused) {
  EXPECT_EQ(convert("", json("{}"), "v1").error(), Error::invalid("must be set", "apiVersion"));
}

TEST(Convert, parts_of_a_wrong_type_do_no_harm) {
  for (const std::string_view name : {"kueue-cluster-queue", "kueue-cohort", "kueue-local-queue",
                                      "kueue-multi-kueue-cluster", "kueue-workload"}) {
    for (const std::string_view version : {"v1beta1", "v1beta2"}) {
      const std::string_view to = version == "v1beta1" ? "v1beta2" : "v1beta1";
      for (const std::string_view parts :
           {R"("spec":null,"status":[])", R"("spec":"s","status":{"admission":[1]})",
            R"("spec":{"podSets":[1,null],"cohort":1,"admissionChecks":{"a":1}})",
            R"("status":{"admission":{"podSetAssignments":[{"topologyAssignment":{}}]}})"}) {
        const Value object =
            json(fmt::format(R"({{"apiVersion":"kueue.x-k8s.io/{}",{}}})", version, parts));
        EXPECT_TRUE(convert(name, object, to).has_value()) << name << " " << to_json(object);
      }
    }
  }
}

TEST(Convert, letters_are_not_torn_apart) {
  const Value packed =
      convert("kueue-workload", workload_with_domains({"a-\u00e4-\u00e4", "a-\u00f6-\u00e4"}),
              "v1beta2")
          .must();
  const View level = topology(packed)["slices"][0]["valuesPerLevel"][0];
  EXPECT_EQ(to_json(level),
            "{\"individual\":{\"prefix\":\"a-\",\"suffix\":\"-\u00e4\","
            "\"roots\":[\"\u00e4\",\"\u00f6\"]}}");
}

TEST(Convert, letters_with_a_common_last_byte_are_not_torn_apart) {
  // U+00E4 is c3 a4 and U+0124 is c4 a4.
  const Value packed =
      convert("kueue-workload", workload_with_domains({"x\u00e4", "x\u0124"}), "v1beta2").must();
  const View level = topology(packed)["slices"][0]["valuesPerLevel"][0];
  EXPECT_EQ(to_json(level),
            "{\"individual\":{\"prefix\":\"x\",\"roots\":[\"\u00e4\",\"\u0124\"]}}");
}

TEST(Convert, prefixes_get_shorter_until_the_slices_are_few_enough) {
  // 1001 pools of two hosts each would be one slice too many; their common first part is one.
  std::vector<std::string> names;
  for (int pool = 0; pool < 1001; ++pool) {
    for (int host = 0; host < 2; ++host) names.push_back(fmt::format("c-p{}-{}", pool, host));
  }
  const std::vector<std::string_view> hostnames(names.begin(), names.end());
  EXPECT_EQ(runs_by_hostname_prefix(hostnames), (std::vector<std::size_t>{2002}));
  const std::span<const std::string_view> fewer(hostnames.data(), 2000);
  EXPECT_EQ(runs_by_hostname_prefix(fewer).size(), 1000U);
}

TEST(Convert, sizes_are_those_of_go) {
  // Measured with encoding/json of Go 1.26.
  EXPECT_EQ(json_size_in_go(json(R"({"a":[1,-20,true,null,1.5],"b":{}})")), 34U);
  EXPECT_EQ(json_size_in_go(json(R"("<&>")")), 20U);
  EXPECT_EQ(json_size_in_go(json(R"("\"\\\n\u0001")")), 14U);
  EXPECT_EQ(json_size_in_go(json(R"("\u2028\u00e4")")), 10U);
}

}  // namespace
}  // namespace muster::objects
