// SPDX-License-Identifier: Apache-2.0
#include "objects/admit.h"

#include <gtest/gtest.h>

#include <string>

#include "objects/json.h"
#include "objects/kind_registry.h"

namespace muster::objects {
namespace {

Value json(std::string_view text) {
  return parse_json(text).must();
}

class AdmitTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { registry_ = new KindRegistry(KindRegistry::built_in().must()); }
  static void TearDownTestSuite() { delete registry_; }

  static Result<Admitted> create(const Value& object, FieldValidation validation) {
    const std::string_view api_version = object["apiVersion"].string_or("");
    const std::size_t slash = api_version.find('/');
    const bool core = slash == std::string_view::npos;
    const auto kind =
        registry_->find(core ? "" : api_version.substr(0, slash), object["kind"].string_or(""));
    const KindVersion* version = kind->version(core ? api_version : api_version.substr(slash + 1));
    return admit(version->schema,
                 {.object = object, .field_validation = validation, .scope = kind->scope});
  }

  static KindRegistry* registry_;
};

KindRegistry* AdmitTest::registry_ = nullptr;

TEST_F(AdmitTest, a_pod_gets_the_defaults_of_the_real_server) {
  const Value pod = json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p",
      "namespace":"t"},"spec":{"containers":[{"name":"c","image":"nginx",
      "resources":{"limits":{"cpu":"1000m"}}}]}})");
  const Admitted admitted = create(pod, FieldValidation::strict).must();
  EXPECT_TRUE(admitted.errors.empty()) << admitted.errors.to_string();
  const View spec = admitted.object["spec"];
  EXPECT_EQ(spec["restartPolicy"].string_or(""), "Always");
  EXPECT_EQ(spec["containers"][0u]["imagePullPolicy"].string_or(""), "Always");
  EXPECT_EQ(spec["containers"][0u]["resources"]["requests"]["cpu"].string_or(""), "1");
  EXPECT_EQ(spec["terminationGracePeriodSeconds"].integer_or(0), 30);
  EXPECT_EQ(admitted.object["status"]["phase"].string_or(""), "Pending");
}

TEST_F(AdmitTest, unknown_and_duplicate_fields_are_told_in_the_order_of_the_text) {
  std::vector<std::string> twice;
  const Value pod =
      parse_json(R"({"apiVersion":"v1","kind":"Pod","odd":1,"metadata":{"name":"p",
      "labels":{"a.b":"1","a":"1","a.b":"2","a.b":"3"},"odd":1},"spec":{"odd":1,"containers":[
      {"name":"c","image":"i","odd":1,"image":"i"}],"hostPID":true,"hostPID":true}})",
                 {.duplicate_keys = DuplicateKeys::last_wins, .duplicate_fields = &twice})
          .must();
  const auto refused = admit(
      registry_->find("", "Pod")->version("v1")->schema,
      {.object = pod, .field_validation = FieldValidation::strict, .duplicate_fields = twice});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            R"(strict decoding error: unknown field "odd", duplicate field "metadata.labels.a.b", )"
            R"(unknown field "metadata.odd", unknown field "spec.odd", )"
            R"(unknown field "spec.containers[0].odd", )"
            R"(duplicate field "spec.containers[0].image", duplicate field "spec.hostPID")");
}

TEST_F(AdmitTest, what_was_admitted_once_comes_back_unchanged) {
  const Value pod = json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p",
      "namespace":"t"},"spec":{"containers":[{"name":"c","image":"nginx:1",
      "ports":[{"containerPort":80}]}]}})");
  const Admitted once = create(pod, FieldValidation::strict).must();
  const Admitted twice = create(once.object, FieldValidation::strict).must();
  EXPECT_EQ(to_json(once.object), to_json(twice.object));
  EXPECT_EQ(once.object["spec"].node().members, twice.object["spec"].node().members);
}

TEST_F(AdmitTest, unknown_fields_are_refused_warned_about_or_dropped) {
  const Value map = json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c",
      "namespace":"t"},"foo":1,"data":{"a":"b"}})");
  const auto strict = create(map, FieldValidation::strict);
  ASSERT_FALSE(strict);
  EXPECT_EQ(strict.error().message, "strict decoding error: unknown field \"foo\"");
  const Admitted warned = create(map, FieldValidation::warn).must();
  EXPECT_EQ(warned.warnings, std::vector<std::string>{"unknown field \"foo\""});
  EXPECT_FALSE(warned.object["foo"]);
  EXPECT_TRUE(create(map, FieldValidation::ignore).must().warnings.empty());
}

TEST_F(AdmitTest, wrong_types_are_refused_in_gos_words) {
  const auto refused = [](std::string_view text) {
    return create(json(text), FieldValidation::ignore).error().message;
  };
  EXPECT_EQ(refused(R"({"apiVersion":"v1","kind":"ConfigMap","data":{"a":5}})"),
            "json: cannot unmarshal number into Go struct field ConfigMap.data of type string");
  EXPECT_EQ(refused(R"({"apiVersion":"v1","kind":"ConfigMap","data":[]})"),
            "json: cannot unmarshal array into Go struct field ConfigMap.data of type "
            "map[string]string");
  EXPECT_EQ(refused(R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"image":5}]}})"),
            "json: cannot unmarshal number into Go struct field Container.spec.containers.image of "
            "type string");
  EXPECT_EQ(refused(R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[5]}})"),
            "json: cannot unmarshal number into Go struct field PodSpec.spec.containers of type "
            "v1.Container");
  EXPECT_EQ(refused(R"({"apiVersion":"v1","kind":"Pod","spec":{"priority":5000000000}})"),
            "json: cannot unmarshal number 5000000000 into Go struct field PodSpec.spec.priority "
            "of type int32");
}

TEST_F(AdmitTest, a_bad_pod_is_refused_as_the_real_server_does) {
  const Value pod = json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p",
      "namespace":"t"},"spec":{"restartPolicy":"Foo","containers":[{"name":"C_",
      "ports":[{"containerPort":70000}]},{"name":"a","image":"b"},{"name":"a","image":"b"}]}})");
  const Admitted admitted = create(pod, FieldValidation::strict).must();
  EXPECT_EQ(admitted.errors.to_string(),
            "[spec.restartPolicy: Unsupported value: \"Foo\": supported values: \"Always\", "
            "\"OnFailure\", \"Never\", spec.containers[2].name: Duplicate value: \"a\", "
            "spec.containers[0].name: Invalid value: \"C_\": a lowercase RFC 1123 label must "
            "consist of lower case alphanumeric characters or '-', and must start and end with an "
            "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?'), spec.containers[0].ports[0].containerPort: Invalid "
            "value: 70000: must be between 1 and 65535, inclusive, spec.containers[0].image: "
            "Required value]");
}

}  // namespace
}  // namespace muster::objects
