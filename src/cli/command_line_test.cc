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
  Commands commands;
  commands.serve = [&](const std::string& data, const Settings& settings) {
    result.out += "serves " + data + " at " + settings.listen + "\n";
    return exit_done;
  };
  commands.status = [&](const std::string& data) {
    result.out += "status of " + data + "\n";
    return exit_done;
  };
  commands.controller = [&](const ControllerOptions& options) {
    result.out += "controls " + options.kubeconfig +
                  (options.elects_leader ? " when elected in " + options.leader_namespace : "") +
                  "\n";
    return exit_done;
  };
  commands.simulate = [&](const SimulateOptions& options) {
    result.out += "simulates " + std::to_string(options.seed) + "\n";
    return exit_done;
  };
  result.code = run(static_cast<int>(arguments.size()), arguments.data(), output, commands);
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

TEST(CommandLine, commands_get_what_was_typed) {
  EXPECT_EQ(run_with({"controller", "--kubeconfig", "k"}).out,
            "controls k when elected in kube-system\n");
  EXPECT_EQ(run_with({"controller", "--kubeconfig", "k", "--leader-elect=false"}).out,
            "controls k\n");
  EXPECT_EQ(run_with({"simulate", "--seed", "812"}).out, "simulates 812\n");
  EXPECT_EQ(run_with({"status", "--data", "/d"}).out, "status of /d\n");
}

TEST(CommandLine, up_remembers_how_the_platform_was_started) {
  const std::string data = ::testing::TempDir() + "cli-up";
  const Outcome first = run_with({"up", "--foreground", "--data", data.c_str(), "--listen",
                                  "127.0.0.1:7001", "--node", "name=n1,cpu=1,memory=1Gi"});
  EXPECT_EQ(first.code, 0) << first.error;
  const Outcome second = run_with({"up", "--foreground", "--data", data.c_str()});
  EXPECT_EQ(second.out, "serves " + data + " at 127.0.0.1:7001\n");
  EXPECT_EQ(load_settings(data)->nodes, std::vector<std::string>{"name=n1,cpu=1,memory=1Gi"});
}

TEST(CommandLine, nonsense_is_refused_with_the_name_of_the_flag) {
  const std::string data = ::testing::TempDir() + "cli-nonsense";
  const auto refusal = [&](const char* flag, const char* value) {
    const Outcome result = run_with({"up", "--foreground", "--data", data.c_str(), flag, value});
    EXPECT_EQ(result.code, exit_usage) << result.error;
    EXPECT_EQ(result.out, "");
    return result.error;
  };
  EXPECT_THAT(refusal("--listen", "somewhere"), testing::HasSubstr("--listen"));
  EXPECT_THAT(refusal("--listen", "127.0.0.1:99999"), testing::HasSubstr("--listen"));
  EXPECT_THAT(refusal("--node", "name=n1"), testing::HasSubstr("--node"));
  EXPECT_THAT(refusal("--node", "name=n1,cpu=many,memory=1Gi"), testing::HasSubstr("cpu=many"));
}

TEST(CommandLine, down_of_nothing_is_no_error) {
  const std::string data = ::testing::TempDir() + "cli-down";
  EXPECT_THAT(run_with({"down", "--data", data.c_str()}).out, testing::HasSubstr("is not up"));
}

TEST(Settings, an_address_of_version_six_stands_in_brackets) {
  EXPECT_EQ(parse_listen("[::1]:0")->host, "::1");
  EXPECT_EQ(parse_listen("127.0.0.1:7443")->port, 7443);
  EXPECT_FALSE(parse_listen("7443"));
  EXPECT_FALSE(parse_listen("host:"));
}

}  // namespace
}  // namespace muster::cli
