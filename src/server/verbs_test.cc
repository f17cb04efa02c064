// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "objects/edit.h"
#include "objects/metadata.h"
#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

namespace resources = objects::resources;
using client::Propagation;
using client::Verb;
using objects::Value;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view config_map = R"({"metadata":{"name":"a"},"data":{"k":"v"}})";
constexpr std::string_view pod =
    R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})";

TEST(create, sets_what_only_the_server_knows) {
  ServerWorld world;
  const Value made = world.create(resources::config_maps, "default", config_map);
  EXPECT_EQ(made["metadata"]["namespace"].string_or(""), "default");
  EXPECT_EQ(objects::uid_of(made).size(), 36U);
  EXPECT_EQ(made["metadata"]["creationTimestamp"].string_or(""), "2026-01-01T00:00:00Z");
  EXPECT_FALSE(objects::resource_version_of(made).empty());
  EXPECT_EQ(made["kind"].string_or(""), "ConfigMap");
  EXPECT_TRUE(made["metadata"]["generation"].is_absent());
  EXPECT_EQ(world.get(resources::config_maps, "default", "a"), made.view());
}

TEST(create, refuses_what_exists) {
  ServerWorld world;
  world.create(resources::config_maps, "default", config_map);
  const auto again = world.try_create(resources::config_maps, "default", config_map);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::already_exists);
  EXPECT_EQ(again.error().message, R"(configmaps "a" already exists)");
}

TEST(create, needs_a_namespace_that_exists) {
  ServerWorld world;
  const auto made = world.try_create(resources::config_maps, "nons", config_map);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, R"(namespaces "nons" not found)");
}

TEST(create, draws_a_name) {
  ServerWorld world;
  const Value made =
      world.create(resources::config_maps, "default", R"({"metadata":{"generateName":"x-"}})");
  EXPECT_EQ(objects::name_of(made).size(), 7U);
  EXPECT_TRUE(objects::name_of(made).starts_with("x-"));
}

TEST(create, refuses_an_object_that_is_wrong) {
  ServerWorld world;
  const auto made = world.try_create(resources::pods, "default",
                                     R"({"metadata":{"name":"P_"},"spec":{"containers":[]}})");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::invalid);
  EXPECT_THAT(made.error().message, HasSubstr(R"(Pod "P_" is invalid: [metadata.name)"));
}

TEST(create, completes_a_pod) {
  ServerWorld world;
  const Value made = world.create(resources::pods, "default", pod);
  EXPECT_EQ(made["spec"]["priority"].integer_or(-1), 0);
  EXPECT_EQ(made["spec"]["tolerations"].size(), 2U);
  EXPECT_EQ(made["status"]["phase"].string_or(""), "Pending");
  EXPECT_EQ(made["metadata"]["generation"].integer_or(0), 1);
}

TEST(create, makes_an_active_namespace) {
  ServerWorld world;
  const Value made = world.create(resources::namespaces, "", R"({"metadata":{"name":"team-a"}})");
  EXPECT_EQ(made["status"]["phase"].string_or(""), "Active");
  EXPECT_EQ(made["spec"]["finalizers"][0].string_or(""), "kubernetes");
  EXPECT_EQ(made["metadata"]["labels"]["kubernetes.io/metadata.name"].string_or(""), "team-a");
}

TEST(create, generates_the_selector_of_a_job) {
  ServerWorld world;
  const Value made =
      world.create(resources::jobs, "default",
                   R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{"restartPolicy":"Never",
          "containers":[{"name":"c","image":"i"}]}}}})");
  const auto uid = objects::uid_of(made);
  EXPECT_EQ(
      made["spec"]["selector"]["matchLabels"]["batch.kubernetes.io/controller-uid"].string_or(""),
      uid);
  const auto labels = made["spec"]["template"]["metadata"]["labels"];
  EXPECT_EQ(labels["job-name"].string_or(""), "j");
  EXPECT_EQ(labels["controller-uid"].string_or(""), uid);
}

TEST(read, lists_what_is_selected) {
  ServerWorld world;
  world.create(resources::config_maps, "default",
               R"({"metadata":{"name":"a","labels":{"app":"x"}}})");
  world.create(resources::config_maps, "default",
               R"({"metadata":{"name":"b","labels":{"app":"y"}}})");
  EXPECT_EQ(world.list(resources::config_maps, "default")["items"].size(), 2U);
  const Value some = world.list(resources::config_maps, "default", "app=y");
  ASSERT_EQ(some["items"].size(), 1U);
  EXPECT_EQ(objects::name_of(some["items"][0]), "b");
  const Value one = world.list(resources::config_maps, "", "", "metadata.name=a");
  EXPECT_EQ(one["items"].size(), 1U);
  EXPECT_EQ(some["kind"].string_or(""), "ConfigMapList");
}

TEST(update, needs_the_newest_version) {
  ServerWorld world;
  const Value first = world.create(resources::config_maps, "default", config_map);
  const Value edited = objects::with(first, {"data", "k"}, Value::string("w")).must();
  const Value second = world.try_update(resources::config_maps, edited).must();
  EXPECT_NE(objects::resource_version_of(first), objects::resource_version_of(second));
  const auto third = world.try_update(resources::config_maps, edited);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::conflict);
  EXPECT_EQ(third.error().message,
            R"(Operation cannot be fulfilled on configmaps "a": the object has been modified; )"
            "please apply your changes to the latest version and try again");
}

TEST(update, that_changes_nothing_keeps_the_version) {
  ServerWorld world;
  const Value first = world.create(resources::config_maps, "default", config_map);
  const Value again = world.try_update(resources::config_maps, first).must();
  EXPECT_EQ(objects::resource_version_of(first), objects::resource_version_of(again));
}

TEST(update, of_the_status_touches_only_the_status) {
  ServerWorld world;
  world.create(resources::pods, "default", pod);
  const Value written =
      world
          .try_patch(resources::pods, "default", "p",
                     R"({"spec":{"nodeName":"n"},"status":{"phase":"Running"}})", "status")
          .must();
  EXPECT_TRUE(written["spec"]["nodeName"].is_absent());
  EXPECT_EQ(written["status"]["phase"].string_or(""), "Running");
  const Value main = world
                         .try_patch(resources::pods, "default", "p",
                                    R"({"metadata":{"labels":{"a":"b"}},
                                         "status":{"phase":"Failed"}})")
                         .must();
  EXPECT_EQ(main["status"]["phase"].string_or(""), "Running");
  EXPECT_EQ(main["metadata"]["generation"].integer_or(0), 1);
}

TEST(patch, with_an_old_version_is_a_conflict) {
  ServerWorld world;
  world.create(resources::config_maps, "default", config_map);
  const auto patched = world.try_patch(resources::config_maps, "default", "a",
                                       R"({"metadata":{"resourceVersion":"1"},"data":{"k":"w"}})");
  ASSERT_FALSE(patched);
  EXPECT_EQ(patched.error().code, ErrorCode::conflict);
}

TEST(patch, meets_whatever_is_there_when_it_names_no_version) {
  ServerWorld world;
  world.create(resources::config_maps, "default", config_map);
  int done = 0;
  for (int i = 0; i < 4; ++i) {
    world.api->call({.verb = Verb::patch,
                     .resource = resources::config_maps,
                     .name_space = "default",
                     .name = "a",
                     .body = json(R"({"data":{"k)" + std::to_string(i) + R"(":"w"}})")},
                    [&done](const Result<Value>& answer) { done += answer ? 1 : 0; });
  }
  world.settle();
  EXPECT_EQ(done, 4);
  EXPECT_EQ(world.get(resources::config_maps, "default", "a")["data"].size(), 5U);
}

TEST(remove, of_an_unbound_pod_is_immediate) {
  ServerWorld world;
  world.create(resources::pods, "default", pod);
  EXPECT_TRUE(world.try_remove(resources::pods, "default", "p"));
  EXPECT_FALSE(world.try_get(resources::pods, "default", "p"));
}

TEST(remove, of_a_bound_pod_is_graceful) {
  ServerWorld world;
  world.create(resources::pods, "default", pod);
  world
      .call({.verb = Verb::create,
             .resource = resources::pods,
             .name_space = "default",
             .name = "p",
             .subresource = "binding",
             .body = json(R"({"target":{"kind":"Node","name":"n1"}})")})
      .must();
  const Value dying = world.try_remove(resources::pods, "default", "p").must();
  EXPECT_EQ(dying["metadata"]["deletionTimestamp"].string_or(""), "2026-01-01T00:00:30Z");
  EXPECT_EQ(dying["metadata"]["deletionGracePeriodSeconds"].integer_or(0), 30);
  EXPECT_EQ(dying["metadata"]["generation"].integer_or(0), 2);
  world
      .call({.verb = Verb::remove,
             .resource = resources::pods,
             .name_space = "default",
             .name = "p",
             .grace_period_seconds = 0})
      .must();
  EXPECT_FALSE(world.try_get(resources::pods, "default", "p"));
}

TEST(remove, waits_for_finalizers) {
  ServerWorld world;
  world.create(resources::config_maps, "default",
               R"({"metadata":{"name":"a","finalizers":["x.y/z"]}})");
  const Value dying = world.try_remove(resources::config_maps, "default", "a").must();
  EXPECT_TRUE(objects::is_being_deleted(dying));
  world.try_patch(resources::config_maps, "default", "a", R"({"metadata":{"finalizers":null}})")
      .must();
  EXPECT_FALSE(world.try_get(resources::config_maps, "default", "a"));
}

TEST(bind, happens_once) {
  ServerWorld world;
  world.create(resources::pods, "default", pod);
  const client::Call binding{.verb = Verb::create,
                             .resource = resources::pods,
                             .name_space = "default",
                             .name = "p",
                             .subresource = "binding",
                             .body = json(R"({"target":{"name":"n1"}})")};
  const Value bound = world.call(binding).must();
  EXPECT_EQ(bound["spec"]["nodeName"].string_or(""), "n1");
  EXPECT_TRUE(objects::is_true(objects::condition(bound, "PodScheduled")));
  const auto again = world.call(binding);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, R"(Operation cannot be fulfilled on pods/binding "p": )"
                                   R"(pod p is already assigned to node "n1")");
}

// Muster alone may bind a pod to the node where it is, once: that brings its address.
TEST(bind, brings_the_address_to_a_pod_that_has_its_node) {
  ServerWorld world;
  const auto muster =
      world.server->in_process({.name = "system:muster:controller", .groups = {"system:masters"}});
  world.create(resources::pods, "default",
               R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1",
                  "containers":[{"name":"c","image":"i"}]}})");
  const auto binding = [](std::string_view node) {
    return client::Call{.verb = Verb::create,
                        .resource = resources::pods,
                        .name_space = "default",
                        .name = "p",
                        .subresource = "binding",
                        .body = json(fmt::format(R"({{"metadata":{{"annotations":{{
            "muster.dev/pod-ip":"10.0.0.1"}}}},"target":{{"name":"{}"}}}})",
                                                 node))};
  };
  EXPECT_EQ(world.call(binding("n1")).error().code, ErrorCode::conflict);
  EXPECT_FALSE(world.call_as(*muster, binding("n2")));
  const Value received = world.call_as(*muster, binding("n1")).must();
  EXPECT_EQ(objects::annotations_of(received)["muster.dev/pod-ip"].string_or(""), "10.0.0.1");
  EXPECT_TRUE(objects::is_true(objects::condition(received, "PodScheduled")));
  EXPECT_FALSE(world.call_as(*muster, binding("n1")));
}

TEST(watch, goes_on_where_a_list_ended) {
  ServerWorld world;
  world.create(resources::config_maps, "default", config_map);
  const Value listed = world.list(resources::config_maps);
  const auto seen =
      world.watch({.resource = resources::config_maps,
                   .resource_version = std::string(objects::resource_version_of(listed))});
  world.try_patch(resources::config_maps, "default", "a", R"({"data":{"k":"w"}})").must();
  world.create(resources::config_maps, "default", R"({"metadata":{"name":"b"}})");
  world.try_remove(resources::config_maps, "default", "a").must();
  world.settle();
  EXPECT_THAT(seen->lines(), ElementsAre("MODIFIED a", "ADDED b", "DELETED a"));
  EXPECT_EQ(objects::resource_version_of(seen->events.back().object),
            std::to_string(world.store->revision().value));
}

TEST(watch, shows_leaving_a_selector_as_a_deletion) {
  ServerWorld world;
  const auto seen = world.watch({.resource = resources::config_maps, .label_selector = "app=x"});
  world.create(resources::config_maps, "default",
               R"({"metadata":{"name":"a","labels":{"app":"x"}}})");
  world.try_patch(resources::config_maps, "default", "a", R"({"metadata":{"labels":{"app":"y"}}})")
      .must();
  world.try_patch(resources::config_maps, "default", "a", R"({"data":{"k":"v"}})").must();
  world.settle();
  EXPECT_THAT(seen->lines(), ElementsAre("ADDED a", "DELETED a"));
}

TEST(versions, meet_in_the_store) {
  ServerWorld world;
  constexpr objects::Resource old_queues{"kueue.x-k8s.io", "v1beta1", "clusterqueues",
                                         "ClusterQueue", objects::Scope::cluster};
  world.create(old_queues, "", R"({"metadata":{"name":"q"},"spec":{"cohort":"all"}})");
  EXPECT_EQ(world.get(resources::cluster_queues, "", "q")["spec"]["cohortName"].string_or(""),
            "all");
  EXPECT_EQ(world.get(old_queues, "", "q")["spec"]["cohort"].string_or(""), "all");
}

}  // namespace
}  // namespace muster::server
