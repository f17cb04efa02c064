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
using client::Propagation;
using client::Verb;
using objects::Value;

std::string owned(std::string_view name, const Value& owner, bool blocks = false) {
  return fmt::format(
      R"({{"metadata":{{"name":"{}","ownerReferences":[{{"apiVersion":"v1","kind":"ConfigMap",)"
      R"("name":"{}","uid":"{}","blockOwnerDeletion":{}}}]}}}})",
      name, objects::name_of(owner), objects::uid_of(owner), blocks);
}

struct Family : ServerWorld {
  Value owner = create(resources::config_maps, "default", R"({"metadata":{"name":"owner"}})");

  Result<Value> remove_owner(Propagation propagation) {
    auto removed = call({.verb = Verb::remove,
                         .resource = resources::config_maps,
                         .name_space = "default",
                         .name = "owner",
                         .propagation = propagation});
    settle();
    return removed;
  }
  bool exists(std::string_view name) {
    return try_get(resources::config_maps, "default", name).has_value();
  }
};

TEST(garbage_collector, takes_dependents_whose_owner_is_gone) {
  Family world;
  const Value child = world.create(resources::config_maps, "default", owned("child", world.owner));
  world.create(resources::config_maps, "default", owned("grandchild", child));
  ASSERT_TRUE(world.remove_owner(Propagation::background));
  EXPECT_FALSE(world.exists("child"));
  EXPECT_FALSE(world.exists("grandchild"));
}

TEST(garbage_collector, takes_a_dependent_that_comes_after_its_owner_went) {
  Family world;
  ASSERT_TRUE(world.remove_owner(Propagation::background));
  world.create(resources::config_maps, "default", owned("late", world.owner));
  world.settle();
  EXPECT_FALSE(world.exists("late"));
}

TEST(garbage_collector, keeps_a_dependent_that_has_another_owner) {
  Family world;
  const Value second =
      world.create(resources::config_maps, "default", R"({"metadata":{"name":"second"}})");
  const std::string body =
      fmt::format(R"({{"metadata":{{"name":"child","ownerReferences":[)"
                  R"({{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":"{}"}},)"
                  R"({{"apiVersion":"v1","kind":"ConfigMap","name":"second","uid":"{}"}}]}}}})",
                  objects::uid_of(world.owner), objects::uid_of(second));
  world.create(resources::config_maps, "default", body);
  ASSERT_TRUE(world.remove_owner(Propagation::background));
  const Value child = world.get(resources::config_maps, "default", "child");
  ASSERT_EQ(child["metadata"]["ownerReferences"].size(), 1U);
  EXPECT_EQ(child["metadata"]["ownerReferences"][0]["name"].string_or(""), "second");
}

TEST(garbage_collector, lets_blocking_dependents_go_first_in_the_foreground) {
  Family world;
  world.create(resources::config_maps, "default", owned("child", world.owner, true));
  const auto seen = world.watch({.resource = resources::config_maps,
                                 .resource_version = std::string(objects::resource_version_of(
                                     world.list(resources::config_maps)))});
  ASSERT_TRUE(world.remove_owner(Propagation::foreground));
  EXPECT_THAT(seen->lines(),
              testing::ElementsAre("MODIFIED owner", "DELETED child", "DELETED owner"));
}

TEST(garbage_collector, lets_orphans_live) {
  Family world;
  world.create(resources::config_maps, "default", owned("child", world.owner));
  ASSERT_TRUE(world.remove_owner(Propagation::orphan));
  EXPECT_FALSE(world.exists("owner"));
  const Value child = world.get(resources::config_maps, "default", "child");
  EXPECT_TRUE(child["metadata"]["ownerReferences"].empty());
}

TEST(garbage_collector, keeps_what_an_unknown_kind_owns) {
  ServerWorld world;
  world.create(resources::config_maps, "default",
               R"({"metadata":{"name":"child","ownerReferences":[{"apiVersion":"x.y/v1",
                   "kind":"Thing","name":"t","uid":"u"}]}})");
  world.settle();
  EXPECT_TRUE(world.try_get(resources::config_maps, "default", "child"));
}

TEST(garbage_collector, empties_a_namespace_and_lets_it_go) {
  ServerWorld world;
  world.create(resources::namespaces, "", R"({"metadata":{"name":"team"}})");
  world.create(resources::config_maps, "team", R"({"metadata":{"name":"a"}})");
  world.create(resources::config_maps, "team",
               R"({"metadata":{"name":"held","finalizers":["x.y/z"]}})");
  const Value dying = world.try_remove(resources::namespaces, "", "team").must();
  EXPECT_EQ(dying["status"]["phase"].string_or(""), "Terminating");
  world.settle();
  EXPECT_FALSE(world.try_get(resources::config_maps, "team", "a"));
  const auto refused =
      world.try_create(resources::config_maps, "team", R"({"metadata":{"name":"b"}})");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::forbidden);
  EXPECT_TRUE(world.try_get(resources::namespaces, "", "team"));
  world.try_patch(resources::config_maps, "team", "held", R"({"metadata":{"finalizers":null}})")
      .must();
  world.settle();
  EXPECT_FALSE(world.try_get(resources::namespaces, "", "team"));
}

TEST(garbage_collector, goes_on_after_a_restart) {
  Family world;
  world.create(resources::config_maps, "default", owned("child", world.owner));
  // Nobody collects while the server is away.
  world.api.reset();
  world.server.reset();
  std::optional<bool> done;
  world.store->delete_if("/registry/core/configmaps/default/owner", store::Expected::any(),
                         [&](Result<store::Revision> at) { done = at.has_value(); });
  world.settle();
  ASSERT_EQ(done, true);
  world.restart();
  world.settle();
  EXPECT_FALSE(world.exists("child"));
}

TEST(upkeep, forgets_events_after_an_hour) {
  ServerWorld world;
  world.create(resources::events, "default",
               R"({"metadata":{"name":"e"},"involvedObject":{"namespace":"default"}})");
  world.time.run_for(Span::of_seconds(3'000));
  EXPECT_TRUE(world.try_get(resources::events, "default", "e"));
  world.time.run_for(Span::of_seconds(601));
  EXPECT_FALSE(world.try_get(resources::events, "default", "e"));
}

TEST(upkeep, compacts_what_is_older_than_late_watchers_need) {
  ServerWorld world;
  world.create(resources::config_maps, "default", R"({"metadata":{"name":"a"}})");
  world.time.run_for(history_kept + compaction_period + compaction_period);
  EXPECT_FALSE(world.store->statistics().compacted.is_none());
  const auto seen = world.watch({.resource = resources::config_maps, .resource_version = "1"});
  world.settle();
  ASSERT_TRUE(seen->closed);
  EXPECT_EQ(seen->closed->code, ErrorCode::expired);
}

}  // namespace
}  // namespace muster::server
