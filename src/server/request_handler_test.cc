// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "objects/metadata.h"
#include "server/limits.h"
#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

namespace resources = objects::resources;
using objects::Value;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view maps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view one_map = "/api/v1/namespaces/default/configmaps/a";

std::string at(std::string_view path, std::string_view query) {
  return std::string(path) + "?" + std::string(query);
}

struct Handled : testing::Test {
  Response post_map(std::string_view query = "") {
    return world.send("POST", at(maps, query), R"({"metadata":{"name":"a"},"data":{"k":"v"}})");
  }
  std::string drain(Response& response) {
    auto& stream = *std::get<std::unique_ptr<Stream>>(response.body);
    std::string out;
    for (int i = 0; i < 100; ++i) {
      const StreamStep step = stream.take(1 << 20);
      for (const Piece& piece : step.pieces) out += piece.view();
      if (step.ended) return out + "(end)";
      if (step.pieces.empty()) break;
    }
    return out;
  }
  ServerWorld world;
};

TEST_F(Handled, creates_and_gets_the_same_text) {
  const Response made = post_map();
  EXPECT_EQ(made.status, 201);
  EXPECT_THAT(std::string(text_of(made)), StartsWith(R"({"kind":"ConfigMap","apiVersion":"v1",)"));
  const Response got = world.send("GET", one_map);
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(json(text_of(got)), json(text_of(made)).view());
  EXPECT_TRUE(text_of(got).ends_with("}\n"));
}

TEST_F(Handled, answers_failures_as_a_status) {
  const Response missing = world.send("GET", one_map);
  EXPECT_EQ(missing.status, 404);
  const Value status = json(text_of(missing));
  EXPECT_EQ(status["reason"].string_or(""), "NotFound");
  EXPECT_EQ(status["message"].string_or(""), R"(configmaps "a" not found)");
  EXPECT_EQ(status["details"]["kind"].string_or(""), "configmaps");
  EXPECT_EQ(status["code"].integer_or(0), 404);
}

struct BadCase {
  std::string_view method, target, body, content_type;
  int status;
  std::string_view says;
};

TEST_F(Handled, refuses_bad_requests_in_the_words_of_the_peer) {
  const std::string deep(1'000, '[');
  const BadCase cases[] = {
      {"GET", "/apis/nope/v1/things", "", "", 404, "404 page not found"},
      {"GET", "/api/v2/pods", "", "", 404, "could not find"},
      {"GET", "/api/v1/things", "", "", 404, "the server could not find the requested resource"},
      {"GET", "/nowhere", "", "", 404, "404 page not found"},
      {"GET", "/api/v1/pods/%zz", "", "", 400, "the path is not valid"},
      {"GET", "/api/v1/namespaces/default/nodes", "", "", 404, "could not find"},
      {"DELETE", "/version", "", "", 405, "does not allow this method"},
      {"PUT", maps, "{}", "", 405, "does not allow this method"},
      {"POST", one_map, "{}", "", 405, "does not allow this method"},
      {"BREW", one_map, "", "", 405, "does not allow this method"},
      {"POST", "/api/v1/configmaps", "{}", "", 405, "does not allow this method"},
      {"GET", "/api/v1/namespaces/default/configmaps/a/status", "", "", 404, "could not find"},
      {"GET", "/api/v1/namespaces/default/configmaps/a/b/c", "", "", 404, "could not find"},
      {"POST", maps, "{}", "text/csv", 415, "in an unknown format"},
      {"POST", maps, "{", "", 400, "json parse error"},
      {"POST", maps, "[]", "", 400, "cannot unmarshal array"},
      {"POST", maps, "null", "", 422, "name or generateName is required"},
      {"POST", maps, deep, "", 400, "json parse error"},
      {"POST", maps, R"({"metadata":5})", "", 400, "cannot be handled as a ConfigMap"},
      {"POST", maps, R"({"metadata":{"name":5}})", "", 400, "cannot be handled as a ConfigMap"},
      {"POST", maps, R"({"metadata":{"name":"a","namespace":"b"}})", "", 400,
       "the namespace of the provided object does not match the namespace sent on the request"},
      {"POST", maps, R"({"kind":"Pod","metadata":{"name":"a"}})", "", 400, "unknown conversion"},
      {"POST", maps, R"({"apiVersion":"v2","metadata":{"name":"a"}})", "", 400, "no kind"},
      {"POST", maps, R"({"metadata":{"name":"a","resourceVersion":"3"}})", "", 500,
       "resourceVersion should not be set on objects to be created"},
      {"POST", maps, "{}", "", 422, "name or generateName is required"},
      {"POST", maps, R"({"metadata":{"name":"a"},"data":{"k":7}})", "", 400,
       "cannot unmarshal number into Go struct field ConfigMap.data of type string"},
      {"GET", "/api/v1/pods?labelSelector=a==b==c", "", "", 400, ""},
      {"GET", "/api/v1/pods?fieldSelector=spec.foo%3Da", "", "", 400,
       "field label not supported: spec.foo"},
      {"GET", "/api/v1/pods?limit=x", "", "", 400, "invalid syntax"},
      {"GET", "/api/v1/pods?resourceVersion=abc", "", "", 400, "resourceVersion"},
      {"GET", "/api/v1/pods?resourceVersionMatch=Exact", "", "", 422, "resourceVersionMatch"},
      {"GET", "/api/v1/pods?resourceVersion=99999999", "", "", 504, "Too large resource version"},
      {"GET", "/api/v1/pods?continue=zzz", "", "", 400, "continue"},
      {"GET", "/api/v1/pods?watch=1&sendInitialEvents=true", "", "", 422, "sendInitialEvents"},
      {"PATCH", one_map, "{}", "application/json", 415, ""},
      {"DELETE", one_map, R"({"propagationPolicy":"Sideways"})", "", 422, "propagationPolicy"},
  };
  for (const BadCase& bad : cases) {
    const Response response = world.send(bad.method, bad.target, bad.body, bad.content_type);
    EXPECT_EQ(response.status, bad.status)
        << bad.method << " " << bad.target << " " << bad.body << "\n"
        << text_of(response);
    EXPECT_THAT(std::string(text_of(response)), HasSubstr(std::string(bad.says)))
        << bad.method << " " << bad.target;
  }
}

TEST_F(Handled, refuses_a_body_that_is_too_large) {
  const Response response =
      world.send("POST", maps, std::string(body_bytes_max + 1, ' '), "application/json");
  EXPECT_EQ(response.status, 413);
}

TEST_F(Handled, refuses_strangers) {
  const Response response = world.send({.path = "/api/v1/pods", .identity = {.name = "u"}});
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(json(text_of(response))["message"].string_or(""),
            R"(pods is forbidden: User "u" cannot list resource "pods" in API group "" at the )"
            "cluster scope");
}

TEST_F(Handled, treats_unknown_fields_as_asked) {
  constexpr std::string_view body = R"({"metadata":{"name":"b"},"foo":1})";
  const Response strict = world.send("POST", at(maps, "fieldValidation=Strict"), body);
  EXPECT_EQ(strict.status, 400);
  EXPECT_EQ(json(text_of(strict))["message"].string_or(""),
            R"(ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding )"
            R"(error: unknown field "foo")");
  const Response warned = world.send("POST", maps, body);
  EXPECT_EQ(warned.status, 201);
  ASSERT_FALSE(warned.headers.empty());
  EXPECT_EQ(warned.headers[0].second, R"(299 - "unknown field \"foo\"")");
}

TEST_F(Handled, writes_nothing_on_a_dry_run) {
  const Response dry = post_map("dryRun=All");
  EXPECT_EQ(dry.status, 201);
  const Value made = json(text_of(dry));
  EXPECT_FALSE(objects::uid_of(made).empty());
  EXPECT_TRUE(objects::resource_version_of(made).empty());
  EXPECT_EQ(world.send("GET", one_map).status, 404);
  EXPECT_EQ(post_map("dryRun=Some").status, 422);
}

TEST_F(Handled, pages_through_a_list) {
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    world.create(resources::config_maps, "default",
                 fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name));
  }
  const Value first = json(text_of(world.send("GET", at(maps, "limit=2"))));
  ASSERT_EQ(first["items"].size(), 2U);
  EXPECT_EQ(first["metadata"]["remainingItemCount"].integer_or(0), 3);
  // What happens in between is not seen: all pages show the state of the first.
  world.try_remove(resources::config_maps, "default", "d").must();
  std::string names;
  std::string token(first["metadata"]["continue"].string_or(""));
  while (!token.empty()) {
    const Value page = json(text_of(world.send("GET", at(maps, "limit=2&continue=" + token))));
    EXPECT_EQ(page["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
    for (objects::View item : page["items"].elements()) names += objects::name_of(item);
    token = page["metadata"]["continue"].string_or("");
  }
  EXPECT_EQ(names, "cde");
}

TEST_F(Handled, sends_the_state_and_its_end_to_a_watch_list) {
  post_map();
  Response response =
      world.send("GET", at(maps,
                           "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
                           "allowWatchBookmarks=true"));
  ASSERT_EQ(response.status, 200);
  const std::string text = drain(response);
  EXPECT_THAT(text, StartsWith(R"({"type":"ADDED","object":{"kind":"ConfigMap")"));
  EXPECT_THAT(text, HasSubstr(R"({"type":"BOOKMARK","object":{"kind":"ConfigMap")"));
  EXPECT_THAT(text, HasSubstr(R"("annotations":{"k8s.io/initial-events-end":"true"})"));
  world.try_remove(resources::config_maps, "default", "a").must();
  EXPECT_THAT(drain(response), StartsWith(R"({"type":"DELETED")"));
}

TEST_F(Handled, ends_a_watch_in_time_with_a_bookmark) {
  Response response = world.send("GET", at(maps,
                                           "watch=1&resourceVersion=1&timeoutSeconds=2&"
                                           "allowWatchBookmarks=true"));
  EXPECT_EQ(drain(response), "");
  world.time.run_for(Span::of_seconds(3));
  const std::string text = drain(response);
  EXPECT_THAT(text, StartsWith(R"({"type":"BOOKMARK")"));
  EXPECT_TRUE(text.ends_with("(end)"));
}

TEST_F(Handled, tells_an_old_watch_inside_the_stream) {
  post_map();
  world.time.run_for(history_kept + compaction_period + compaction_period);
  const Response response = world.send("GET", at(maps, "watch=1&resourceVersion=1"));
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(std::string(text_of(response)), StartsWith(R"({"type":"ERROR","object":{"kind":)"));
  EXPECT_THAT(std::string(text_of(response)), HasSubstr(R"("reason":"Expired")"));
}

TEST_F(Handled, deletes_with_a_status_or_the_object) {
  post_map();
  const Value gone = json(text_of(world.send("DELETE", one_map)));
  EXPECT_EQ(gone["status"].string_or(""), "Success");
  EXPECT_EQ(gone["details"]["kind"].string_or(""), "configmaps");
  world.create(resources::pods, "default",
               R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  const Value pod = json(text_of(world.send("DELETE", "/api/v1/namespaces/default/pods/p")));
  EXPECT_EQ(pod["kind"].string_or(""), "Pod");
}

TEST_F(Handled, deletes_a_collection) {
  for (const char* name : {"a", "b", "c"}) {
    world.create(
        resources::config_maps, "default",
        fmt::format(R"({{"metadata":{{"name":"{}","labels":{{"n":"{}"}}}}}})", name, name));
  }
  const Response response = world.send("DELETE", at(maps, "labelSelector=n%20in%20(a,b)"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(json(text_of(response))["items"].size(), 2U);
  EXPECT_EQ(world.list(resources::config_maps, "default")["items"].size(), 1U);
}

TEST_F(Handled, patches_by_media_type) {
  post_map();
  const auto patched = [&](std::string_view type, std::string_view body) {
    return world.send("PATCH", one_map, body, type);
  };
  EXPECT_EQ(patched("application/merge-patch+json", R"({"data":{"m":"1"}})").status, 200);
  EXPECT_EQ(patched("application/strategic-merge-patch+json", R"({"data":{"s":"1"}})").status, 200);
  EXPECT_EQ(patched("application/json-patch+json", R"([{"op":"add","path":"/data/j","value":"1"}])")
                .status,
            200);
  EXPECT_EQ(world.get(resources::config_maps, "default", "a")["data"].size(), 4U);
  const Response rejected =
      patched("application/json-patch+json", R"([{"op":"test","path":"/data/j","value":"2"}])");
  EXPECT_EQ(rejected.status, 422);
  EXPECT_THAT(std::string(text_of(rejected)),
              HasSubstr("the server rejected our request due to an error in our request"));
}

TEST_F(Handled, shows_tables) {
  post_map();
  const std::string accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
  const Value list = json(text_of(world.send({.path = std::string(maps), .accept = accept})));
  EXPECT_EQ(list["kind"].string_or(""), "Table");
  EXPECT_EQ(list["rows"][0]["cells"][0].string_or(""), "a");
  const Value one = json(text_of(world.send({.path = std::string(one_map), .accept = accept})));
  EXPECT_EQ(one["rows"].size(), 1U);
  Response response = world.send({.path = std::string(maps), .query = "watch=1", .accept = accept});
  world.create(resources::config_maps, "default", R"({"metadata":{"name":"b"}})");
  const std::string text = drain(response);
  const std::size_t end = text.find('\n');
  const Value first = json(text.substr(0, end));
  const Value second = json(text.substr(end + 1));
  EXPECT_EQ(first["object"]["kind"].string_or(""), "Table");
  EXPECT_GT(first["object"]["columnDefinitions"].size(), 1U);
  EXPECT_EQ(second["object"]["columnDefinitions"].size(), 0U);
  EXPECT_EQ(second["object"]["rows"][0]["cells"][0].string_or(""), "b");
}

TEST_F(Handled, serves_health_version_and_discovery) {
  EXPECT_EQ(text_of(world.send("GET", "/healthz")), "ok");
  EXPECT_EQ(text_of(world.send("GET", "/readyz")), "ok");
  EXPECT_EQ(json(text_of(world.send("GET", "/version?timeout=5s")))["major"].string_or(""), "1");
  EXPECT_EQ(json(text_of(world.send("GET", "/apis/batch/v1")))["kind"].string_or(""),
            "APIResourceList");
  EXPECT_EQ(json(text_of(world.send("GET", "/api")))["kind"].string_or(""), "APIVersions");
  EXPECT_THAT(std::string(text_of(world.send("GET", "/openapi/v3"))), HasSubstr("api/v1"));
  EXPECT_EQ(world.send("GET", "/openapi/v3/apis/batch/v1").status, 200);
  EXPECT_EQ(world.send("GET", "/openapi/v2").status, 200);
}

}  // namespace
}  // namespace muster::server
