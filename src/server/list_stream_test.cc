// SPDX-License-Identifier: Apache-2.0
#include "server/list_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "objects/json.h"

namespace muster::server {
namespace {

std::vector<Item> config_maps(int count, std::size_t bytes) {
  std::vector<Item> items;
  for (int i = 0; i < count; ++i) {
    const std::string text = R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m)" +
                             std::to_string(i) + R"("},"data":{"k":")" + std::string(bytes, 'x') +
                             "\"}}";
    items.push_back(
        {store::Bytes::copy_of(text), store::Revision{static_cast<std::uint64_t>(i + 7)}});
  }
  return items;
}

struct Taken {
  std::string text = {};
  std::size_t steps = 0;
  std::size_t largest = 0;
};

Taken taken(ListStream& list, std::size_t bytes_max) {
  Taken all;
  bool ended = false;
  while (!ended) {
    const StreamStep step = list.take(bytes_max);
    ended = step.ended;
    ++all.steps;
    for (const Piece& piece : step.pieces) {
      all.text += piece.view();
      all.largest = std::max(all.largest, piece.size());
    }
  }
  return all;
}

TEST(list_stream, its_pieces_are_the_list) {
  ListStream list(R"({"kind":"ConfigMapList","items":[)", config_maps(3, 10), ItemForm::bare);
  EXPECT_EQ(taken(list, 1 << 20).text,
            R"({"kind":"ConfigMapList","items":[)"
            R"({"metadata":{"resourceVersion":"7","name":"m0"},"data":{"k":"xxxxxxxxxx"}},)"
            R"({"metadata":{"resourceVersion":"8","name":"m1"},"data":{"k":"xxxxxxxxxx"}},)"
            R"({"metadata":{"resourceVersion":"9","name":"m2"},"data":{"k":"xxxxxxxxxx"}}]})"
            "\n");
}

TEST(list_stream, items_may_keep_their_kind) {
  ListStream list(R"({"items":[)", config_maps(1, 1), ItemForm::typed);
  EXPECT_EQ(taken(list, 1 << 20).text,
            R"({"items":[{"kind":"ConfigMap","apiVersion":"v1",)"
            R"("metadata":{"resourceVersion":"7","name":"m0"},"data":{"k":"x"}}]})"
            "\n");
}

TEST(list_stream, no_piece_is_much_larger_than_asked) {
  constexpr std::size_t item_bytes = 1'000;
  ListStream list("{\"items\":[", config_maps(500, item_bytes), ItemForm::bare);
  const Taken all = taken(list, 10'000);
  EXPECT_GT(all.steps, 40U);
  EXPECT_LT(all.largest, 10'000U + 2 * item_bytes);
  const auto parsed = objects::parse_json(all.text);
  ASSERT_TRUE(parsed);
  EXPECT_EQ((*parsed)["items"].size(), 500U);
}

TEST(list_stream, an_empty_list_ends_at_once) {
  ListStream list("{\"items\":[", {}, ItemForm::bare);
  const Taken all = taken(list, 1);
  EXPECT_EQ(all.text, "{\"items\":[]}\n");
  EXPECT_EQ(all.steps, 1U);
}

}  // namespace
}  // namespace muster::server
