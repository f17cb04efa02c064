// What the platform and a pod's shim tell each other: the spec that the shim is started with, the
// state that it keeps in the pod's folder and sends at each change, and the orders it obeys. The
// files are JSON, so that a person can read them; the orders are words.
//
//   write spec_path: to_json_text(spec);          platform → shim, once
//   "stop 30000000000"  "restart main"  "kill"    platform → shim, lines of the control socket
//   "end 30000000000 main"                        … one container of the pod
//   "go"                                          … its gang is complete
//   to_json_text(state)                           shim → platform, a line a change; and state_path
//
// Assumes: neither trusts a file to be whole; reading one is a Result.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/container_log.h"
#include "agent/pod_network.h"
#include "agent/pod_runtime.h"
#include "base/os/sandbox.h"
#include "base/result.h"

namespace muster::agent {

// Whose processes a container sees, and is seen by.
enum class ProcessSharing : std::uint8_t { none, pod, machine };

struct ShimSpec {
  PodSpec pod;  // without its object
  Isolation isolation = Isolation::full;
  PodNetwork network = {};
  bool own_ipc = true;  // shared memory and message queues of its own
  ProcessSharing processes = ProcessSharing::none;
  std::vector<std::string> hidden = {};  // paths that no container sees
  LogLimits log_limits = {};
  std::int64_t processes_max = container_processes_max;  // of each container
};

// Which process wrote the state; by both numbers no other is taken for it.
struct ShimProcess {
  std::int64_t id = 0;
  std::uint64_t start_ticks = 0;
};

struct ShimState {
  ShimProcess shim;
  PodState pod;
  bool is_stopped = false;  // what is held stays so
  bool is_at_gate = false;  // all is made, and waits for the others of its gang

  // Every container has, or will never run. A state that knows of none has not.
  bool has_ended() const;
};

std::string to_json_text(const ShimSpec& spec);
Result<ShimSpec> parse_shim_spec(std::string_view text);

// One line.
std::string to_json_text(const ShimState& state);
Result<ShimState> parse_shim_state(std::string_view text);

struct ShimOrder {
  enum class Verb : std::uint8_t { stop, run, end, go, kill };
  Verb verb = Verb::kill;
  Span grace = {};             // stop, end
  std::string container = {};  // run, end
};

std::string to_line(const ShimOrder& order);
std::optional<ShimOrder> parse_shim_order(std::string_view line);

}  // namespace muster::agent
