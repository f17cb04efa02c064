// SPDX-License-Identifier: Apache-2.0
#include "server/tree_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "objects/metadata.h"
#include "server/stored_object.h"

namespace muster::server {
namespace {

using objects::Value;

store::Bytes pod(int number) {
  return store::Bytes::copy_of(
      fmt::format(R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"p{}"}}}})", number) +
      "\n" + R"([{"manager":"m"}])");
}

TEST(TreeCache, those_who_ask_for_the_same_revision_share_one_tree) {
  TreeCache trees;
  const store::Bytes bytes = pod(1);
  const Value first = trees.tree_at(bytes, {7});
  EXPECT_EQ(objects::resource_version_of(first), "7");
  EXPECT_EQ(trees.tree_at(bytes, {7}).view().node().members, first.view().node().members);
  // Of a deletion the last state is shown under another one.
  EXPECT_EQ(objects::resource_version_of(trees.tree_at(bytes, {9})), "9");
  EXPECT_EQ(objects::resource_version_of(first), "7");
  EXPECT_EQ(objects::resource_version_of(trees.tree_of(bytes)), "");
  EXPECT_TRUE(trees.tree_of(store::Bytes()).is_absent());
}

TEST(TreeCache, keeps_all_that_is_read_until_it_is_told_to_make_room) {
  TreeCache trees;
  trees.keep_all();
  std::vector<store::Bytes> all;
  for (int i = 0; i < static_cast<int>(trees_kept_max) + 10; ++i) {
    all.push_back(pod(i));
    EXPECT_EQ(objects::name_of(trees.tree_of(all.back())), fmt::format("p{}", i));
  }
  EXPECT_EQ(trees.size(), trees_kept_max + 10);
  trees.keep_loaded();
  for (int i = 0; i < 2 * static_cast<int>(trees_kept_max); ++i) {
    all.push_back(pod(i));
    trees.tree_of(all.back());
  }
  EXPECT_EQ(trees.size(), 2 * trees_kept_max + 10);
  trees.keep_usual();
  EXPECT_EQ(trees.size(), trees_kept_max);
  EXPECT_EQ(objects::name_of(trees.tree_of(all.front())), "p0");
}

TEST(StoredObject, a_line_is_the_text_with_its_revision) {
  for (const store::Bytes& bytes :
       {pod(1), store::Bytes::copy_of(R"({"kind":"Pod","metadata":{"name":"a"},"spec":{}})"),
        store::Bytes::copy_of(R"({"kind":"Other"})")}) {
    std::string expected;
    append_with_revision(bytes.view(), {812}, expected);
    EXPECT_EQ(shown_line(bytes.view(), {812}).view(), expected + "\n");
  }
}

}  // namespace
}  // namespace muster::server
