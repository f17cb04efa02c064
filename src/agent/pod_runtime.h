// PodRuntime: what really runs a pod: `host` (processes of this machine in namespaces of their own,
// owned by a shim that survives the platform) and `pretend` (no process; the run time stands in an
// annotation). One suite runs on both (tests/suites/pod_runtime_suite.h). The node agent decides
// what should run; a runtime does it and tells what became of it.
//
//   runtime.start(spec);              // → on_change({uid, running …}) … on_change({… exited})
//   runtime.restart(uid, "main");     // an ended container once more, in the same pod
//   runtime.stop(uid, grace);         // SIGTERM, grace, SIGKILL to the whole tree
//   runtime.remove(uid);              // forgets it: processes, network, files
//
// Assumes: called on the house thread, answers come there. start() with a uid that it already has
// changes nothing: nothing runs twice, also across restarts, where adopt() finds what is still
// there. Answers and changes never come from inside a call. The listener must not destroy the
// runtime.
//
//            start()          all containers run        every container ended
//   unknown ────────► starting ───────────────► running ─────────────────────► exited
//      ▲                 └── could not start (reason, message) ─────────────────▲ │
//      └────────────────────────── remove() ────────────────────────────────────┴─┘
//
// A container whose image is not to be had stays waiting with its reason ("ErrImagePull") and is
// never tried again: remove() and start() do that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "objects/value.h"

namespace muster::agent {

struct Mount {
  std::string source;  // a folder of this machine
  std::string target;  // in the container
  bool read_only = false;
};

// A container with everything resolved: no references are left.
struct ContainerSpec {
  std::string name;
  std::string image;
  std::vector<std::string> arguments = {};  // the program and its arguments
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::string working_folder = "/";
  std::vector<Mount> mounts = {};
  std::int64_t memory_bytes_max = 0;  // its resources.limits.memory; 0: none
  bool has_input = false;             // stdin: somebody may attach and write
  bool ends_input_once = false;       // stdinOnce: the input ends when the first of them leaves
  bool has_terminal = false;          // tty
};

struct PodSpec {
  std::string uid;
  std::string name_space;
  std::string name;
  std::string node;
  std::string hostname;
  std::string address;      // its IPv4 address
  std::string name_server;  // where its DNS questions go
  std::vector<std::string> search_domains;
  std::string hosts;  // the text of /etc/hosts
  std::vector<ContainerSpec> containers;
  std::string folder;  // of this pod below the data folder: logs, volumes, state
  objects::Value pod;  // the object, for what a runtime alone understands
};

struct ContainerState {
  enum class Phase : std::uint8_t { waiting, running, exited };
  std::string name;
  Phase phase = Phase::waiting;
  std::string reason =
      {};  // waiting: "ErrImagePull", "ContainerCreating"; exited: "Completed", "Error"
  std::string message = {};
  Instant started = {};
  Instant finished = {};
  int exit_code = 0;
  int signal = 0;
  int attempt = 0;              // how often restart() was obeyed before this run
  std::int64_t process_id = 0;  // running: its first process on this machine; 0: it has none

  // Nothing runs and nothing will, unless somebody asks for it.
  bool is_quiet() const {
    return phase == Phase::exited ||
           (phase == Phase::waiting && !reason.empty() && reason != "ContainerCreating");
  }

  friend bool operator==(const ContainerState&, const ContainerState&) = default;
};

struct PodState {
  std::string uid;
  std::vector<ContainerState> containers;

  friend bool operator==(const PodState&, const PodState&) = default;
};

class PodRuntime {
 public:
  using Listener = UniqueFunction<void(const PodState&)>;
  using Adopted = UniqueFunction<void(Result<std::vector<PodState>>)>;

  virtual ~PodRuntime() = default;

  // Set before anything else; an empty one when whoever listened goes away.
  virtual void set_listener(Listener listener) = 0;

  // Finds what runs, or ended, since an earlier life of this process. Called once, first.
  virtual void adopt(Adopted adopted) = 0;

  virtual void start(PodSpec spec) = 0;

  // Runs an exited container again with the same program, volumes, address and names; its earlier
  // log stays readable as the previous one. Ignored while it runs, while the pod is being stopped,
  // and for what is not known.
  virtual void restart(std::string_view uid, std::string_view container) = 0;

  // Afterwards every container becomes quiet. A second call may shorten the grace, not lengthen it.
  virtual void stop(std::string_view uid, Span grace) = 0;

  // Ends it at once where it still runs. The listener hears nothing of it afterwards.
  virtual void remove(std::string_view uid) = 0;
};

}  // namespace muster::agent
