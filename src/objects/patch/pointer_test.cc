// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/pointer.h"

#include <gtest/gtest.h>

#include "objects/json.h"

namespace muster::objects {
namespace {

TEST(Pointer, finds_every_example_of_rfc_6901) {
  const Value document = parse_json(R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,
                                        "i\\j":5,"k\"l":6," ":7,"m~n":8})")
                             .must();
  const std::pair<std::string_view, std::string_view> examples[] = {
      {"/foo", R"(["bar","baz"])"},
      {"/foo/0", R"("bar")"},
      {"/", "0"},
      {"/a~1b", "1"},
      {"/c%d", "2"},
      {"/e^f", "3"},
      {"/g|h", "4"},
      {"/i\\j", "5"},
      {"/k\"l", "6"},
      {"/ ", "7"},
      {"/m~0n", "8"},
  };
  for (const auto& [text, expected] : examples) {
    EXPECT_EQ(to_json(at(document, Pointer::parse(text).must())), expected) << text;
  }
  EXPECT_TRUE(at(document, Pointer::parse("").must()) == document.view());
}

TEST(Pointer, prints_as_it_was_read) {
  for (const std::string_view text : {"", "/", "/a~1b/m~0n/0", "//", "/~01"}) {
    EXPECT_EQ(Pointer::parse(text).must().to_string(), text);
  }
}

TEST(Pointer, unescapes_from_left_to_right) {
  EXPECT_EQ(Pointer::parse("/~01").must().tokens()[0], "~1");
  EXPECT_EQ(Pointer::parse("/~10").must().tokens()[0], "/0");
}

TEST(Pointer, keeps_a_tilde_that_escapes_nothing) {
  EXPECT_EQ(Pointer::parse("/a~2b~").must().tokens()[0], "a~2b~");
}

TEST(Pointer, refuses_a_path_without_a_leading_slash) {
  EXPECT_EQ(Pointer::parse("a/b").error().code, ErrorCode::bad_request);
}

TEST(Pointer, finds_nothing_behind_scalars_and_ends) {
  const Value document = parse_json(R"({"a":[1],"s":"x"})").must();
  for (const std::string_view text : {"/b", "/a/1", "/a/-", "/a/x", "/a/00", "/s/0", "/a/0/0"}) {
    EXPECT_TRUE(at(document, Pointer::parse(text).must()).is_absent()) << text;
  }
  EXPECT_EQ(to_json(at(document, Pointer::parse("/a/-1").must())), "1");
}

TEST(ArrayIndex, tells_elements_ends_and_nonsense_apart) {
  using Kind = ArrayIndex::Kind;
  EXPECT_EQ(array_index("0", 3).kind, Kind::element);
  EXPECT_EQ(array_index("-3", 3).value, 0U);
  EXPECT_EQ(array_index("-1", 3).value, 2U);
  EXPECT_EQ(array_index("3", 3).kind, Kind::end);
  EXPECT_EQ(array_index("-", 3).kind, Kind::end);
  EXPECT_EQ(array_index("4", 3).kind, Kind::out_of_bounds);
  EXPECT_EQ(array_index("-4", 3).kind, Kind::out_of_bounds);
  EXPECT_EQ(array_index("-9223372036854775808", 3).kind, Kind::out_of_bounds);
  EXPECT_EQ(array_index("9223372036854775808", 3).kind, Kind::too_large);
  for (const std::string_view token : {"", "x", "01", "+1", "-0", "-01", "1 ", "1.0", "--1"}) {
    EXPECT_EQ(array_index(token, 3).kind, Kind::not_a_number) << token;
  }
}

}  // namespace
}  // namespace muster::objects
