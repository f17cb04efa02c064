// The shim: one small process per pod that owns its containers, their logs and their exit statuses.
// It is not the platform's thread but a process of its own (`muster shim FOLDER`, forked from
// `muster shims`), so that the platform can end, also by kill -9, and pods run on; a platform that
// comes back connects to the socket in the pod's folder. When the shim is killed, its containers
// die with it.
//
//   return muster::agent::shim_server_main({argv, argc});     // becomes shims when asked
//
// Assumes: asked by HostPods (agent/host_pods.h), which passes the connection as descriptor 3
// and the pod's lock, held, as descriptor 4. The lock is what makes it the only one. A full disk is
// waited for before a container starts.
//
//              spec read, namespaces            every container ended, state on disk
//   started ──────────────────────► running ──────────────────────────────────────► ended
//      └── cannot: every container exited with StartError ───────────────────────────▲
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/attach.h"
#include "agent/container_log.h"
#include "agent/container_process.h"
#include "agent/shim_protocol.h"
#include "base/os/control_group.h"
#include "base/os/folders.h"
#include "base/os/line_channel.h"
#include "base/os/poll_loop.h"
#include "base/os/process_namespace.h"
#include "base/os/sandbox.h"
#include "base/os/system_clock.h"

namespace muster::agent {

inline constexpr int shim_connection_descriptor = 3;
inline constexpr int shim_lock_descriptor = 4;

// The pod's own writable folder, and where a container works that names no other.
inline constexpr const char* workspace_target = "/workspace";

// A process that is loaded and waits: each shim is a fork of it (base/os/fork_server.h). The exit
// status of a shim is 0 when the pod's end is on disk.
int shim_server_main(std::span<char* const> arguments);

// Who the program of a container is.
SandboxUser user_of(const ContainerSpec& container);

// The control group of a container.
std::string shim_group_name(std::string_view uid, std::string_view container);

class Shim {
 public:
  Shim(PollLoop& loop, std::string folder, ShimSpec spec, std::optional<ShimState> before);

  // Starts all containers that did not run yet and are not held, and those named. The loop stops
  // when all ended.
  void start(Descriptor connection, const std::vector<std::string>& again);

  // Nothing of the pod can be heard on the network any more: its last deed.
  void unplug();

 private:
  struct Stream {
    Descriptor from;
    LogLines lines;
    AttachChannel channel = AttachChannel::output;
    WatchId watch = {};
    bool is_over = false;
  };
  // The container's standard input, and what it has not read of it.
  struct Input {
    Descriptor to = Descriptor();
    std::string waiting = {};
    WatchId watch = {};
    bool ends = false;  // with what waits
  };
  struct Container {
    const ContainerSpec* spec = nullptr;
    ContainerState state;
    std::unique_ptr<ContainerProcess> sandbox;
    std::optional<ControlGroup> group;
    std::unique_ptr<LogFiles> log;
    std::vector<std::unique_ptr<Stream>> streams;
    Input input;
    Descriptor terminal;  // its master
    std::unique_ptr<AttachPoint> attach;
    WatchId ready_watch;  // while a gang waits for it
    WatchId started_watch;
    WatchId ended_watch;
    std::optional<MonotonicInstant> kill_at;  // this run is being stopped
  };

  void begin(const std::vector<std::string>& again);
  bool is_delayed(const Result<>& done) const;
  Result<> enter_namespaces();
  Result<> write_etc_files();
  Result<> connect_network(Netlink& outside, std::uint32_t bridge_index);
  Result<> share_processes();
  void listen(Descriptor connection);
  void talk_to(Descriptor connection);
  void obey(const ShimOrder& order);
  void stop(Span grace);
  void stop(Container& container, Span grace);
  void run_again(Container& container);
  bool waits_for_gang(const std::vector<std::string>& again) const;
  void open_gate();
  void reached_gate(Container& container);

  void run(Container& container);
  Result<> make_sandbox(Container& container);
  Result<> open_log(Container& container);
  SandboxSpec sandbox_spec(const ContainerSpec& container) const;
  bool runs_images() const;
  Result<> make_container(Container& container);
  Result<std::vector<Mount>> resolved_mounts(const ContainerSpec& container,
                                             const std::string& bundle) const;
  Result<> take_terminal(Container& container);
  void clear_container(const Container& container);
  Result<> open_streams(Container& container, SandboxSpec& sandbox);
  Result<> open_terminal_streams(Container& container, SandboxSpec& sandbox);
  Result<Descriptor> open_stream(Container& container, std::string_view name);
  void add_stream(Container& container, Descriptor from, std::string_view name);
  void watch_streams(Container& container);
  void open_attach(Container& container);
  bool hear(Container& container, const AttachFrame& frame);
  void feed(Container& container);
  void read_stream(Container& container, Stream& stream);
  void started(Container& container);
  void ended(Container& container);
  void end_run(Container& container);
  void watch_end(Container& container);
  void fail(Container& container, const StartFailure& failure);
  void drain_logs(Container& container);
  Result<> make_last_words(const ContainerSpec& container, SandboxSpec& sandbox) const;
  std::string last_words(const Container& container, bool has_failed) const;

  ShimState state() const;
  void tell(Durable durable);
  void tell_start();
  std::string write_state(Durable durable);
  void tell_change();

  PollLoop& loop_;
  SystemClock clock_;
  std::string folder_;
  ShimSpec spec_;
  ShimProcess process_;
  ProcessNamespace processes_;  // that the containers share; of no process where they do not
  ControlGroups groups_;
  std::vector<std::unique_ptr<Container>> containers_;
  Descriptor listener_;
  std::unique_ptr<LineChannel> platform_;
  std::optional<MonotonicInstant> kill_at_;  // being stopped
  bool is_at_gate_ = false;                  // what is made is not released yet
  bool is_written_ = true;                   // what the platform heard is on disk
};

}  // namespace muster::agent
