// SPDX-License-Identifier: Apache-2.0
#include "server/object_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "objects/json.h"
#include "server/stored_object.h"
#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

// More than are loaded at once, and no whole number of pieces.
constexpr int many = 9'001;

void reversed(std::size_t count, const muster::Piece& piece) {
  while (count > 0) piece(--count);
}

std::string stored(int number) {
  return fmt::format(
      R"({{"kind":"ConfigMap","apiVersion":"v1","metadata":{{"name":"m{0}","namespace":"a",)"
      R"("uid":"u{0}","labels":{{"part":"{1}"}},"ownerReferences":[{{"uid":"o{1}"}}]}}}})",
      number, number % 7);
}

TEST(object_cache, loads_the_same_in_whatever_order_the_pieces_are_done) {
  ServerWorld world;
  for (int i = 0; i < many; ++i) {
    world.store->put_if(fmt::format("/registry/core/configmaps/a/m{}", i),
                        store::Bytes::copy_of(stored(i)), store::Expected::absent(),
                        [](const auto& written) { EXPECT_TRUE(written); });
  }
  world.store->put_if("/registry/nobody.knows/things/a/t", store::Bytes::copy_of("{}"),
                      store::Expected::absent(), [](const auto&) {});
  world.time.run_for(Span::of_seconds(1));
  const auto registry = objects::KindRegistry::built_in().must();
  const auto maps = registry.find_resource("", "configmaps");
  for (const InParallel& how : {InParallel(one_by_one), InParallel(reversed)}) {
    TreeCache trees;
    trees.keep_all();
    ObjectCache cache(*world.store, registry, trees);
    cache.load(how).must();
    int found = 0;
    std::string last;
    for (const auto& [at, object] : cache.all_in(*maps, "a")) {
      EXPECT_LT(last, at);
      last = at;
      EXPECT_EQ(objects::to_json(trees.tree_of(object.bytes)), object_text(object.bytes.view()));
      EXPECT_EQ(cache.find_uid(object.uid), &object);
      EXPECT_EQ("u" + object.name.substr(1), object.uid);
      ++found;
    }
    EXPECT_EQ(found, many);
    EXPECT_EQ(cache.dependents_of("o0").size(), 1286U);
    const CachedObject* one = cache.find(*maps, "a", "m9000");
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->labels, (std::vector<std::pair<std::string, std::string>>{{"part", "5"}}));
  }
}

}  // namespace
}  // namespace muster::server
