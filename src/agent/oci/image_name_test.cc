// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/image_name.h"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

std::string full(std::string_view text) {
  const auto name = parse_image_name(text);
  return name ? name->to_string() : "! " + name.error().message;
}

const std::string digest = "sha256:" + std::string(64, 'a');

TEST(ImageName, is_completed_as_docker_completes_it) {
  EXPECT_EQ(full("busybox"), "docker.io/library/busybox:latest");
  EXPECT_EQ(full("busybox:1.36"), "docker.io/library/busybox:1.36");
  EXPECT_EQ(full("library/busybox"), "docker.io/library/busybox:latest");
  EXPECT_EQ(full("index.docker.io/busybox"), "docker.io/library/busybox:latest");
  EXPECT_EQ(full("pytorch/pytorch:2.1"), "docker.io/pytorch/pytorch:2.1");
  EXPECT_EQ(full("localhost/x"), "localhost/x:latest");
  EXPECT_EQ(full("localhost:5000/x:y"), "localhost:5000/x:y");
  EXPECT_EQ(full("[::1]:5000/x"), "[::1]:5000/x:latest");
  EXPECT_EQ(full("registry.k8s.io/pause:3.10"), "registry.k8s.io/pause:3.10");
  EXPECT_EQ(full("gcr.io/a/b__c/d-e.f"), "gcr.io/a/b__c/d-e.f:latest");
}

TEST(ImageName, a_digest_says_more_than_a_tag) {
  EXPECT_EQ(full("busybox@" + digest), "docker.io/library/busybox@" + digest);
  EXPECT_EQ(full("busybox:1@" + digest), "docker.io/library/busybox@" + digest);
  EXPECT_EQ(parse_image_name("busybox:1@" + digest)->tag, "1");
}

TEST(ImageName, nonsense_is_refused_in_dockers_words) {
  for (const char* text : {"",
                           ":",
                           "a:",
                           "@",
                           "a@sha256:1",
                           "a b",
                           "a//b",
                           "-a",
                           "a-",
                           "a___b",
                           "a/",
                           "/a",
                           "a:b:c",
                           "a..b",
                           "https://a/b",
                           "a:ta g",
                           "localhost:port/x",
                           "[::1/x",
                           "$(touch x)",
                           "a\n"}) {
    EXPECT_EQ(full(text), "! invalid reference format") << text;
  }
  EXPECT_EQ(full("Busybox"),
            "! invalid reference format: repository name (library/Busybox) must be lowercase");
  EXPECT_EQ(full("a/" + std::string(300, 'b')),
            "! repository name must not be more than 255 characters");
}

}  // namespace
}  // namespace muster::agent
