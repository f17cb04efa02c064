// SPDX-License-Identifier: Apache-2.0
#include "agent/host_images.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::agent {
namespace {

TEST(GlobTest, stars_and_marks) {
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("a*c", "abbc"));
  EXPECT_TRUE(glob_match("a*b*c", "aXbXbXc"));
  EXPECT_TRUE(glob_match("a?c", "abc"));
  EXPECT_TRUE(glob_match("abc", "abc"));
  EXPECT_FALSE(glob_match("abc", "abcd"));
  EXPECT_FALSE(glob_match("a?c", "ac"));
  EXPECT_FALSE(glob_match("a*b", "abc"));
  EXPECT_FALSE(glob_match("", "a"));
  EXPECT_TRUE(glob_match("", ""));
}

TEST(GlobTest, many_stars_do_not_take_for_ever) {
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "*a";
  EXPECT_FALSE(glob_match(pattern + "b", std::string(20'000, 'a')));
}

TEST(HostImagesTest, one_of_several_patterns_is_enough) {
  const HostImages images("trainer:*, localhost/* ,busybox");
  EXPECT_TRUE(images.match("trainer:v1"));
  EXPECT_TRUE(images.match("localhost/a/b"));
  EXPECT_TRUE(images.match("busybox"));
  EXPECT_FALSE(images.match("busybox:1.36"));
  EXPECT_FALSE(images.match(""));
}

TEST(HostImagesTest, no_pattern_matches_nothing) {
  EXPECT_FALSE(HostImages("").match("busybox"));
  EXPECT_FALSE(HostImages(" , ,").match(""));
}

TEST(HostImagesTest, a_refusal_says_what_to_do) {
  EXPECT_EQ(HostImages("a,b*").refusal("python:3"),
            "image \"python:3\" is not available on this node: Muster runs images as programs of "
            "this machine's own filesystem, and only those that match --host-images (now 'a,b*'); "
            "to run this one so, start `muster up` with --host-images 'python:3'");
  EXPECT_NE(HostImages("").refusal("x").find("(it was started without)"), std::string::npos);
}

}  // namespace
}  // namespace muster::agent
