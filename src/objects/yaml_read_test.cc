// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "objects/yaml.h"
#include "objects/yaml_read_oracle.h"

namespace muster::objects {
namespace {

std::string error_of(std::string_view text, const ParseOptions& options = {}) {
  const auto documents = parse_yaml(text, options);
  return documents ? "" : documents.error().message;
}

TEST(YamlRead, agrees_with_kubectls_reader) {
  for (const auto& [yaml, json] : yaml_read_oracle) {
    const auto documents = parse_yaml(yaml);
    if (json.empty()) {
      EXPECT_FALSE(documents) << yaml;
    } else if (json == "null") {
      ASSERT_TRUE(documents) << yaml;
      EXPECT_TRUE(documents->empty()) << yaml;
    } else {
      ASSERT_TRUE(documents) << yaml << documents.error().message;
      ASSERT_EQ(documents->size(), 1U) << yaml;
      const Value expected = parse_json(json).must();
      EXPECT_TRUE(documents->front().value.view() == expected.view())
          << yaml << "read as " << to_json(documents->front().value) << ", expected " << json;
    }
  }
}

TEST(YamlRead, yields_every_document_that_is_not_empty_with_its_line) {
  const auto documents = parse_yaml(
                             "# a list\n---\n---\n# nothing here\n---  # first\na: 1\n"
                             "---\n\nb: 2\n...\n---\nnull\n---\n- c\n")
                             .must();
  ASSERT_EQ(documents.size(), 3U);
  EXPECT_EQ(to_json(documents[0].value), R"({"a":1})");
  EXPECT_EQ(documents[0].line, 6U);
  EXPECT_EQ(documents[1].line, 9U);
  EXPECT_EQ(documents[2].line, 14U);
}

TEST(YamlRead, refuses_foreign_tags_and_aliases_of_nothing_by_line_and_name) {
  EXPECT_EQ(error_of("a:\n- *base\n"), "line 2: unknown anchor 'base' referenced");
  EXPECT_EQ(error_of("a: &x 1\n---\nb: *x\n"), "line 3: unknown anchor 'x' referenced");
  EXPECT_EQ(error_of("a:\n  &x [*x]\n"), "line 2: anchor 'x' value contains itself");
  EXPECT_EQ(error_of("a: 1\n<<: 1\n"),
            "line 2: map merge requires map or sequence of maps as the value");
  EXPECT_EQ(error_of("a: !mine 1\n"), "line 1: the tag !mine is refused");
  EXPECT_EQ(error_of("a: !mine {b: 1}\n"), "line 1: the tag !mine is refused");
  EXPECT_EQ(error_of("a: !!binary aGVsbG8=\n"), "line 1: the tag !!binary is refused");
}

TEST(YamlRead, counts_aliases_as_written_out) {
  std::string text = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = fmt::format("*a{}", i - 1);
    text += fmt::format("a{}: &a{} [{}", i, i, before);
    for (int j = 1; j < 10; ++j) text += ", " + before;
    text += "]\n";
  }
  const auto bomb = parse_yaml(text);
  ASSERT_FALSE(bomb);
  EXPECT_EQ(
      bomb.error(),
      Error::too_large("line 6: with its aliases written out the text is larger than the limit"));
  constexpr std::string_view ten = "--- [&x aaaaaaaaaa, *x]\n";
  EXPECT_EQ(error_of(ten, {.bytes_max = 40}), "");
  EXPECT_EQ(error_of(fmt::format("{0}{0}", ten), {.bytes_max = 60}),
            "line 2: with its aliases written out the text is larger than the limit");
  EXPECT_EQ(error_of("a: &x [[1]]\nb: [[*x]]\n", {.depth_max = 5}), "");
  EXPECT_EQ(error_of("a: &x [[1]]\nb: [[*x]]\n", {.depth_max = 4}),
            "line 2: nested deeper than the limit of 4");
}

TEST(YamlRead, counts_what_nested_merge_keys_look_at) {
  std::string text = "{a: 1, b: 2, c: 3, d: 4}";
  for (int i = 0; i < 20; ++i) text = "{<<: " + text + "}";
  EXPECT_EQ(error_of(text), "");
  EXPECT_EQ(error_of(text, {.bytes_max = text.size() + 50}),
            "line 1: with its aliases written out the text is larger than the limit");
}

TEST(YamlRead, knows_the_lines_of_aliases_and_merged_members) {
  const auto document = std::move(parse_yaml("base: &base\n"
                                             "  image: a\n"
                                             "  args: [b, c]\n"
                                             "pods:\n"
                                             "- *base\n"
                                             "- name: x\n"
                                             "  <<: *base\n"
                                             "  image: d\n"
                                             "  last: {e: 1}\n")
                                      .must()[0]);
  const auto line = [&](std::initializer_list<Step> path) {
    return document.line_of(Path(path.begin(), path.size()));
  };
  constexpr std::size_t first = 0;
  constexpr std::size_t second = 1;
  EXPECT_EQ(line({"base", "args", second}), 3U);
  EXPECT_EQ(line({"pods", first, "args", second}), 5U);
  EXPECT_EQ(line({"pods", second, "name"}), 6U);
  EXPECT_EQ(line({"pods", second, "args", first}), 7U);
  EXPECT_EQ(line({"pods", second, "image"}), 8U);
  EXPECT_EQ(line({"pods", second, "last", "e"}), 9U);
  EXPECT_EQ(error_of("a: 1\n<<: {b: 1}\nc: 2\nc: 3\n"), "line 4: duplicate field \"c\"");
}

TEST(YamlRead, says_of_aliases_what_go_says) {
  EXPECT_EQ(go_yaml_error("a: &x {b: 1}\nb: *x\nc: {<<: *x}\n"), std::nullopt);
  EXPECT_EQ(go_yaml_error("a: *x\nb: &x 1\n"), "yaml: unknown anchor 'x' referenced");
  EXPECT_EQ(go_yaml_error("a: &x {b: *x}\n"), "yaml: anchor 'x' value contains itself");
  EXPECT_EQ(go_yaml_error("a: &x 1\n---\nb: *x\n"), "yaml: unknown anchor 'x' referenced");
  EXPECT_TRUE(go_yaml_duplicates("a: &x {b: 1}\nb: *x\nc: {<<: *x, <<: {c: 1}}\n").empty());
}

TEST(YamlRead, names_the_line_of_what_it_cannot_read) {
  EXPECT_EQ(error_of("a:\n  b:\n\tc: 2\n"),
            "line 3: a tab stands where YAML allows only spaces for indentation");
  EXPECT_EQ(error_of("a: b\nc: d: e\n"), "line 2: mapping values are not allowed in this context");
  EXPECT_EQ(error_of("a: 1\nb: \xff\n"), "line 2: invalid leading UTF-8 octet");
  EXPECT_EQ(error_of("a: 1\nb: [1,\n"),
            "line 3: did not find expected node content while parsing a flow node "
            "(which began on line 3)");
  EXPECT_EQ(error_of("a: .inf\n"), "line 1: .inf cannot be written in JSON");
  EXPECT_EQ(error_of("a: {b: 1}\n? [c]\n: 1\n"), "line 2: a mapping or a sequence cannot be a key");
  EXPECT_EQ(error_of("~: 1\n"), "line 1: null cannot be a key");
}

TEST(YamlRead, tells_duplicate_keys_in_the_words_of_go) {
  EXPECT_TRUE(go_yaml_duplicates("a: 1\nb: {a: 1}\nc: [{a: 1}, {a: 2}]\n").empty());
  EXPECT_EQ(go_yaml_duplicates("data:\n  a: 1\n  a:\n    x: 1\n    x: 2\n1: a\n\"1\": b\n1: c\n"),
            (std::vector<std::string>{"line 5: key \"x\" already set in map",
                                      "line 4: key \"a\" already set in map",
                                      "line 8: key 1 already set in map"}));
  EXPECT_TRUE(go_yaml_duplicates("a: [").empty());
}

TEST(YamlRead, treats_duplicate_keys_as_asked) {
  constexpr std::string_view text = "data:\n  a: 1\n  b: {c: 2}\n  a:\n    d: 3\n";
  EXPECT_EQ(error_of(text), "line 4: duplicate field \"data.a\"");
  EXPECT_EQ(error_of("1: a\n\"1\": b\n"), "line 2: duplicate field \"1\"");
  std::vector<std::string> duplicates;
  ParseOptions options{.duplicate_keys = DuplicateKeys::last_wins, .duplicate_fields = &duplicates};
  const auto documents = parse_yaml(text, options).must();
  EXPECT_EQ(to_json(documents[0].value), R"({"data":{"b":{"c":2},"a":{"d":3}}})");
  EXPECT_EQ(duplicates, std::vector<std::string>{"data.a"});
  const Step path[] = {"data", "a", "d"};
  EXPECT_EQ(documents[0].line_of(path), 5U);
}

TEST(YamlRead, knows_the_line_of_every_place) {
  const auto documents = parse_yaml(
                             "kind: Pod\nspec:\n  containers:\n  - name: a\n    image: x\n"
                             "  - name: b\n    args: [p,\n      q]\n")
                             .must();
  const auto line = [&](std::initializer_list<Step> path) {
    return documents[0].line_of(Path(path.begin(), path.size()));
  };
  constexpr std::size_t first = 0;
  constexpr std::size_t second = 1;
  EXPECT_EQ(line({}), 1U);
  EXPECT_EQ(line({"spec"}), 2U);
  EXPECT_EQ(line({"spec", "containers"}), 3U);
  EXPECT_EQ(line({"spec", "containers", first, "image"}), 5U);
  EXPECT_EQ(line({"spec", "containers", second}), 6U);
  EXPECT_EQ(line({"spec", "containers", second, "args", second}), 8U);
  EXPECT_EQ(line({"spec", "containers", second, "image"}), 6U) << "absent: what surrounds it";
}

TEST(YamlRead, keeps_its_limits) {
  EXPECT_EQ(error_of("a: [[[1]]]\n", {.depth_max = 4}), "");
  const auto deep = parse_yaml("a: [[[1]]]\n", {.depth_max = 3});
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error(), Error::too_large("line 1: nested deeper than the limit of 3"));
  const auto large = parse_yaml("a: 1\n", {.bytes_max = 4});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error(), Error::too_large("5 bytes of YAML are more than the limit of 4"));
}

TEST(YamlRead, takes_a_byte_order_mark_and_json) {
  EXPECT_EQ(to_json(parse_yaml_document("\xEF\xBB\xBF"
                                        "a: 1\n")
                        .must()),
            R"({"a":1})");
  EXPECT_EQ(to_json(parse_yaml_document("\n {\"a\": \"\\ud83d\\ude00\", \"b\": 1.0}\n").must()),
            "{\"a\":\"\xF0\x9F\x98\x80\",\"b\":1.0}");
  EXPECT_EQ(error_of("{\"a\": 1, \"a\": 2}"), "line 1: duplicate field \"a\"");
}

TEST(YamlRead, one_document_means_one) {
  EXPECT_EQ(parse_yaml_document("# none\n").error().message, "the YAML text holds no document");
  EXPECT_EQ(parse_yaml_document("a: 1\n---\nb: 1\n").error().message,
            "line 3: a second document begins where only one is expected");
}

}  // namespace
}  // namespace muster::objects
