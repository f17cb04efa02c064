// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace muster::cli {
namespace {

struct Outcome {
  int code;
  std::string out;
  std::string error;
};

Outcome run_with(std::vector<const char*> arguments) {
  Outcome result{};
  arguments.insert(arguments.begin(), "muster");
  const Output output{[&](std::string_view text) { result.out += text; },
                      [&](std::string_view text) { result.error += text; }};
  result.code = run(static_cast<int>(arguments.size()), arguments.data(), output);
  return result;
}

TEST(CommandLine, version_names_the_build) {
  const Outcome result = run_with({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, testing::MatchesRegex("muster [0-9.]+ \\(.*\\)\n"));
}

TEST(CommandLine, help_is_not_an_error) {
  EXPECT_EQ(run_with({"--help"}).code, 0);
  EXPECT_THAT(run_with({}).out, testing::HasSubstr("--version"));
}

TEST(CommandLine, a_wrong_option_is_named_with_the_way_forward) {
  const Outcome result = run_with({"--versoin"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.error, testing::HasSubstr("--versoin"));
  EXPECT_THAT(result.error, testing::HasSubstr("muster --help"));
}

}  // namespace
}  // namespace muster::cli
