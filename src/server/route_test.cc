// SPDX-License-Identifier: Apache-2.0
#include "server/route.h"

#include <gtest/gtest.h>

#include <string>

#include "server/continue_token.h"

namespace muster::server {
namespace {

std::string read(std::string_view path) {
  const auto route = parse_route(path, "");
  if (!route) return "refused";
  return route->group + "|" + route->version + "|" + route->plural + "|" + route->name_space + "|" +
         route->name + "|" + route->subresource + (route->too_deep ? "|…" : "");
}

TEST(route, reads_paths) {
  EXPECT_EQ(read("/api/v1/pods"), "|v1|pods|||");
  EXPECT_EQ(read("/api/v1/namespaces/a/pods/p/log"), "|v1|pods|a|p|log");
  EXPECT_EQ(read("/api/v1/namespaces"), "|v1|namespaces|||");
  EXPECT_EQ(read("/api/v1/namespaces/a"), "|v1|namespaces||a|");
  EXPECT_EQ(read("/api/v1/namespaces/a/status"), "|v1|namespaces||a|status");
  EXPECT_EQ(read("/api/v1/namespaces/a/finalize/"), "|v1|namespaces||a|finalize");
  EXPECT_EQ(read("/apis/batch/v1/namespaces/a/jobs/"), "batch|v1|jobs|a||");
  EXPECT_EQ(read("//apis//batch/v1//jobs"), "batch|v1|jobs|||");
  EXPECT_EQ(read("/api/v1/nodes/n1/status/x"), "|v1|nodes||n1|status|…");
  EXPECT_EQ(read("/apis/batch/v1"), "|||||");
  EXPECT_EQ(read("/"), "|||||");
  EXPECT_EQ(read("/api/v1/namespaces/%61/pods"), "|v1|pods|a||");
}

TEST(route, refuses_paths_that_are_no_text) {
  EXPECT_EQ(read("/api/v1/pods/%2"), "refused");
  EXPECT_EQ(read("/api/v1/pods/%zz"), "refused");
  EXPECT_EQ(read("/api/v1/pods/a%2fb"), "refused");
  EXPECT_EQ(read("/api/v1/pods/a%00b"), "refused");
  EXPECT_EQ(read("/api/v1/pods/\xff"), "refused");
  EXPECT_EQ(read("/" + std::string(5'000, 'a')), "refused");
}

TEST(query, reads_booleans_as_go_does) {
  const Query query = Query::parse("a=True&b=0&c&d=yes&e=x+y%26z&e=2&n=-7").must();
  EXPECT_EQ(query.boolean("a"), std::optional(true));
  EXPECT_EQ(query.boolean("b"), std::optional(false));
  EXPECT_EQ(query.boolean("c"), std::optional(true));
  EXPECT_EQ(query.boolean("d"), std::optional(true));
  EXPECT_EQ(query.boolean("nothing"), std::nullopt);
  EXPECT_EQ(query.text_or_empty("e"), "x y&z");
  EXPECT_EQ(query.all("e").size(), 2U);
  EXPECT_EQ(query.integer("n").must(), std::optional(std::int64_t{-7}));
  EXPECT_FALSE(query.integer("e"));
}

TEST(continue_token, is_read_back) {
  const std::string text = write_continue_token({{303}, "team-a/l2"});
  const auto token = read_continue_token(text);
  ASSERT_TRUE(token);
  EXPECT_EQ(token->revision.value, 303U);
  EXPECT_EQ(token->after, "team-a/l2");
  EXPECT_FALSE(read_continue_token("not one"));
  EXPECT_FALSE(read_continue_token(""));
  // As kube-apiserver makes it.
  EXPECT_TRUE(
      read_continue_token("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MzAzLCJzdGFydCI6ImwyXHUwMDAwIn0"));
}

}  // namespace
}  // namespace muster::server
