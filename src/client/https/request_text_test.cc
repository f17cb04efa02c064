// SPDX-License-Identifier: Apache-2.0
#include "client/https/request_text.h"

#include <gtest/gtest.h>

#include "client/https/endpoint.h"
#include "objects/json.h"

namespace muster::client {
namespace {

namespace resources = objects::resources;
using objects::Value;

std::string line_of(const Call& call) {
  const auto request = http_request(call);
  if (!request) return request.error().message;
  return std::string(request->method) + " " + request->target;
}

TEST(request_text, verbs_have_their_paths) {
  EXPECT_EQ(line_of({.verb = Verb::get, .resource = resources::nodes, .name = "n1"}),
            "GET /api/v1/nodes/n1");
  EXPECT_EQ(line_of({.verb = Verb::get,
                     .resource = resources::jobs,
                     .name_space = "a",
                     .name = "j",
                     .subresource = "status"}),
            "GET /apis/batch/v1/namespaces/a/jobs/j/status");
  EXPECT_EQ(line_of({.verb = Verb::list,
                     .resource = resources::pods,
                     .label_selector = "a in (b,c)",
                     .field_selector = "spec.nodeName=n1"}),
            "GET /api/v1/pods?labelSelector=a%20in%20%28b%2Cc%29&fieldSelector=spec.nodeName%3Dn1");
  EXPECT_EQ(line_of({.verb = Verb::create, .resource = resources::pods, .name_space = "a"}),
            "POST /api/v1/namespaces/a/pods");
  EXPECT_EQ(line_of({.verb = Verb::create,
                     .resource = resources::pods,
                     .name_space = "a",
                     .name = "p",
                     .subresource = "binding"}),
            "POST /api/v1/namespaces/a/pods/p/binding");
  EXPECT_EQ(line_of({.verb = Verb::update, .resource = resources::nodes, .name = "n1"}),
            "PUT /api/v1/nodes/n1");
  EXPECT_EQ(line_of({.verb = Verb::patch, .resource = resources::nodes, .name = "n1"}),
            "PATCH /api/v1/nodes/n1");
}

TEST(request_text, a_name_stays_a_name) {
  const auto named = [](std::string name) {
    return line_of({.verb = Verb::get, .resource = resources::nodes, .name = std::move(name)});
  };
  EXPECT_EQ(named(""), "resource name may not be empty");
  EXPECT_EQ(named(".."), "invalid resource name \"..\": [may not be '..']");
  EXPECT_EQ(named("a/b"), "invalid resource name \"a/b\": [may not contain '/']");
  EXPECT_EQ(named("a%2fb"), "invalid resource name \"a%2fb\": [may not contain '%']");
  EXPECT_EQ(named("a b?c\r\n"), "GET /api/v1/nodes/a%20b%3Fc%0D%0A");
}

TEST(request_text, a_deletion_says_how) {
  Call call{.verb = Verb::remove, .resource = resources::nodes, .name = "n1"};
  EXPECT_EQ(http_request(call)->body,
            R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"})");
  call.propagation = Propagation::foreground;
  call.grace_period_seconds = 0;
  call.preconditions = {.uid = "u", .resource_version = "7"};
  EXPECT_EQ(http_request(call)->body,
            R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground",)"
            R"("gracePeriodSeconds":0,"preconditions":{"uid":"u","resourceVersion":"7"}})");
}

TEST(request_text, a_request_says_who_asks) {
  const auto request =
      http_request(Call{.verb = Verb::get, .resource = resources::nodes, .name = "n"}).must();
  RequestManners manners{.host = "h:1", .path_prefix = "/p"};
  manners.token = Secret(std::string("t"));
  EXPECT_EQ(to_text(request, manners),
            "GET /p/api/v1/nodes/n HTTP/1.1\r\nHost: h:1\r\nUser-Agent: muster\r\n"
            "Accept: application/json\r\nAuthorization: Bearer t\r\n\r\n");
}

TEST(request_text, an_answer_means_its_status) {
  const auto code = [](int status, std::string_view body) {
    return value_of_answer(status, body, 1000).error().code;
  };
  EXPECT_TRUE(value_of_answer(201, R"({"a":1})", 1000));
  EXPECT_EQ(code(200, "no"), ErrorCode::internal);
  EXPECT_EQ(code(404, "404 page not found"), ErrorCode::not_found);
  EXPECT_EQ(code(409, R"({"reason":"AlreadyExists","code":409})"), ErrorCode::already_exists);
  EXPECT_EQ(code(409, R"({"reason":"Conflict"})"), ErrorCode::conflict);
  EXPECT_EQ(code(409, ""), ErrorCode::conflict);
  EXPECT_EQ(code(410, R"({"reason":"Gone"})"), ErrorCode::expired);
  EXPECT_EQ(code(429, ""), ErrorCode::too_many_requests);
  EXPECT_EQ(code(502, ""), ErrorCode::unavailable);
  EXPECT_EQ(code(504, R"({"reason":"ServerTimeout"})"), ErrorCode::timeout);
  EXPECT_EQ(code(418, ""), ErrorCode::bad_request);
  EXPECT_EQ(code(599, ""), ErrorCode::internal);
  EXPECT_EQ(value_of_answer(404, R"({"message":"pods \"a\" not found"})", 1000).error().message,
            "pods \"a\" not found");
}

TEST(request_text, lines_of_a_watch_are_events) {
  const WatchEvent event =
      watch_event(R"({"type":"DELETED","object":{"metadata":{"name":"a"}}})", 1000).must();
  EXPECT_EQ(event.type, WatchEvent::Type::deleted);
  EXPECT_EQ(event.object["metadata"]["name"].string_or(""), "a");
  const auto error = watch_event(
      R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}})", 1000);
  EXPECT_EQ(error.error().code, ErrorCode::expired);
  EXPECT_FALSE(watch_event("{", 1000));
  EXPECT_FALSE(watch_event(R"({"type":"SOMETHING","object":{}})", 1000));
}

TEST(endpoint, addresses_are_taken_apart) {
  const Endpoint six = parse_endpoint("https://[::1]:6443/a/b/").must();
  EXPECT_EQ(six.host, "::1");
  EXPECT_EQ(six.port, "6443");
  EXPECT_EQ(six.path_prefix, "/a/b");
  EXPECT_EQ(six.authority(), "[::1]:6443");
  const Endpoint name = parse_endpoint("https://example.com").must();
  EXPECT_EQ(name.authority(), "example.com:443");
  for (const char* url :
       {"", "http://a", "https://", "https://:1", "https://a:", "https://a:0", "https://a:65536",
        "https://a:x", "https://[::1", "https://[::1]x", "https://u@a", "https://a b",
        "https://a?q", "https://a\r\n", "https://a:1:2"}) {
    EXPECT_FALSE(parse_endpoint(url)) << url;
  }
}

}  // namespace
}  // namespace muster::client
