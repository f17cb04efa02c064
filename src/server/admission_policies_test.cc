// SPDX-License-Identifier: Apache-2.0
#include "server/admission_policies.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

using objects::Value;
using testing::HasSubstr;

constexpr const char* policies =
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
constexpr const char* bindings =
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
constexpr const char* maps = "/api/v1/namespaces/default/configmaps";

struct Answer {
  int status = 0;
  Value body;
  std::vector<std::string> warnings;

  std::string message() const { return std::string(body["message"].string_or("")); }
};

class Policies : public testing::Test {
 protected:
  Answer send(std::string_view method, std::string_view path, std::string_view body = {}) {
    const Response response = world.send(method, path, body);
    Answer answer{.status = response.status,
                  .body = objects::parse_json(text_of(response)).value_or(Value()),
                  .warnings = {}};
    for (const auto& [name, value] : response.headers) {
      if (name == "Warning") answer.warnings.push_back(value);
    }
    return answer;
  }
  void policy(std::string_view spec) {
    const Answer made = send(
        "POST", policies,
        fmt::format(
            R"({{"metadata":{{"name":"p"}},"spec":{{"matchConstraints":{{"resourceRules":[{{)"
            R"("apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE","UPDATE","DELETE"],)"
            R"("resources":["configmaps"]}}]}},{}}}}})",
            spec));
    ASSERT_EQ(made.status, 201) << made.message();
  }
  void bind(std::string_view actions, std::string_view more = {}) {
    const Answer made = send("POST", bindings,
                             fmt::format(R"({{"metadata":{{"name":"b"}},"spec":{{"policyName":"p",)"
                                         R"("validationActions":{}{}}}}})",
                                         actions, more));
    ASSERT_EQ(made.status, 201) << made.message();
  }
  Answer map(std::string_view name, std::string_view data = "{}") {
    return send("POST", maps,
                fmt::format(R"({{"metadata":{{"name":"{}"}},"data":{}}})", name, data));
  }

  ServerWorld world;
};

TEST_F(Policies, deny_in_the_words_of_the_peer) {
  policy(R"x("validations":[{"expression":"object.metadata.name.startsWith('ok')"}])x");
  EXPECT_EQ(map("free").status, 201) << "without a binding nothing is in force";
  bind(R"(["Deny"])");
  EXPECT_EQ(map("ok-1").status, 201);
  const Answer refused = map("bad");
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.body["reason"].string_or(""), "Invalid");
  EXPECT_EQ(refused.message(),
            "configmaps \"bad\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' "
            "denied request: failed expression: object.metadata.name.startsWith('ok')");
  EXPECT_EQ(refused.body["details"]["causes"][0]["message"].string_or(""),
            "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: "
            "object.metadata.name.startsWith('ok')");
  EXPECT_EQ(refused.body["details"]["kind"].string_or(""), "configmaps");
}

TEST_F(Policies, say_what_they_are_told_to_say) {
  policy(R"x("variables":[{"name":"n","expression":"object.metadata.name"},
      {"name":"long","expression":"size(variables.n) > 3"}],
      "validations":[{"expression":"!variables.long","reason":"Forbidden",
        "messageExpression":"'too long: ' + variables.n","message":"unused"},
        {"expression":"true"}])x");
  bind(R"(["Deny"])");
  EXPECT_EQ(map("abc").status, 201);
  const Answer refused = map("abcd");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.body["reason"].string_or(""), "Forbidden");
  EXPECT_THAT(refused.message(), HasSubstr("denied request: too long: abcd"));
}

TEST_F(Policies, warn_and_let_pass) {
  policy(R"x("validations":[{"expression":"has(object.data)","message":"no a"}])x");
  bind(R"(["Warn","Audit"])");
  const Answer passed = map("m");
  EXPECT_EQ(passed.status, 201);
  ASSERT_EQ(passed.warnings.size(), 1U);
  EXPECT_EQ(passed.warnings[0],
            "299 - \"Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no a\"");
}

TEST_F(Policies, hold_only_where_their_conditions_do) {
  policy(R"x("matchConditions":[{"name":"c","expression":"request.operation == 'DELETE'"}],
      "validations":[{"expression":"oldObject.metadata.name != 'kept'","message":"it stays"}])x");
  bind(R"(["Deny"])");
  EXPECT_EQ(map("kept").status, 201);
  EXPECT_EQ(map("other").status, 201);
  EXPECT_EQ(send("DELETE", std::string(maps) + "/other").status, 200);
  EXPECT_THAT(send("DELETE", std::string(maps) + "/kept").message(), HasSubstr("it stays"));
}

TEST_F(Policies, read_parameters_and_the_namespace) {
  map("limits", R"({"most":"2"})");
  policy(R"x("paramKind":{"apiVersion":"v1","kind":"ConfigMap"},
      "validations":[{"expression":"size(object.data) <= int(params.data.most)"},
        {"expression":"namespaceObject.metadata.name == 'default'"}])x");
  bind(R"(["Deny"])", R"(,"paramRef":{"name":"limits","parameterNotFoundAction":"Deny"})");
  EXPECT_EQ(map("two", R"({"a":"1","b":"2"})").status, 201);
  EXPECT_THAT(map("three", R"({"a":"1","b":"2","c":"3"})").message(),
              HasSubstr("failed expression: size(object.data) <= int(params.data.most)"));
  // Who takes the parameters away is asked while they are there.
  EXPECT_EQ(send("DELETE", std::string(maps) + "/limits").status, 422);
}

TEST_F(Policies, without_parameters_deny_or_not) {
  policy(R"x("paramKind":{"apiVersion":"v1","kind":"ConfigMap"},
      "validations":[{"expression":"false"}])x");
  bind(R"(["Deny"])", R"(,"paramRef":{"name":"limits","parameterNotFoundAction":"Deny"})");
  EXPECT_EQ(map("m").message(),
            "configmaps \"m\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied "
            "request: failed to configure binding: no params found for policy binding with `Deny` "
            "parameterNotFoundAction");
  send("DELETE", std::string(bindings) + "/b");
  bind(R"(["Deny"])", R"(,"paramRef":{"name":"limits","parameterNotFoundAction":"Allow"})");
  EXPECT_EQ(map("m").status, 201);
}

TEST_F(Policies, that_cannot_be_told_fail_or_are_ignored) {
  policy(R"x("validations":[{"expression":"object.data.missing == 'x'"}])x");
  bind(R"(["Deny"])");
  EXPECT_EQ(map("m", R"({"a":"b"})").message(),
            "configmaps \"m\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied "
            "request: expression 'object.data.missing == 'x'' resulted in error: no such key: "
            "missing");
  send("DELETE", std::string(policies) + "/p");
  policy(
      R"x("failurePolicy":"Ignore","validations":[{"expression":"object.data.missing == 'x'"}])x");
  EXPECT_EQ(map("m", R"({"a":"b"})").status, 201);
}

TEST_F(Policies, a_variable_that_fails_is_named) {
  policy(R"x("variables":[{"name":"v","expression":"object.data.missing"}],
      "validations":[{"expression":"variables.v == 'x'"}])x");
  bind(R"(["Deny"])");
  EXPECT_THAT(
      map("m", R"({"a":"b"})").message(),
      HasSubstr("resulted in error: composited variable \"v\" fails to evaluate: no such key: "
                "missing"));
}

TEST_F(Policies, leave_out_what_they_exclude) {
  const Answer made = send("POST", policies, R"({"metadata":{"name":"p"},"spec":{
      "matchConstraints":{"resourceRules":[{"apiGroups":["*"],"apiVersions":["*"],
        "operations":["*"],"resources":["*"]}],"excludeResourceRules":[{"apiGroups":[""],
        "apiVersions":["*"],"operations":["*"],"resources":["configmaps"],
        "resourceNames":["spared"]}]},
      "validations":[{"expression":"false"}]}})");
  ASSERT_EQ(made.status, 201) << made.message();
  bind(R"(["Deny"])");
  EXPECT_EQ(map("spared").status, 201);
  EXPECT_EQ(map("other").status, 422);
  EXPECT_EQ(send("DELETE", std::string(bindings) + "/b").status, 200) << "never a way in only";
}

// The sentences are those of kube-apiserver 1.36.
TEST_F(Policies, that_are_wrong_are_refused) {
  const auto refusal = [this](std::string_view spec) {
    const std::string message =
        send("POST", policies,
             fmt::format(
                 R"({{"metadata":{{"name":"p"}},"spec":{{"matchConstraints":{{"resourceRules":[)"
                 R"({{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],)"
                 R"("resources":["pods"]}}]}},{}}}}})",
                 spec))
            .message();
    constexpr std::string_view begin =
        "ValidatingAdmissionPolicy.admissionregistration.k8s.io \"p\" is invalid: ";
    EXPECT_THAT(message, testing::StartsWith(std::string(begin)));
    return message.substr(std::min(begin.size(), message.size()));
  };
  const std::string at = "spec.validations[0].expression: ";
  EXPECT_EQ(refusal(R"("validations":[{"expression":"object."}])"),
            at +
                "Invalid value: \"object.\": compilation failed: ERROR: <input>:1:8: Syntax error: "
                "no viable alternative at input '.'\n | object.\n | .......^");
  EXPECT_EQ(refusal(R"("validations":[{"expression":"1"}])"),
            at + "Invalid value: \"1\": must evaluate to bool but got int");
  EXPECT_EQ(refusal(R"("validations":[{"expression":"object.metadata.name"}])"),
            at + "Invalid value: \"object.metadata.name\": must evaluate to bool but got dyn");
  EXPECT_THAT(refusal(R"("validations":[{"expression":"params.x == 1"}])"),
              HasSubstr("undeclared reference to 'params'"));
  EXPECT_EQ(refusal(R"("validations":[{"expression":"  "}])"),
            at + "Required value: expression is not specified");
  EXPECT_EQ(refusal(R"("validations":[{"expression":"true","messageExpression":"1"}])"),
            "spec.validations[0].messageExpression: Invalid value: \"1\": must evaluate to string "
            "but got int");
  EXPECT_EQ(refusal(R"("variables":[{"name":"a b","expression":"1"}],
                       "validations":[{"expression":"true","reason":"Foo"}])"),
            "[spec.variables[0].name: Invalid value: \"a b\": must be a valid CEL identifier, "
            "spec.validations[0].reason: Unsupported value: \"Foo\": supported values: "
            "\"Forbidden\", \"Invalid\", \"RequestEntityTooLarge\"]");
  EXPECT_EQ(refusal(R"("failurePolicy":"Fail")"),
            "[spec.validations: Required value: validations or auditAnnotations must contain at "
            "least one item, spec.auditAnnotations: Required value: validations or "
            "auditAnnotations must contain at least one item]");
}

TEST_F(Policies, bindings_that_are_wrong_are_refused) {
  const auto refusal = [this](std::string_view spec) {
    return send("POST", bindings, fmt::format(R"({{"metadata":{{"name":"b"}},"spec":{}}})", spec))
        .message();
  };
  EXPECT_THAT(refusal(R"({"policyName":"p"})"),
              HasSubstr("spec.validationActions: Required value: at least one validation action is "
                        "required"));
  EXPECT_THAT(refusal(R"({"policyName":"p","validationActions":["Deny","Warn"]})"),
              HasSubstr("must not contain both Deny and Warn"));
}

}  // namespace
}  // namespace muster::server
