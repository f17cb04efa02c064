// run_pod_command: runs a command in a pod over WebSocket (v5.channel.k8s.io, or v4) and blocks
// until it has ended: its output goes to the sinks, our standard input to it where asked.
//
//   const int status = TRY(run_pod_command(access, "/api/v1/namespaces/n/pods/p/exec?command=ls",
//                                          {.out = print, .error = complain}));
//
// Assumes: used by one thread that has nothing else to do. Standard input is followed as it comes
// (a terminal, a pipe); what cannot be followed (a file) is `unsupported_media_type`: read it
// first and give it as `input`. With v4 the end of the input cannot be said.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "client/kubeconfig.h"

namespace muster::client {

struct PodCommandStreams {
  std::function<void(std::string_view)> out;
  std::function<void(std::string_view)> error;
  bool follows_standard_input = false;
  std::optional<std::string> input = {};
  // Columns and rows of our terminal, told at the start and whenever they change; empty: it has
  // none.
  std::function<std::pair<int, int>()> terminal_size = {};
};

// The exit status of the command. An answer that refuses the upgrade is the server's error.
Result<int> run_pod_command(const ClusterAccess& access, const std::string& target,
                            const PodCommandStreams& streams);

}  // namespace muster::client
