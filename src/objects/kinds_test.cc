// SPDX-License-Identifier: Apache-2.0
#include "objects/kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace muster::objects {
namespace {

TEST(Kinds, files_are_embedded_in_the_order_of_their_paths) {
  const auto files = api_files();
  ASSERT_FALSE(files.empty());
  EXPECT_TRUE(std::ranges::is_sorted(files, {}, &EmbeddedFile::path));
}

TEST(Kinds, a_file_is_embedded_whole) {
  const auto files = api_files();
  const auto pod = std::ranges::find(files, std::string_view("core/pod.yaml"), &EmbeddedFile::path);
  ASSERT_NE(pod, files.end());
  EXPECT_TRUE(pod->text.starts_with("# SPDX-License-Identifier: Apache-2.0\n"));
  EXPECT_TRUE(pod->text.ends_with("\n"));
  EXPECT_NE(pod->text.find("metadata: {name: pods}"), std::string_view::npos);
}

}  // namespace
}  // namespace muster::objects
