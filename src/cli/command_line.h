// The command line: reads the arguments, runs one command, returns the exit code of the process.
// One file per command; what a command needs of the composition (threads, the simulator) main/
// hands in.
//
//   int main(int argc, char** argv) { return muster::cli::run(argc, argv, output, commands); }
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/settings.h"
#include "cli/talk.h"

namespace muster::cli {

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;

// Where text for a person goes; main/ hands in the terminal, tests hand in strings.
using Sink = std::function<void(std::string_view text)>;

struct Output {
  Sink out;
  Sink error;
};

// `muster: sentence` on the error sink; exit_failed, or exit_usage when a flag is to blame.
int fail(const Output& output, const Error& error);

struct ControllerOptions {
  std::string kubeconfig;
  std::string context;
  std::string record;                              // a folder for the record of events; empty: none
  std::string metrics_address = "127.0.0.1:8080";  // of /metrics, /healthz, /readyz; 0: none
  bool elects_leader = true;                       // of several controllers one works at a time
  std::string leader_namespace = "kube-system";    // of the Lease
};

struct SimulateOptions {
  std::uint64_t seed = 1;
  std::uint64_t count = 1;  // this many seeds, one after the other
  std::string mutant;       // empty: none
  bool verbose = false;
};

enum class TokenAction : std::uint8_t { create, list, revoke };

struct TokenOptions {
  TokenAction action = TokenAction::list;
  std::string data;
  std::string kubeconfig;  // empty: the one in the platform's folder
  std::string context;
  std::string user;
  std::vector<std::string> groups;
  std::string lifetime = "720h";  // 0: without an end
  std::string description;
  std::vector<std::string> names;  // to be revoked
};

// What only main/ can do.
struct Commands {
  std::function<int(const std::string& data, const Settings& settings)> serve;
  std::function<int(const std::string& data)> status;
  std::function<int(const ControllerOptions& options)> controller;
  std::function<int(const SimulateOptions& options)> simulate;
  OpenTalk open_talk;
  std::function<int(const TokenOptions& options)> token;
};

int run(int argc, const char* const* argv, const Output& output, const Commands& commands);

}  // namespace muster::cli
