// SPDX-License-Identifier: Apache-2.0
#include "server/metrics_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "objects/resource.h"
#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

namespace resources = objects::resources;
using objects::Value;
using testing::HasSubstr;

class Measured final : public UsageSource {
 public:
  std::optional<Usage> pod(std::string_view uid) const override { return find(pods, uid); }
  std::optional<Usage> node(std::string_view name) const override { return find(nodes, name); }

  std::map<std::string, Usage, std::less<>> pods;
  std::map<std::string, Usage, std::less<>> nodes;

 private:
  static std::optional<Usage> find(const std::map<std::string, Usage, std::less<>>& all,
                                   std::string_view key) {
    const auto found = all.find(key);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  }
};

class Metrics : public testing::Test {
 protected:
  Metrics() {
    world.server->set_usage(&measured);
    world.create(resources::nodes, "", R"({"metadata":{"name":"n1","labels":{"zone":"a"}}})");
    world.create(resources::nodes, "", R"({"metadata":{"name":"n2"}})");
    for (const char* name : {"a", "b"}) {
      const Value pod =
          world.create(resources::pods, "default",
                       std::string(R"({"metadata":{"name":")") + name + R"(","labels":{"app":")" +
                           name + R"("}},"spec":{"containers":[{"name":"c","image":"i"}]}})");
      uids.emplace_back(pod["metadata"]["uid"].string_or(""));
    }
    const Usage used{.taken = {},
                     .window = Span::of_milliseconds(10'500),
                     .containers = {{.name = "c", .nanocores = 12'345'678, .memory_bytes = 1 << 20},
                                    {.name = "d", .nanocores = 1'000'000, .memory_bytes = 4096}}};
    measured.pods[uids[0]] = used;
    measured.nodes["n1"] = {.taken = {},
                            .window = Span::of_seconds(10),
                            .containers = {{.nanocores = 500'000'000, .memory_bytes = 3 << 20}}};
  }
  std::string get(std::string_view path) { return std::string(text_of(world.send("GET", path))); }

  Measured measured;
  ServerWorld world;
  std::vector<std::string> uids;
};

constexpr const char* base = "/apis/metrics.k8s.io/v1beta1";

TEST_F(Metrics, are_computed_lists) {
  const Value pods = objects::parse_json(get(std::string(base) + "/pods")).must();
  EXPECT_EQ(pods["kind"].string_or(""), "PodMetricsList");
  EXPECT_EQ(objects::to_json(pods["metadata"]), "{}");
  ASSERT_EQ(pods["items"].size(), 1U) << "nobody measured the other";
  const auto item = pods["items"][0];
  EXPECT_TRUE(item["kind"].is_absent());
  EXPECT_EQ(item["window"].string_or(""), "10.5s");
  EXPECT_EQ(item["metadata"]["labels"]["app"].string_or(""), "a");
  EXPECT_EQ(objects::to_json(item["containers"]),
            R"([{"name":"c","usage":{"cpu":"12345678n","memory":"1Mi"}},)"
            R"({"name":"d","usage":{"cpu":"1m","memory":"4Ki"}}])");
  const Value nodes = objects::parse_json(get(std::string(base) + "/nodes")).must();
  ASSERT_EQ(nodes["items"].size(), 1U);
  EXPECT_EQ(objects::to_json(nodes["items"][0]["usage"]), R"({"cpu":"500m","memory":"3Mi"})");
}

TEST_F(Metrics, are_found_by_name_and_selector) {
  const std::string of_namespace = std::string(base) + "/namespaces/default/pods";
  const Value one = objects::parse_json(get(of_namespace + "/a")).must();
  EXPECT_EQ(one["kind"].string_or(""), "PodMetrics");
  EXPECT_EQ(one["apiVersion"].string_or(""), "metrics.k8s.io/v1beta1");
  EXPECT_THAT(get(of_namespace + "/b"),
              HasSubstr(R"(podmetrics.metrics.k8s.io \"default/b\" not found)"));
  EXPECT_THAT(get(std::string(base) + "/nodes/n2"),
              HasSubstr(R"(nodemetrics.metrics.k8s.io \"n2\" not found)"));
  EXPECT_THAT(get(of_namespace + "?labelSelector=app%3Db"), HasSubstr(R"("items":[])"));
  EXPECT_THAT(get(of_namespace + "?labelSelector=app%3Da"), HasSubstr(R"("name":"a")"));
}

TEST_F(Metrics, are_only_read) {
  EXPECT_EQ(world.send("POST", std::string(base) + "/nodes", "{}").status, 405);
  EXPECT_EQ(world.send("GET", std::string(base) + "/nodes?watch=true").status, 405);
  EXPECT_EQ(world.send("DELETE", std::string(base) + "/nodes/n1").status, 405);
}

TEST_F(Metrics, are_tables_too) {
  const Response response = world.send({.method = "GET",
                                        .path = std::string(base) + "/pods",
                                        .accept = "application/json;as=Table;v=v1;g=meta.k8s.io"});
  const Value table = objects::parse_json(text_of(response)).must();
  EXPECT_EQ(objects::to_json(table["rows"][0]["cells"]), R"(["a","13345678n","1028Ki","10.5s"])");
}

}  // namespace
}  // namespace muster::server
