// SPDX-License-Identifier: Apache-2.0
#include "objects/go_structs.h"

#include <gtest/gtest.h>

#include "objects/json.h"

namespace muster::objects {
namespace {

Value json(std::string_view text) {
  return parse_json(text).must();
}

GoType pod_set() {
  return go_type("kueue.v1beta2.PodSet");
}

TEST(go_structs, print_fields_in_the_order_of_the_struct) {
  EXPECT_EQ(to_go_json(go_type("core.v1.Taint"),
                       json(R"({"effect":"NoSchedule","value":"<b>","key":"a","x":1})")),
            R"({"key":"a","value":"\u003cb\u003e","effect":"NoSchedule"})");
}

TEST(go_structs, write_structs_and_required_zeros_but_no_other_zeros) {
  EXPECT_EQ(to_go_json(pod_set(), json(R"({"minCount":0,"name":"","template":{"spec":{
      "hostNetwork":false,"terminationGracePeriodSeconds":0,"volumes":[]}}})")),
            R"({"template":{"metadata":{},"spec":{"containers":null,)"
            R"("terminationGracePeriodSeconds":0}},"count":0,"minCount":0})");
}

TEST(go_structs, write_canonical_amounts_and_times) {
  EXPECT_EQ(to_go_json(go_type("kueue.v1beta2.ResourceQuota"),
                       json(R"({"name":"cpu","nominalQuota":"1000m","lendingLimit":1.5})")),
            R"({"name":"cpu","nominalQuota":"1","lendingLimit":"1500m"})");
  EXPECT_EQ(to_go_json(go_type("kueue.v1beta2.ResourceQuota"),
                       json(R"({"name":"cpu","nominalQuota":9223372036854775808})")),
            R"({"name":"cpu","nominalQuota":"9223372036854776k"})");
  EXPECT_EQ(to_go_json(go_type("kueue.v1beta2.RequeueState"),
                       json(R"({"count":2,"requeueAt":"2025-01-01T01:00:00+01:00"})")),
            R"({"count":2,"requeueAt":"2025-01-01T00:00:00Z"})");
}

TEST(go_structs, equal_by_meaning) {
  const Value one = json(R"({"name":"m","count":1,"template":{"spec":{"containers":[
      {"name":"c","resources":{"requests":{"memory":"1Gi"}}}]}}})");
  const Value other = json(R"({"count":1.0,"name":"m","minCount":null,"template":{"spec":{
      "volumes":[],"containers":[{"name":"c","resources":{"requests":{"memory":"1024Mi"}}}]}}})");
  const Value more = json(R"({"count":1,"name":"m","minCount":0,"template":{"spec":{
      "containers":[{"name":"c","resources":{"requests":{"memory":"1Gi"}}}]}}})");
  EXPECT_TRUE(go_equal(pod_set(), one, other));
  EXPECT_FALSE(go_equal(pod_set(), one, more)) << "a pointer to zero is not nil";
}

TEST(go_structs, decode_what_has_the_types) {
  EXPECT_TRUE(decodes(pod_set(), json(R"({"count":3.0,"name":null})")));
  EXPECT_FALSE(decodes(pod_set(), json(R"({"count":3.0})"), WholeReals::refused));
  EXPECT_FALSE(decodes(pod_set(), json(R"({"count":2147483648})")));
  EXPECT_FALSE(decodes(pod_set(), json(R"({"name":5})")));
  EXPECT_FALSE(decodes(go_type("kueue.v1beta2.RequeueState"), json(R"({"requeueAt":"today"})")));
  EXPECT_FALSE(decodes(go_type("kueue.v1beta2.FairSharing"), json(R"({"weight":"much"})")));
}

TEST(go_structs, keep_written_zeros_when_only_decoded) {
  const Value decoded =
      decoded_form(pod_set(), json(R"({"name":"","count":0,"x":1,"minCount":null})"));
  EXPECT_EQ(to_json(decoded), R"({"name":"","count":0})");
  const Value encoded = encoded_form(pod_set(), decoded);
  EXPECT_EQ(encoded_form(pod_set(), encoded).view(), encoded.view());
}

}  // namespace
}  // namespace muster::objects
