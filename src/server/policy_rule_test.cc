// SPDX-License-Identifier: Apache-2.0
#include "server/policy_rule.h"

#include <gtest/gtest.h>

#include "objects/json.h"

namespace muster::server {
namespace {

const Identity someone{.name = "u"};

std::vector<PolicyRule> rules(std::string_view json) {
  return read_policy_rules(objects::parse_json(json).must());
}

Access on(std::string_view verb, std::string_view group, std::string_view resource,
          std::string_view subresource = {}, std::string_view name = {}) {
  return {.identity = someone,
          .verb = verb,
          .group = group,
          .resource = resource,
          .subresource = subresource,
          .name_space = "a",
          .name = name};
}

bool rule_allows(std::string_view json, const Access& access) {
  return allows(rules(json).front(), access);
}

TEST(policy_rule, a_rule_is_about_its_verbs_groups_and_resources) {
  constexpr std::string_view rule =
      R"([{"verbs":["get","list"],"apiGroups":["","apps"],"resources":["pods","pods/log"]}])";
  EXPECT_TRUE(rule_allows(rule, on("get", "", "pods")));
  EXPECT_TRUE(rule_allows(rule, on("list", "apps", "pods")));
  EXPECT_TRUE(rule_allows(rule, on("get", "", "pods", "log", "p")));
  EXPECT_FALSE(rule_allows(rule, on("watch", "", "pods")));
  EXPECT_FALSE(rule_allows(rule, on("get", "batch", "pods")));
  EXPECT_FALSE(rule_allows(rule, on("get", "", "secrets")));
  EXPECT_FALSE(rule_allows(rule, on("get", "", "pods", "exec", "p")));
  EXPECT_FALSE(rule_allows(rule, {.identity = someone, .verb = "get", .path = "/pods"}));
}

TEST(policy_rule, stars_stand_for_everything_and_for_a_part_of_everything) {
  constexpr std::string_view all = R"([{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}])";
  EXPECT_TRUE(rule_allows(all, on("impersonate", "x.io", "things", "part", "n")));
  EXPECT_FALSE(rule_allows(all, {.identity = someone, .verb = "get", .path = "/metrics"}));
  constexpr std::string_view scale =
      R"([{"verbs":["update"],"apiGroups":["*"],"resources":["*/scale"]}])";
  EXPECT_TRUE(rule_allows(scale, on("update", "apps", "deployments", "scale", "d")));
  EXPECT_FALSE(rule_allows(scale, on("update", "apps", "deployments", "rescale", "d")));
  EXPECT_FALSE(rule_allows(scale, on("update", "apps", "deployments")));
  constexpr std::string_view parts =
      R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods/*"]}])";
  EXPECT_FALSE(rule_allows(parts, on("get", "", "pods", "log", "p")));
}

TEST(policy_rule, names_limit_a_rule_to_requests_that_have_one_of_them) {
  constexpr std::string_view rule =
      R"([{"verbs":["get","list"],"apiGroups":[""],"resources":["secrets"],)"
      R"("resourceNames":["a"]}])";
  EXPECT_TRUE(rule_allows(rule, on("get", "", "secrets", "", "a")));
  EXPECT_FALSE(rule_allows(rule, on("get", "", "secrets", "", "b")));
  EXPECT_FALSE(rule_allows(rule, on("list", "", "secrets")));
}

TEST(policy_rule, paths_may_end_in_a_star) {
  constexpr std::string_view rule =
      R"([{"verbs":["get"],"nonResourceURLs":["/api/*","/version"]}])";
  const auto path = [](std::string_view text, std::string_view verb = "get") {
    return Access{.identity = someone, .verb = verb, .path = text};
  };
  EXPECT_TRUE(rule_allows(rule, path("/version")));
  EXPECT_TRUE(rule_allows(rule, path("/api/v1")));
  EXPECT_FALSE(rule_allows(rule, path("/api")));
  EXPECT_FALSE(rule_allows(rule, path("/version/")));
  EXPECT_FALSE(rule_allows(rule, path("/version", "post")));
  EXPECT_TRUE(rule_allows(R"([{"verbs":["*"],"nonResourceURLs":["*"]}])", path("/x", "delete")));
}

TEST(policy_rule, what_is_not_owned_is_named_as_kube_apiserver_names_it) {
  const auto owned =
      rules(R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods","*/scale"]}])");
  const auto asked = rules(
      R"([{"verbs":["get","list"],"apiGroups":[""],"resources":["secrets","pods","x/scale"]},
          {"verbs":["get","post"],"nonResourceURLs":["/metrics"]}])");
  EXPECT_EQ(
      describe_gaps(not_covered(owned, asked)),
      (std::vector<std::string>{R"({APIGroups:[""], Resources:["pods"], Verbs:["list"]})",
                                R"({APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]})",
                                R"({APIGroups:[""], Resources:["x/scale"], Verbs:["list"]})",
                                R"({NonResourceURLs:["/metrics"], Verbs:["get"]})",
                                R"({NonResourceURLs:["/metrics"], Verbs:["post"]})"}));
}

TEST(policy_rule, owned_names_do_not_cover_a_rule_without_names) {
  const auto one = rules(
      R"([{"verbs":["get"],"apiGroups":[""],"resources":["secrets"],"resourceNames":["a","b"]}])");
  const auto all = rules(R"([{"verbs":["get"],"apiGroups":[""],"resources":["secrets"]}])");
  EXPECT_FALSE(not_covered(one, all).empty());
  EXPECT_TRUE(not_covered(all, one).empty());
  EXPECT_EQ(describe_gaps(not_covered({}, one)).front(),
            R"({APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]})");
}

TEST(policy_rule, a_star_is_covered_by_a_star_alone) {
  const auto star = rules(R"([{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}])");
  const auto some = rules(R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}])");
  EXPECT_TRUE(not_covered(star, some).empty());
  EXPECT_TRUE(not_covered(star, star).empty());
  EXPECT_FALSE(not_covered(some, star).empty());
}

TEST(policy_rule, what_is_written_reads_the_same) {
  const auto read = rules(
      R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourceNames":["a"]},
          {"verbs":["get"],"nonResourceURLs":["/x"]}])");
  EXPECT_EQ(read_policy_rules(policy_rules_value(read)), read);
}

TEST(policy_rule, what_is_no_list_of_rules_is_none) {
  EXPECT_TRUE(rules(R"("x")").empty());
  const auto odd = rules(R"([{"verbs":"get","apiGroups":[7],"resources":null}, 5])");
  ASSERT_EQ(odd.size(), 2U);
  EXPECT_FALSE(allows(odd.front(), on("get", "", "pods")));
}

}  // namespace
}  // namespace muster::server
