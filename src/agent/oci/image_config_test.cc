// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/image_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/oci/image_fetch.h"

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

const std::string digest = "sha256:" + std::string(64, '1');

TEST(ImageConfig, says_how_the_image_is_run) {
  const auto config = parse_image_config(R"({"architecture": "amd64", "config": {
      "Entrypoint": ["/pause"], "Cmd": ["-v"], "Env": ["PATH=/bin", "A=b=c", "odd", "=x"],
      "WorkingDir": "/work", "User": "65535:65535", "StopSignal": "SIGQUIT", "Labels": null}})");
  ASSERT_TRUE(config);
  EXPECT_THAT(config->entrypoint, ElementsAre("/pause"));
  EXPECT_THAT(config->command, ElementsAre("-v"));
  EXPECT_THAT(config->environment, ElementsAre(Pair("PATH", "/bin"), Pair("A", "b=c")));
  EXPECT_EQ(config->working_folder, "/work");
  EXPECT_EQ(config->user, "65535:65535");
  EXPECT_EQ(config->stop_signal, "SIGQUIT");
}

TEST(ImageConfig, may_say_nothing_at_all) {
  EXPECT_EQ(parse_image_config("{}").must(), ImageConfig{});
  EXPECT_EQ(parse_image_config(R"({"config": {"Cmd": null, "Env": null}})").must(), ImageConfig{});
}

TEST(ImageConfig, what_is_no_image_is_refused) {
  EXPECT_FALSE(parse_image_config("[]"));
  EXPECT_FALSE(parse_image_config(R"({"config": {"Cmd": [1]}})"));
  EXPECT_FALSE(parse_image_config(R"({"config": {"User": "a\u0000b"}})"));
  EXPECT_FALSE(parse_image_manifest(R"({"layers": []})"));
  EXPECT_FALSE(parse_image_manifest(R"({"config": {"digest": "sha256:../../etc"}})"));
}

TEST(ImageConfig, a_manifest_has_the_bytes_of_its_parts) {
  const auto manifest = parse_image_manifest(R"({"config": {"digest": ")" + digest +
                                             R"(", "size": 3}, "layers": [{"size": 5}, {}]})");
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->config_digest, digest);
  EXPECT_EQ(manifest->bytes, 8);
}

TEST(ImageConfig, archives_and_layouts_tell_their_names) {
  const auto entries = parse_layout_index(R"({"manifests": [{"digest": "d",
      "annotations": {"org.opencontainers.image.ref.name": "v1",
                      "io.containerd.image.name": "docker.io/library/a:v1"}}, {}]})");
  ASSERT_TRUE(entries);
  EXPECT_EQ(entries->at(0).name, "docker.io/library/a:v1");
  EXPECT_EQ(entries->at(1).name, "");
  EXPECT_THAT(parse_archive_tags(R"([{"RepoTags": ["a:1", "b:2"]}, {"RepoTags": null}])").must(),
              ElementsAre("a:1", "b:2"));
}

TEST(ImageFetch, the_last_complaint_of_a_program_is_what_it_means) {
  EXPECT_EQ(last_complaint("one\ntime=\"x\" level=fatal msg=\"Get \\\"https://a\\\": no\"\n"),
            "Get \"https://a\": no");
  EXPECT_EQ(last_complaint("umoci: no such image"), "umoci: no such image");
  EXPECT_EQ(last_complaint(""), "");
  EXPECT_THAT(missing_program("runc", "to run images").message, HasSubstr("runc is not installed"));
}

}  // namespace
}  // namespace muster::agent
