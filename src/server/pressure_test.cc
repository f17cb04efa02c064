// Requests that were made to hurt: each is refused with a typed answer, and the server goes on.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "objects/resource.h"
#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

namespace resources = objects::resources;
using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

constexpr std::string_view maps = "/api/v1/namespaces/default/configmaps";

std::string nested(std::size_t depth) {
  return R"({"metadata":{"name":"deep"},"data":)" + std::string(depth, '[') +
         std::string(depth, ']') + "}";
}

std::string message_of(const Response& response) {
  return std::string(json(text_of(response))["message"].string_or(""));
}

TEST(pressure, deep_nesting_is_refused) {
  ServerWorld world;
  for (const std::size_t depth : {1'000U, 100'000U, 1'000'000U}) {
    const Response answer = world.send("POST", maps, nested(depth));
    EXPECT_THAT(answer.status, AllOf(Ge(400), Le(422)));
  }
  std::string yaml = "metadata: {name: deep}\ndata: ";
  yaml += std::string(50'000, '[') + std::string(50'000, ']');
  EXPECT_THAT(world.send("POST", maps, yaml, "application/yaml").status, AllOf(Ge(400), Le(422)));
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 40; ++i) {
    laughs += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
  }
  const Response refused = world.send("POST", maps, laughs, "application/yaml");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(message_of(refused), HasSubstr("the text is larger than the limit"));
}

TEST(pressure, a_patch_bomb_is_refused) {
  ServerWorld world;
  world.create(
      resources::config_maps, "default",
      R"({"metadata":{"name":"m"},"data":{"a":"0123456789012345678901234567890123456789"}})");
  const std::string target = std::string(maps) + "/m";
  std::string many = "[";
  for (int i = 0; i <= 10'000; ++i) {
    many += fmt::format(R"({}{{"op":"test","path":"/data/a","value":"x"}})", i == 0 ? "" : ",");
  }
  const Response refused = world.send("PATCH", target, many + "]", "application/json-patch+json");
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(message_of(refused),
            "The allowed maximum operations in a JSON patch is 10000, got 10001");
  // Each copy doubles what is there.
  std::string doubling = "[";
  for (int i = 0; i < 40; ++i) {
    doubling +=
        fmt::format(R"({}{{"op":"copy","from":"/data","path":"/data/k{}"}})", i == 0 ? "" : ",", i);
  }
  EXPECT_THAT(world.send("PATCH", target, doubling + "]", "application/json-patch+json").status,
              AllOf(Ge(400), Le(422)));
  EXPECT_EQ(world.get(resources::config_maps, "default", "m")["data"].size(), 1U);
}

TEST(pressure, long_queries_and_selectors_are_refused) {
  ServerWorld world;
  const std::string long_selector(100'000, 'a');
  EXPECT_THAT(world.send("GET", std::string(maps) + "?labelSelector=" + long_selector).status,
              AllOf(Ge(400), Le(431)));
  std::string many = std::string(maps) + "?labelSelector=";
  for (int i = 0; i < 5'000; ++i) many += fmt::format("k{},", i);
  EXPECT_THAT(world.send("GET", many).status, AllOf(Ge(400), Le(431)));
}

TEST(pressure, a_thousand_watchers_that_never_read_cost_a_bounded_buffer_each) {
  constexpr std::size_t buffered = 100;
  ServerWorld world({.limits = {.watch_events_buffered_max = buffered}});
  std::vector<Response> watchers;
  for (int i = 0; i < 1'000; ++i) {
    watchers.push_back(world.send("GET", std::string(maps) + "?watch=1"));
    ASSERT_EQ(watchers.back().status, 200);
    auto& stream = std::get<std::unique_ptr<Stream>>(watchers.back().body);
    stream->set_on_ready([] {});
    stream->take(1);
  }
  world.create(resources::config_maps, "default", R"({"metadata":{"name":"m"}})");
  for (std::size_t i = 0; i <= buffered; ++i) {
    world
        .try_patch(resources::config_maps, "default", "m",
                   fmt::format(R"({{"data":{{"n":"{}"}}}})", i))
        .must();
  }
  EXPECT_GE(world.store->statistics().watches_cut_off, 1'000U);
  EXPECT_EQ(world.send("GET", maps).status, 200);
  // Who reads at last is told to begin again.
  auto& late = std::get<std::unique_ptr<Stream>>(watchers.front().body);
  std::string text;
  for (int i = 0; i < 100 && text.find("ERROR") == std::string::npos; ++i) {
    for (const Piece& piece : late->take(1 << 20).pieces) text += piece.view();
    world.settle();
  }
  EXPECT_THAT(text, HasSubstr(R"("type":"ERROR")"));
}

}  // namespace
}  // namespace muster::server
