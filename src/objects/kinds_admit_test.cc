// SPDX-License-Identifier: Apache-2.0
// The kinds of api/ through admission, where a built-in kind and a CRD differ on the same struct.
// The answers are those of kube-apiserver 1.36.3.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "objects/admit.h"
#include "objects/json.h"
#include "objects/kind_registry.h"

namespace muster::objects {
namespace {

Admitted admitted(std::string_view group, std::string_view kind, std::string_view version,
                  const std::string& text) {
  static const KindRegistry registry = KindRegistry::built_in().must();
  const auto found = registry.find(group, kind);
  AdmitRequest request;
  request.object = parse_json(text).must();
  request.scope = found->scope;
  return admit(found->version(version)->schema, request).must();
}

std::string pod(std::string_view spec) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"a","namespace":"b"}},"spec":{}}})",
      spec);
}

std::string workload(std::string_view spec) {
  return fmt::format(
      R"({{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload",
          "metadata":{{"name":"a","namespace":"b"}},
          "spec":{{"podSets":[{{"name":"main","count":1,"template":{{"spec":{}}}}}]}}}})",
      spec);
}

constexpr std::string_view kueue = "kueue.x-k8s.io";

TEST(KindsAdmit, a_pod_gets_the_defaults_of_the_server_and_a_workloads_template_does_not) {
  constexpr std::string_view spec = R"({"containers":[{"name":"c","image":"i"}]})";
  const Admitted native = admitted("", "Pod", "v1", pod(spec));
  EXPECT_EQ(native.object["spec"]["restartPolicy"].string_or(""), "Always");
  EXPECT_TRUE(native.object["spec"]["containers"][0]["resources"].is_object());
  const Admitted custom = admitted(kueue, "Workload", "v1beta2", workload(spec));
  EXPECT_TRUE(custom.errors.empty()) << custom.errors.to_string();
  EXPECT_EQ(to_json(custom.object["spec"]["podSets"][0]["template"]["spec"]), spec);
}

TEST(KindsAdmit, a_workloads_template_has_the_defaults_that_its_crd_writes_down) {
  const Admitted custom =
      admitted(kueue, "Workload", "v1beta2",
               workload(R"({"containers":[{"name":"c","ports":[{"containerPort":80}]}]})"));
  const View container = custom.object["spec"]["podSets"][0]["template"]["spec"]["containers"][0];
  EXPECT_EQ(container["ports"][0]["protocol"].string_or(""), "TCP");
}

TEST(KindsAdmit, an_absent_field_of_a_shared_type_is_missed_in_a_crd) {
  const Admitted custom =
      admitted(kueue, "Workload", "v1beta2",
               workload(R"({"containers":[{"name":"c","volumeDevices":[{"name":"d"}]}]})"));
  ASSERT_FALSE(custom.errors.empty());
  EXPECT_EQ(custom.errors[0].to_string(),
            "spec.podSets[0].template.spec.containers[0].volumeDevices[0].devicePath: "
            "Required value");
}

TEST(KindsAdmit, a_value_of_an_enumeration_is_free_in_a_crd_and_not_in_a_pod) {
  constexpr std::string_view spec =
      R"({"restartPolicy":"Sometimes","containers":[{"name":"c","image":"i"}]})";
  const Admitted custom = admitted(kueue, "Workload", "v1beta2", workload(spec));
  EXPECT_TRUE(custom.errors.empty()) << custom.errors.to_string();
  EXPECT_EQ(admitted("", "Pod", "v1", pod(spec)).errors.to_string(),
            R"(spec.restartPolicy: Unsupported value: "Sometimes": )"
            R"(supported values: "Always", "OnFailure", "Never")");
}

TEST(KindsAdmit, quantities_keep_their_text_in_a_crd_and_not_in_a_pod) {
  constexpr std::string_view spec =
      R"({"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1000m"}}}]})";
  const Admitted custom = admitted(kueue, "Workload", "v1beta2", workload(spec));
  const View kept = custom.object["spec"]["podSets"][0]["template"]["spec"]["containers"][0];
  EXPECT_EQ(kept["resources"]["requests"]["cpu"].string_or(""), "1000m");
  const Admitted native = admitted("", "Pod", "v1", pod(spec));
  const View canonical = native.object["spec"]["containers"][0]["resources"]["requests"];
  EXPECT_EQ(canonical["cpu"].string_or(""), "1");
}

TEST(KindsAdmit, a_native_rule_shows_the_value_it_is_about) {
  const Admitted native = admitted("", "Pod", "v1", pod(R"({
      "containers":[{"name":"c","image":"i"}],"tolerations":[{"operator":"Equal","value":"v"}]})"));
  EXPECT_EQ(native.errors.to_string(),
            R"(spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists )"
            R"(when `key` is empty, which means "match all values and all keys")");
}

TEST(KindsAdmit, a_wrong_type_is_named_as_go_names_it) {
  static const KindRegistry registry = KindRegistry::built_in().must();
  const Schema& schema = registry.find("", "Pod")->version("v1")->schema;
  const auto error_of = [&](std::string_view spec) {
    const auto decoded = decode(schema, parse_json(pod(spec)).must(), FieldValidation::warn);
    return decoded ? std::string() : decoded.error().message;
  };
  EXPECT_EQ(error_of(R"({"restartPolicy":5})"),
            "json: cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy of type "
            "v1.RestartPolicy");
  EXPECT_EQ(error_of(R"({"tolerations":[{"effect":1}]})"),
            "json: cannot unmarshal number into Go struct field Toleration.spec.tolerations.effect "
            "of type v1.TaintEffect");
  EXPECT_EQ(error_of(R"({"priority":1099511627776})"),
            "json: cannot unmarshal number 1099511627776 into Go struct field "
            "PodSpec.spec.priority of type int32");
}

TEST(KindsAdmit, an_open_lower_bound_is_open) {
  const auto lease = [](int seconds) {
    return admitted("coordination.k8s.io", "Lease", "v1",
                    fmt::format(R"({{"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
                        "metadata":{{"name":"a","namespace":"b"}},
                        "spec":{{"leaseDurationSeconds":{}}}}})",
                                seconds));
  };
  EXPECT_EQ(lease(0).errors.to_string(),
            "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0");
  EXPECT_TRUE(lease(1).errors.empty());
}

}  // namespace
}  // namespace muster::objects
