// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "objects/yaml.h"
#include "objects/yaml_write_oracle.h"

namespace muster::objects {
namespace {

TEST(YamlWrite, agrees_with_kubectls_writer) {
  for (const auto& [json, yaml] : yaml_write_oracle) {
    EXPECT_EQ(to_yaml(parse_json(json).must()), yaml) << json;
  }
}

TEST(YamlWrite, what_it_writes_reads_back) {
  for (const auto& [json, yaml] : yaml_write_oracle) {
    const Value value = parse_json(json).must();
    const auto documents = parse_yaml(yaml);
    ASSERT_TRUE(documents) << yaml << documents.error().message;
    if (documents->empty()) continue;
    EXPECT_EQ(to_yaml(documents->front().value), yaml);
  }
}

// Where Go's writer would lose something, ours does not.
TEST(YamlWrite, loses_nothing_that_go_loses) {
  const auto written = [](std::string_view text) { return to_yaml(Value::string(text)); };
  EXPECT_EQ(written("a\xE2\x80\xA8"
                    "b"),
            "\"a\\Lb\"\n");
  EXPECT_EQ(written("a\xE2\x80\xA9"
                    "b\nc"),
            "\"a\\Pb\\nc\"\n");
  EXPECT_EQ(written("\xC2\x85"), "\"\\N\"\n");
  EXPECT_EQ(written("\xEF\xBB\xBF"
                    "a"),
            "\"\\uFEFFa\"\n");
  EXPECT_EQ(written("\x7F"), "\"\\x7F\"\n");
  EXPECT_EQ(to_yaml(Value::object({{"<<", Value::integer(1)}})), "\"<<\": 1\n");
}

TEST(YamlWrite, does_not_depend_on_the_order_of_members) {
  const Value one = Value::integer(1);
  EXPECT_EQ(to_yaml(Value::object({{"11", one}, {"1b", one}, {"2", one}})),
            to_yaml(Value::object({{"2", one}, {"11", one}, {"1b", one}})));
}

TEST(YamlWrite, makes_integers_of_reals_without_a_fraction) {
  EXPECT_EQ(to_yaml(Value::real(1)), "1\n");
  EXPECT_EQ(to_yaml(Value::real(-0.0)), "0\n");
  EXPECT_EQ(to_yaml(Value::real(1e19)), "10000000000000000000\n");
  EXPECT_EQ(to_yaml(Value::real(1e20)), "1e+20\n");
  EXPECT_EQ(to_yaml(Value()), "null\n");
}

}  // namespace
}  // namespace muster::objects
