// PodRuntime: what really runs a pod: `host` (processes of this machine in namespaces of their own,
// owned by a shim that survives the platform) and `pretend` (no process; the run time stands in an
// annotation). One suite runs on both (tests/suites/pod_runtime_suite.h). The node agent decides
// what should run; a runtime does it and tells what became of it.
//
//   runtime.start(spec);                    // → on_change({uid, running …}) … ({… exited})
//   runtime.run(uid, "main");               // a container that was held, or an ended one again
//   runtime.stop_container(uid, "main", g); // SIGTERM, grace, SIGKILL to its tree
//   runtime.stop(uid, grace);               // the same to all of the pod, and its end
//   runtime.remove(uid);                    // forgets it: processes, network, files
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
// never tried again: remove() and start() do that. Which of its containers runs when, the agent
// says: those that a spec holds wait ("PodInitializing") for run(). What of a pod runs on when the
// agent dies; what is held waits for the next one.
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
  // Below the source, resolved when the container starts and never out of it; made as a folder
  // where nothing is there. Empty: the source itself.
  std::string below = {};

  friend bool operator==(const Mount&, const Mount&) = default;
};

// What a container of a pod is for.
enum class ContainerRole : std::uint8_t { main, init, sidecar };

// The words of a container that waits until those before it are through.
inline constexpr std::string_view held_reason = "PodInitializing";

// Where a container leaves its last words when its specification names no other place.
inline constexpr std::string_view last_words_path_default = "/dev/termination-log";

// A container that runs from an image (runtime `oci`): on the image's files, with the rights that
// Kubernetes gives it.
struct ImageRun {
  std::string root_folder = {};  // the image's files, never written; empty: the machine's own
  std::vector<std::string> capabilities = {};  // "CAP_CHOWN"
  bool is_privileged = false;
  bool may_gain_rights = true;              // by files that say so
  bool is_filtered = true;                  // dangerous system calls are refused
  std::int64_t cpu_shares = 0;              // 0: the kernel's
  std::int64_t cpu_quota_microseconds = 0;  // of every tenth of a second; 0: none

  bool is_given() const { return !root_folder.empty(); }
  friend bool operator==(const ImageRun&, const ImageRun&) = default;
};

// A device file that a container has.
struct DeviceNode {
  std::string path;       // in the container
  std::string host_path;  // of this machine
  char kind = 'c';
  std::int64_t major = 0;
  std::int64_t minor = 0;
  std::uint32_t mode = 0666;
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::string access = "rwm";

  friend bool operator==(const DeviceNode&, const DeviceNode&) = default;
};

// A program of the machine that a device wants to be run when its container is made.
struct DeviceHook {
  std::string stage;  // "createContainer", as the OCI runtime specification has it
  std::string path;
  std::vector<std::string> arguments = {};
  std::vector<std::string> environment = {};
  std::int64_t timeout_seconds = 0;

  friend bool operator==(const DeviceHook&, const DeviceHook&) = default;
};

// What a container has of the devices that it asked for.
struct GivenDevices {
  std::vector<std::string> names = {};  // "nvidia.com/gpu=0": nobody else has them
  std::vector<DeviceNode> nodes = {};
  std::vector<DeviceHook> hooks = {};

  friend bool operator==(const GivenDevices&, const GivenDevices&) = default;
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
  ContainerRole role = ContainerRole::main;
  bool is_held = false;                    // start() leaves it waiting for run()
  int stop_signal = 15;                    // what asks it to end
  std::string last_words_path = {};        // a file that it may leave for its status; empty: none
  bool last_words_from_log = false;        // where it failed and left none
  std::optional<std::uint32_t> user = {};  // nothing: the runtime's
  std::optional<std::uint32_t> group = {};
  std::vector<std::uint32_t> groups = {};  // supplementary
  bool has_read_only_root = false;
  ImageRun image_run = {};
  // How many of each device it asks for, by resource; the runtime chooses which and gives them.
  std::vector<std::pair<std::string, std::int64_t>> wanted_devices = {};
  GivenDevices devices = {};
};

// Something asked of a running container from outside: a probe or a hook.
struct ContainerAct {
  enum class Kind : std::uint8_t { exec, http, tcp, grpc };
  Kind kind = Kind::exec;
  std::int64_t process_id = 0;            // exec: as its state tells
  std::vector<std::string> command = {};  // exec
  std::string host = {};                  // an address
  std::int64_t port = 0;
  bool is_encrypted = false;  // http: over TLS, whose certificate nobody checks
  std::string path = "/";     // http, with its query
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string service = {};  // grpc
  Span timeout = Span::of_seconds(1);
};

struct ActOutcome {
  enum class Verdict : std::uint8_t { success, warning, failure, error };
  Verdict verdict = Verdict::success;
  std::string message = {};  // what was said, or why it could not be asked
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
  // With whom it starts in the same moment, and how many they are; empty: on its own. A runtime
  // that cannot wait for others does not.
  std::string gang = {};
  std::int64_t gang_members = 0;
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
  int attempt = 0;              // how often it ran before this run
  std::int64_t process_id = 0;  // running: its first process on this machine; 0: it has none

  // It never ran, and waits for run().
  bool is_held() const { return phase == Phase::waiting && reason == held_reason; }

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
  using Acted = UniqueFunction<void(ActOutcome)>;

  virtual ~PodRuntime() = default;

  // Set before anything else; an empty one when whoever listened goes away.
  virtual void set_listener(Listener listener) = 0;

  // Finds what runs, or ended, since an earlier life of this process. Called once, first.
  virtual void adopt(Adopted adopted) = 0;

  virtual void start(PodSpec spec) = 0;

  // Runs a held container, or an exited one again with the same program, volumes, address and
  // names; its earlier log stays readable as the previous one. Ignored while it runs, while the pod
  // is being stopped, and for what is not known.
  virtual void run(std::string_view uid, std::string_view container) = 0;

  // Afterwards this container becomes quiet, and may be run again. A second call may shorten the
  // grace. Ignored for what does not run.
  virtual void stop_container(std::string_view uid, std::string_view container, Span grace) = 0;

  // Asks a running container, and tells what it answered within the timeout.
  virtual void act(std::string_view uid, std::string_view container, ContainerAct act,
                   Acted acted) = 0;

  // Afterwards every container becomes quiet. A second call may shorten the grace, not lengthen it.
  virtual void stop(std::string_view uid, Span grace) = 0;

  // Ends it at once where it still runs. The listener hears nothing of it afterwards.
  virtual void remove(std::string_view uid) = 0;
};

}  // namespace muster::agent
