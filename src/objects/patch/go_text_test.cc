// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/go_text.h"

#include <gtest/gtest.h>

#include "objects/json.h"

namespace muster::objects {
namespace {

TEST(GoText, prints_values_as_the_v_verb_does) {
  const std::pair<std::string_view, std::string_view> examples[] = {
      {R"({"b":[1,null,true],"a":"x y"})", "map[a:x y b:[1 <nil> true]]"},
      {R"({})", "map[]"},
      {R"([])", "[]"},
      {"1.5", "1.5"},
      {"100000.0", "100000"},
      {"1000000.0", "1e+06"},
      {"123456789.0", "1.23456789e+08"},
      {"0.0001", "0.0001"},
      {"1e-05", "1e-05"},
      {"-0.0", "-0"},
      {"2.5e20", "2.5e+20"},
  };
  for (const auto& [json, expected] : examples) {
    EXPECT_EQ(go_text(parse_json(json).must()), expected) << json;
  }
}

TEST(GoText, prints_values_as_the_s_verb_does) {
  EXPECT_EQ(go_string(parse_json(R"(["a",1,true,null,1.5])").must()),
            "[a %!s(int64=1) %!s(bool=true) <nil> %!s(float64=1.5)]");
  EXPECT_EQ(go_string(Value::null()), "%!s(<nil>)");
  EXPECT_EQ(go_string(Value::string("x")), "x");
}

TEST(GoText, prints_values_as_the_sharp_v_verb_does) {
  const std::pair<std::string_view, std::string_view> examples[] = {
      {R"({"b":["x",1],"a":{}})",
       R"(map[string]interface {}{"a":map[string]interface {}{}, "b":[]interface {}{"x", 1}})"},
      {"true", "true"},
      {"[null]", "[]interface {}{interface {}(nil)}"},
  };
  for (const auto& [json, expected] : examples) {
    EXPECT_EQ(go_syntax(parse_json(json).must()), expected) << json;
  }
}

}  // namespace
}  // namespace muster::objects
