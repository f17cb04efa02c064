// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "objects/resource.h"
#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

namespace resources = objects::resources;
using client::Verb;
using objects::Resource;
using objects::Value;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Resource mutating{"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations",
                            "MutatingWebhookConfiguration"};
constexpr Resource validating{"admissionregistration.k8s.io", "v1",
                              "validatingwebhookconfigurations", "ValidatingWebhookConfiguration"};

// Webhooks that live in the test: each is a function of the review it gets.
class TestWebhooks final : public WebhookTransport {
 public:
  using Hook = std::function<std::string(const Value& request)>;

  TestWebhooks(Executor& house, const Clock& clock) : house_(house), clock_(clock) {}

  void post(WebhookPost post, UniqueFunction<void(Result<WebhookReply>)> done) override {
    const Value review = json(post.body);
    calls.push_back(post.url);
    requests.push_back(review.part(review["request"]));
    Result<WebhookReply> reply = Error{ErrorCode::unavailable, "dial tcp: connection refused"};
    if (hook) {
      const std::string response = hook(requests.back());
      reply = WebhookReply{
          200, fmt::format(R"({{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1",
              "response":{{"uid":"{}",{}}}}})",
                           review["request"]["uid"].string_or(""), response)};
    }
    house_.post_at(
        clock_.monotonic() + delay,
        [done = std::move(done), reply = std::move(reply)]() mutable { done(std::move(reply)); });
  }

  Hook hook = {};
  Span delay = {};
  std::vector<std::string> calls = {};
  std::vector<Value> requests = {};

 private:
  Executor& house_;
  const Clock& clock_;
};

struct WebhookWorld : ServerWorld {
  WebhookWorld() : hooks(house, clock) {
    api.reset();
    server.reset();
    server = std::make_unique<ApiServer>(*store, house, clock, random,
                                         ServerOptions{.webhooks = &hooks});
    server->load().must();
    api = server->in_process({.name = "admin", .groups = {"system:masters"}});
    settle();
  }

  void configure(const Resource& kind, std::string_view name, std::string_view more = "",
                 std::string_view operations = R"(["CREATE"])") {
    create(kind, "",
           fmt::format(R"({{"metadata":{{"name":"{0}"}},"webhooks":[{{"name":"{0}.a.b",
        "admissionReviewVersions":["v1"],"sideEffects":"None",{1}
        "clientConfig":{{"url":"https://{0}.test/admit"}},
        "rules":[{{"apiGroups":[""],"apiVersions":["v1"],"operations":{2},
                   "resources":["configmaps"]}}]}}]}})",
                       name, more, operations));
  }

  std::string refusal(std::string_view body) {
    const auto answer = try_create(resources::config_maps, "default", body);
    return answer ? "admitted" : answer.error().message;
  }

  TestWebhooks hooks;
};

std::string patch(std::string_view operations) {
  return fmt::format(R"("allowed":true,"patchType":"JSONPatch","patch":"{}")",
                     base64_encode(operations));
}

constexpr std::string_view config_map = R"({"metadata":{"name":"m"},"data":{"a":"1"}})";

TEST(webhooks, see_the_request_and_may_refuse_it) {
  WebhookWorld world;
  world.configure(validating, "check");
  world.hooks.hook = [](const Value&) {
    return R"("allowed":false,"status":{"code":403,"message":"no maps today"})";
  };
  const auto refused = world.send("POST", "/api/v1/namespaces/default/configmaps", config_map);
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(json(text_of(refused))["message"].string_or(""),
            R"(admission webhook "check.a.b" denied the request: no maps today)");
  ASSERT_EQ(world.hooks.requests.size(), 1U);
  const Value& asked = world.hooks.requests[0];
  EXPECT_EQ(world.hooks.calls[0], "https://check.test/admit?timeout=10s");
  EXPECT_EQ(asked["operation"].string_or(""), "CREATE");
  EXPECT_EQ(asked["kind"]["kind"].string_or(""), "ConfigMap");
  EXPECT_EQ(asked["resource"]["resource"].string_or(""), "configmaps");
  EXPECT_EQ(asked["namespace"].string_or(""), "default");
  EXPECT_EQ(asked["userInfo"]["username"].string_or(""), "admin");
  EXPECT_EQ(asked["object"]["data"]["a"].string_or(""), "1");
  EXPECT_TRUE(asked["oldObject"].is_null());
  world.hooks.hook = [](const Value&) { return R"("allowed":false)"; };
  EXPECT_EQ(world.refusal(config_map),
            R"(admission webhook "check.a.b" denied the request without explanation)");
}

TEST(webhooks, are_asked_before_a_pod_gets_its_node) {
  WebhookWorld world;
  world.create(validating, "",
               R"({"metadata":{"name":"b"},"webhooks":[{"name":"b.a.b",
      "admissionReviewVersions":["v1"],"sideEffects":"None",
      "clientConfig":{"url":"https://b.test/admit"},
      "rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],
                "resources":["pods/binding"]}]}]})");
  world.create(resources::pods, "default",
               R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  bool allows = false;
  world.hooks.hook = [&](const Value&) {
    return allows ? R"("allowed":true)" : R"("allowed":false,"status":{"message":"not there"})";
  };
  const auto bind = [&world] {
    return world.send("POST", "/api/v1/namespaces/default/pods/p/binding",
                      R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},
                          "target":{"kind":"Node","name":"n"}})");
  };
  const auto refused = bind();
  EXPECT_EQ(json(text_of(refused))["message"].string_or(""),
            R"(admission webhook "b.a.b" denied the request: not there)");
  EXPECT_TRUE(world.get(resources::pods, "default", "p")["spec"]["nodeName"].is_absent());
  ASSERT_EQ(world.hooks.requests.size(), 1U);
  const Value& asked = world.hooks.requests[0];
  EXPECT_EQ(asked["kind"]["kind"].string_or(""), "Binding");
  EXPECT_EQ(asked["resource"]["resource"].string_or(""), "pods");
  EXPECT_EQ(asked["subResource"].string_or(""), "binding");
  EXPECT_EQ(asked["object"]["target"]["name"].string_or(""), "n");
  allows = true;
  EXPECT_EQ(bind().status, 201);
  EXPECT_EQ(world.get(resources::pods, "default", "p")["spec"]["nodeName"].string_or(""), "n");
}

TEST(webhooks, change_what_is_stored_one_after_the_other) {
  WebhookWorld world;
  world.configure(mutating, "first", R"("reinvocationPolicy":"IfNeeded",)");
  world.configure(mutating, "second");
  world.hooks.hook = [](const Value& request) {
    const auto size = request["object"]["data"].size();
    return patch(fmt::format(R"([{{"op":"add","path":"/data/k{}","value":"v"}},
        {{"op":"replace","path":"/metadata/uid","value":"mine"}}])",
                             size));
  };
  const Value made = world.create(resources::config_maps, "default", config_map);
  // first, second, and first again because second changed the map after it.
  EXPECT_EQ(made["data"].size(), 4U);
  EXPECT_NE(made["metadata"]["uid"].string_or(""), "mine");
  EXPECT_THAT(world.hooks.calls, ElementsAre("https://first.test/admit?timeout=10s",
                                             "https://second.test/admit?timeout=10s",
                                             "https://first.test/admit?timeout=10s"));
}

TEST(webhooks, that_cannot_be_reached_refuse_unless_they_may_be_ignored) {
  WebhookWorld world;
  world.configure(validating, "check");
  const auto refused = world.send("POST", "/api/v1/namespaces/default/configmaps", config_map);
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(
      json(text_of(refused))["message"].string_or(""),
      R"(Internal error occurred: failed calling webhook "check.a.b": failed to call )"
      R"(webhook: Post "https://check.test/admit?timeout=10s": dial tcp: connection refused)");
  world
      .try_patch(validating, "", "check", R"({"webhooks":[{"name":"check.a.b",
      "admissionReviewVersions":["v1"],"sideEffects":"None","failurePolicy":"Ignore",
      "clientConfig":{"url":"https://check.test/admit"},"rules":[{"apiGroups":[""],
      "apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]}]}]})")
      .must();
  EXPECT_EQ(world.refusal(config_map), "admitted");
}

TEST(webhooks, hear_only_of_what_they_ask_for) {
  WebhookWorld world;
  world.configure(validating, "check", R"("objectSelector":{"matchLabels":{"seen":"yes"}},)",
                  R"(["CREATE","UPDATE","DELETE"])");
  world.hooks.hook = [](const Value& request) {
    return std::string(request["operation"].string_or("") == "DELETE" ? R"("allowed":false)"
                                                                      : R"("allowed":true)");
  };
  EXPECT_EQ(world.refusal(config_map), "admitted");
  EXPECT_TRUE(world.hooks.calls.empty());
  EXPECT_EQ(world.refusal(R"({"metadata":{"name":"n","labels":{"seen":"yes"}}})"), "admitted");
  EXPECT_EQ(world.hooks.calls.size(), 1U);
  const auto removed = world.call({.verb = Verb::remove,
                                   .resource = resources::config_maps,
                                   .name_space = "default",
                                   .name = "n"});
  ASSERT_FALSE(removed);
  EXPECT_THAT(removed.error().message, HasSubstr("denied the request without explanation"));
  EXPECT_EQ(world.hooks.requests.back()["oldObject"]["metadata"]["name"].string_or(""), "n");
  EXPECT_TRUE(world.hooks.requests.back()["object"].is_null());
  const Value kept = world.get(resources::config_maps, "default", "n");
  EXPECT_EQ(world.hooks.requests.back()["oldObject"]["metadata"]["resourceVersion"],
            kept["metadata"]["resourceVersion"]);
}

TEST(webhooks, are_asked_only_where_their_conditions_hold) {
  WebhookWorld world;
  world.configure(validating, "check", R"("matchConditions":[{"name":"large","expression":
      "has(object.data) && size(object.data) > 1"}],)");
  world.hooks.hook = [](const Value&) { return R"("allowed":false)"; };
  EXPECT_EQ(world.refusal(config_map), "admitted");
  EXPECT_NE(world.refusal(R"({"metadata":{"name":"n"},"data":{"a":"1","b":"2"}})"), "admitted");
}

// A create that waits for a webhook while its place goes must not leave an object that nobody sees.
TEST(webhooks, keep_no_object_whose_kind_or_namespace_went_while_they_were_asked) {
  WebhookWorld world;
  world.create(mutating, "", R"({"metadata":{"name":"all"},"webhooks":[{"name":"all.a.b",
      "admissionReviewVersions":["v1"],"sideEffects":"None",
      "clientConfig":{"url":"https://all.test/admit"},"rules":[{"apiGroups":["","acme.io"],
      "apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps","widgets"]}]}]})");
  world.hooks.hook = [](const Value&) { return R"("allowed":true)"; };
  const std::string definition =
      R"({"metadata":{"name":"widgets.acme.io"},"spec":{"group":"acme.io","scope":"Namespaced",)"
      R"("names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,)"
      R"("storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})";
  const std::string_view definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const std::string_view widgets = "/apis/acme.io/v1/namespaces/team/widgets";
  world.create(resources::namespaces, "", R"({"metadata":{"name":"team"}})");
  world.send("POST", definitions, definition);
  world.settle();
  world.hooks.delay = Span::of_seconds(5);
  const auto answer_of_a_create_that_waits = [&](std::string_view path, std::string_view body,
                                                 std::string_view goes) {
    std::optional<Response> answer;
    world.server->handle({.method = "POST",
                          .path = std::string(path),
                          .content_type = "application/json",
                          .body = std::string(body),
                          .identity = {.name = "admin", .groups = {"system:masters"}}},
                         [&](Response response) { answer.emplace(std::move(response)); });
    world.send("DELETE", goes);
    world.settle();
    EXPECT_FALSE(answer.has_value());
    world.time.run_until([&] { return answer.has_value(); });
    return answer->status;
  };
  const std::string one = fmt::format("{}/widgets.acme.io", definitions);
  EXPECT_EQ(
      answer_of_a_create_that_waits(
          widgets, R"({"apiVersion":"acme.io/v1","kind":"Widget","metadata":{"name":"a"}})", one),
      404);
  world.send("POST", definitions, definition);
  world.settle();
  EXPECT_TRUE(json(text_of(world.send("GET", widgets)))["items"].empty());
  EXPECT_EQ(answer_of_a_create_that_waits("/api/v1/namespaces/team/configmaps", config_map,
                                          "/api/v1/namespaces/team"),
            404);
  EXPECT_TRUE(world.list(resources::config_maps)["items"].empty());
}

TEST(webhooks, are_refused_in_the_words_of_the_peer) {
  WebhookWorld world;
  const auto message = [&](const Resource& kind, std::string_view webhook) {
    const auto refused = world.try_create(
        kind, "", fmt::format(R"({{"metadata":{{"name":"m"}},"webhooks":[{}]}})", webhook));
    return refused ? "admitted" : refused.error().message;
  };
  EXPECT_EQ(message(mutating, "{}"),
            "MutatingWebhookConfiguration.admissionregistration.k8s.io \"m\" is invalid: "
            "[webhooks[0].name: Required value, webhooks[0].sideEffects: Required value: must "
            "specify one of None, NoneOnDryRun, webhooks[0].clientConfig: Required value: exactly "
            "one of url or service is required, webhooks[0].admissionReviewVersions: Required "
            "value: must specify one of v1, v1beta1]");
  EXPECT_THAT(
      message(validating, R"({"name":"a.b.c","sideEffects":"Some",
      "admissionReviewVersions":["v9"],"clientConfig":{"url":"http://a@/x?y#z"},
      "rules":[{"operations":["*","READ"],"apiGroups":[""],"resources":["pods/*","pods/log"]}]})"),
      testing::AllOf(HasSubstr("webhooks[0].sideEffects: Unsupported value: \"Some\": supported "
                               "values: \"None\", \"NoneOnDryRun\""),
                     HasSubstr("if '*' is present, must not specify other operations"),
                     HasSubstr("operations[1]: Unsupported value: \"READ\""),
                     HasSubstr("apiVersions: Required value"),
                     HasSubstr("if 'pods/*' is present, must not specify pods/log"),
                     HasSubstr("Invalid value: \"http\": 'https' is the only allowed URL scheme"),
                     HasSubstr("user information is not permitted in the URL"),
                     HasSubstr("query parameters are not permitted in the URL"),
                     HasSubstr("must include at least one of v1, v1beta1")));
}

}  // namespace
}  // namespace muster::server
