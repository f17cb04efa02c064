// SPDX-License-Identifier: Apache-2.0
#include "server/response_stamp.h"

#include <gtest/gtest.h>

#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

std::string header(const Response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "(none)";
}

TEST(response_stamp, a_date_is_as_http_writes_it) {
  const auto at = [](std::int64_t seconds) {
    return http_date(Instant{} + Span::of_seconds(seconds));
  };
  EXPECT_EQ(at(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(at(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(at(-1), "Wed, 31 Dec 1969 23:59:59 GMT");
  EXPECT_EQ(at(1'709'164'800), "Thu, 29 Feb 2024 00:00:00 GMT");
}

TEST(response_stamp, every_answer_says_when_and_under_which_id) {
  ServerWorld world;
  const Response found = world.send("GET", "/api/v1/namespaces/default");
  EXPECT_EQ(header(found, "Audit-Id").size(), 36U);
  EXPECT_TRUE(header(found, "Date").ends_with(" GMT"));
  const Response missing = world.send("GET", "/api/v1/namespaces/nobody");
  EXPECT_EQ(header(missing, "Audit-Id").size(), 36U);
  EXPECT_NE(header(missing, "Audit-Id"), header(found, "Audit-Id"));
}

TEST(response_stamp, who_has_the_newest_document_is_told_so) {
  ServerWorld world;
  const Response first = world.send("GET", "/openapi/v3");
  const std::string tag = header(first, "ETag");
  const auto again = [&](std::string if_none_match) {
    return world.send(
        Request{.method = "GET", .path = "/openapi/v3", .if_none_match = std::move(if_none_match)});
  };
  EXPECT_EQ(again(tag).status, 304);
  EXPECT_EQ(header(again(tag), "ETag"), tag);
  EXPECT_EQ(again("\"other\", " + tag).status, 304);
  EXPECT_EQ(again("W/" + tag).status, 304);
  EXPECT_EQ(again("*").status, 304);
  EXPECT_EQ(again("\"other\"").status, 200);
}

}  // namespace
}  // namespace muster::server
