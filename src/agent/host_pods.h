// HostPods: the half of the runtime `host` that touches the machine: folders, shims, sockets. It
// lives on a loop of its own, because starting a process and writing a file take their time, and
// the house does not wait.
//
//   HostPods pods(loop, options, log, [](PodState state) { … });
//   loop.post([&] { pods.start(std::move(spec)); });
//
// Assumes: all calls on the loop's thread; the loop has stopped when this is destroyed. Shims that
// run then run on: adopt() of the next one finds them.
//
//                 start()                first state            shim gone, state read
//   unknown ───────────────► starting ──────────────► alive ───────────────────────► ended
//      │ adopt(): lock held       ▲  connect, again and again     │            run() │
//      ├──────────────────────────┘                               │  ◄───────────────┘
//      │ adopt(): lock free, state there ──────────────────────► ended
//      ◄── remove(): killed, shim gone, folder gone ──────────────┴──────────────────┘
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/device_ledger.h"
#include "agent/host_images.h"
#include "agent/pod_runtime.h"
#include "agent/shim_protocol.h"
#include "agent/start_gates.h"
#include "base/log.h"
#include "base/os/child_process.h"
#include "base/os/fork_server.h"
#include "base/os/line_channel.h"
#include "base/os/poll_loop.h"
#include "base/os/system_clock.h"

namespace muster::agent {

struct HostOptions {
  std::string pods_folder;  // each pod has a folder of its uid in it
  std::string images = {};  // --host-images
  Isolation isolation = Isolation::full;
  PodNetwork network = {};
  std::vector<std::string> hidden = {};  // of pods: the data folder, kubeconfig files
  // The program that becomes shims (shim_server_main), with its arguments.
  std::vector<std::string> shim_command = {"/proc/self/exe", "shims"};
  LogLimits log_limits = {};
  std::int64_t processes_max = container_processes_max;
  DeviceLedger::Inventory devices = {};
};

class HostPods {
 public:
  using Report = UniqueFunction<void(PodState)>;
  using Found = UniqueFunction<void(Result<std::vector<PodState>>)>;

  HostPods(PollLoop& loop, HostOptions options, Log log, Report report);
  ~HostPods();
  HostPods(const HostPods&) = delete;
  HostPods& operator=(const HostPods&) = delete;

  void adopt(Found found);
  void start(PodSpec spec);
  void run(const std::string& uid, const std::string& container);
  void stop_container(const std::string& uid, const std::string& container, Span grace);
  void stop(const std::string& uid, Span grace);
  void remove(const std::string& uid);

 private:
  struct Pod {
    std::string folder;
    ShimState state;
    std::vector<std::string> orders;    // for a shim that is not connected yet
    std::set<std::string> restarts;     // asked for, not yet seen
    std::unique_ptr<LineChannel> shim;  // while connected
    std::optional<ChildProcess> child;  // when it is ours
    WatchId child_watch = {};
    bool alive = false;     // there is a shim, or we do not know better yet
    bool settled = false;   // its first state is known: for adopt()
    bool stopping = false;  // no container is run again
    bool removing = false;
    std::optional<PodSpec> next = {};     // started again while it was being removed
    std::optional<PodSpec> waiting = {};  // for devices that others have, or for a full disk
    std::string gang = {};                // with whom it starts, and how many they are
    std::int64_t gang_members = 0;
  };
  using Pods = std::map<std::string, std::unique_ptr<Pod>, std::less<>>;

  Pod* find(const std::string& uid);
  std::optional<PodState> refusal_of(const PodSpec& spec) const;
  Result<> begin(const std::string& uid, Pod& pod, PodSpec spec);
  void try_begin(const std::string& uid, Pod& pod, PodSpec spec);
  void wait(Pod& pod, PodSpec spec, const Error& why);
  void wait_for_disk(const std::string& uid, Pod& pod, PodSpec spec, const Error& why);
  void begin_again(const std::string& uid, Pod& pod);
  void release_devices(const std::string& uid);
  void close_ended(const std::string& uid, Pod& pod);
  Result<> spawn(const std::string& uid, Pod& pod, Descriptor lock,
                 const std::vector<std::string>& again);
  Result<ChildProcess> fork_shim(const std::vector<std::string>& arguments,
                                 const std::vector<int>& descriptors);
  void connect(const std::string& uid, Descriptor socket);
  void heard(const std::string& uid, std::string_view line);
  void send(Pod& pod, const ShimOrder& order);
  void let_go(const std::string& uid, const Pod& pod);

  void examine(const std::string& uid);
  void examine_later(const std::string& uid);
  void conclude(const std::string& uid, Descriptor lock);
  void mark_lost(Pod& pod);
  void run_again(const std::string& uid, Pod& pod, Descriptor lock);
  void forget_soon(const std::string& uid);
  void forget_next();
  void forget(const std::string& uid);
  void kill_shim(const std::string& uid);

  void report(Pod& pod);
  void tell(const std::vector<std::string>& uids);
  void settle(Pod& pod);
  void note_spec(Pod& pod);

  PollLoop& loop_;
  SystemClock clock_;
  HostOptions options_;
  HostImages images_;
  DeviceLedger ledger_;
  Log log_;
  Report report_;
  StartGates gates_;
  std::optional<ForkServer> shims_;  // from the first pod on
  Pods pods_;
  std::deque<std::string> to_forget_;  // whose files are still to go
  Found found_;                        // while adopt() waits
  std::size_t unsettled_ = 0;          // pods that it waits for
};

}  // namespace muster::agent
