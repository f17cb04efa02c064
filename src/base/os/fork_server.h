// ForkServer: a process that has a program of ours loaded and linked, and forks a child of itself
// for everybody who shall run it. Linking a dozen libraries is most of what such a program takes to
// start, and nearly all of the memory that it has for itself; a fork shares both.
//
//   auto server = TRY(ForkServer::start({program, "shims"}));
//   ChildProcess child = TRY(server.make_child({"muster", "shim", folder}, {null, null, log,
//   socket}));
//
//   // in that program
//   if (const auto arguments = serve_forks({argv, argc})) return shim_main(*arguments);
//
// Assumes: the server makes no thread and opens nothing before it serves. A child is a child of who
// asked for it, in a session of its own, and outlives both; the server ends with who started it.
// Children have the same addresses in memory: they are for programs that read only what we wrote.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/os/child_process.h"
#include "base/os/descriptor.h"
#include "base/result.h"

namespace muster {

// Of all arguments of a child together.
inline constexpr std::size_t fork_request_bytes_max = std::size_t{64} * 1024;
inline constexpr std::size_t fork_descriptors_max = 16;

class ForkServer {
 public:
  // The program and its arguments; its environment is empty.
  static Result<ForkServer> start(std::vector<std::string> command);
  ForkServer(ForkServer&&) = default;
  ForkServer& operator=(ForkServer&&) = delete;
  ~ForkServer();

  // The child has these descriptors as 0, 1, 2 and so on, and no others. Waits for the fork. An
  // error says that the server is gone or of no use any more.
  Result<ChildProcess> make_child(const std::vector<std::string>& arguments,
                                  const std::vector<int>& descriptors);

 private:
  ForkServer(ChildProcess process, Descriptor socket)
      : process_(std::move(process)), socket_(std::move(socket)) {}

  ChildProcess process_;
  Descriptor socket_;
};

// Returns in every child, with its arguments, and nothing in the server when its time is over.
// `own` is what main() was given: a child writes its arguments there, so that `ps` shows them.
std::optional<std::vector<std::string>> serve_forks(std::span<char* const> own);

}  // namespace muster
