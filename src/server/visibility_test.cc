// SPDX-License-Identifier: Apache-2.0
#include "server/visibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/model/cluster_state.h"
#include "objects/json.h"
#include "objects/resource.h"
#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

namespace resources = objects::resources;
using objects::Resource;
using objects::Value;
using testing::ElementsAre;
using testing::HasSubstr;

class Visibility : public testing::Test {
 protected:
  Visibility() {
    world.server->set_queues(&state);
    tell(resources::resource_flavors, R"({"metadata":{"name":"default","uid":"f"}})");
    tell(resources::cluster_queues, R"({"metadata":{"name":"cq","uid":"q"},"spec":{
        "namespaceSelector":{},"resourceGroups":[{"coveredResources":["cpu"],"flavors":[
        {"name":"default","resources":[{"name":"cpu","nominalQuota":"0"}]}]}]}})");
    for (const char* name : {"a", "b"}) {
      tell(resources::local_queues, std::string(R"({"metadata":{"namespace":"team","name":")") +
                                        name + R"(","uid":"l)" + name +
                                        R"("},"spec":{"clusterQueue":"cq"}})");
    }
    add_workload("w1", "a", 0, "2026-01-01T00:00:01Z");
    add_workload("w2", "b", 5, "2026-01-01T00:00:03Z");
    add_workload("w3", "b", 0, "2026-01-01T00:00:02Z");
    add_workload("w4", "a", 5, "2026-01-01T00:00:04Z");
  }

  void tell(const Resource& resource, const std::string& text) {
    core::Event event;
    event.type = core::EventType::upsert;
    event.revision = ++revision;
    event.resource = resource;
    event.object = objects::parse_json(text).must();
    state.apply(event);
  }

  void add_workload(const std::string& name, const std::string& queue, int priority,
                    const std::string& created) {
    tell(resources::workloads,
         R"({"metadata":{"namespace":"team","name":")" + name + R"(","uid":"u)" + name +
             R"(","creationTimestamp":")" + created +
             R"(","ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j)" + name +
             R"(","uid":"o","controller":true}]},"spec":{"queueName":")" + queue +
             R"(","priority":)" + std::to_string(priority) +
             R"(,"podSets":[{"name":"main","count":1,"template":{"spec":{"containers":[
             {"name":"c","resources":{"requests":{"cpu":"1"}}}]}}}]}})");
  }

  Value get(const std::string& path) {
    return objects::parse_json(
               text_of(world.send("GET", "/apis/visibility.kueue.x-k8s.io/" + path)))
        .must();
  }

  static std::vector<std::string> places(const Value& summary) {
    std::vector<std::string> found;
    for (const auto item : summary["items"].elements()) {
      found.push_back(std::string(item["metadata"]["name"].string_or("")) + " " +
                      std::to_string(item["positionInClusterQueue"].integer_or(-1)) + " " +
                      std::to_string(item["positionInLocalQueue"].integer_or(-1)));
    }
    return found;
  }

  core::ClusterState state;
  ServerWorld world;
  std::uint64_t revision = 0;
};

TEST_F(Visibility, those_who_wait_stand_by_priority_and_age_with_both_positions) {
  const Value all = get("v1beta2/clusterqueues/cq/pendingworkloads");
  EXPECT_EQ(all["kind"].string_or(""), "PendingWorkloadsSummary");
  EXPECT_EQ(all["apiVersion"].string_or(""), "visibility.kueue.x-k8s.io/v1beta2");
  EXPECT_THAT(places(all), ElementsAre("w2 0 0", "w4 1 0", "w1 2 1", "w3 3 1"));
  EXPECT_EQ(objects::to_json(all["items"][0]),
            R"({"metadata":{"name":"w2","namespace":"team",)"
            R"("creationTimestamp":"2026-01-01T00:00:03Z","ownerReferences":[)"
            R"({"apiVersion":"batch/v1","kind":"Job","name":"jw2","uid":"o"}]},"priority":5,)"
            R"("localQueueName":"b","positionInClusterQueue":0,"positionInLocalQueue":0})");
}

TEST_F(Visibility, a_local_queue_shows_its_own_and_where_they_stand_in_all) {
  EXPECT_THAT(places(get("v1beta1/namespaces/team/localqueues/b/pendingworkloads")),
              ElementsAre("w2 0 0", "w3 3 1"));
}

TEST_F(Visibility, a_window_keeps_positions) {
  EXPECT_THAT(places(get("v1beta2/clusterqueues/cq/pendingworkloads?offset=1&limit=2")),
              ElementsAre("w4 1 0", "w1 2 1"));
  EXPECT_THAT(places(get("v1beta2/namespaces/team/localqueues/a/pendingworkloads?offset=1")),
              ElementsAre("w1 2 1"));
  EXPECT_EQ(places(get("v1beta2/clusterqueues/cq/pendingworkloads?limit=0")).size(), 4U);
  EXPECT_THAT(places(get("v1beta2/clusterqueues/cq/pendingworkloads?limit=-1")), ElementsAre());
  EXPECT_THAT(places(get("v1beta2/clusterqueues/cq/pendingworkloads?offset=9223372036854775807")),
              ElementsAre());
  EXPECT_EQ(get("v1beta2/clusterqueues/cq/pendingworkloads?limit=x")["code"].integer_or(0), 400);
}

TEST_F(Visibility, a_queue_that_takes_no_part_still_shows_who_waits) {
  tell(resources::cluster_queues, R"({"metadata":{"name":"cq","uid":"q"},"spec":{
      "namespaceSelector":{},"stopPolicy":"Hold"}})");
  EXPECT_EQ(places(get("v1beta2/clusterqueues/cq/pendingworkloads")).size(), 4U);
}

TEST_F(Visibility, what_is_unknown_is_not_found_in_the_words_of_kueue) {
  EXPECT_EQ(get("v1beta2/clusterqueues/none/pendingworkloads")["message"].string_or(""),
            R"(clusterqueue.visibility.kueue.x-k8s.io "none" not found)");
  EXPECT_EQ(
      get("v1beta2/namespaces/team/localqueues/none/pendingworkloads")["message"].string_or(""),
      R"(localqueue.visibility.kueue.x-k8s.io "none" not found)");
  EXPECT_EQ(get("v1beta2/clusterqueues/cq")["code"].integer_or(0), 404);
  tell(resources::local_queues, R"({"metadata":{"namespace":"team","name":"a","uid":"la"},
      "spec":{"clusterQueue":"cq","stopPolicy":"Hold"}})");
  EXPECT_EQ(get("v1beta2/namespaces/team/localqueues/a/pendingworkloads")["code"].integer_or(0),
            404);
  EXPECT_EQ(places(get("v1beta2/clusterqueues/cq/pendingworkloads")).size(), 2U);
}

TEST_F(Visibility, discovery_names_the_parts_alone_as_readable) {
  const Value list = get("v1beta2");
  ASSERT_EQ(list["resources"].size(), 4U);
  EXPECT_EQ(objects::to_json(list["resources"][0]),
            R"({"name":"clusterqueues","singularName":"clusterqueue","namespaced":false,)"
            R"("kind":"PendingWorkloadsSummary","verbs":[]})");
  EXPECT_EQ(objects::to_json(list["resources"][1]),
            R"({"name":"clusterqueues/pendingworkloads","singularName":"","namespaced":false,)"
            R"("kind":"PendingWorkloadsSummary","verbs":["get"]})");
}

}  // namespace
}  // namespace muster::server
