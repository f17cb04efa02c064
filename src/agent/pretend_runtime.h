// PretendRuntime: a PodRuntime without processes. A pod runs for as long as its annotation says and
// ends as its annotation says; it lives in memory only. For nodes that are declared, not there, and
// for the simulator, where it lives on when the platform dies, as real pods do.
//
//   muster.dev/pretend-run-seconds: "2.5"      absent: until it is stopped
//   muster.dev/pretend-exit-code: "3"          absent: 0
//   muster.dev/pretend-ignores-sigterm: "true" stops only after its grace
//   muster.dev/pretend-image-error: "no such image"
//
// The annotations tell of main containers; init containers succeed at once and sidecars run until
// they are stopped. Every probe and every hook of a pretend container succeeds.
//
// Assumes: the executor is that of the machine: when it forgets its callbacks, these pods end
// nowhere. It outlives the callbacks that it posted. adopt() answers what is there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/pod_runtime.h"
#include "base/clock.h"
#include "base/executor.h"

namespace muster::agent {

struct PretendOptions {
  Span start_takes = Span::of_milliseconds(1);
  Span stop_takes = Span::of_milliseconds(5);
};

class PretendRuntime final : public PodRuntime {
 public:
  PretendRuntime(Executor& machine, const Clock& clock, PretendOptions options = {});

  void set_listener(Listener listener) override { listener_ = std::move(listener); }
  void adopt(Adopted adopted) override;
  void start(PodSpec spec) override;
  void run(std::string_view uid, std::string_view container) override;
  void stop_container(std::string_view uid, std::string_view container, Span grace) override;
  void act(std::string_view uid, std::string_view container, ContainerAct act,
           Acted acted) override;
  void stop(std::string_view uid, Span grace) override;
  void remove(std::string_view uid) override;

  // What there is, ordered by uid.
  std::vector<PodState> pods() const;

  // How often its first container began to run: more than once, but for run(), is a bug.
  std::uint64_t runs_of(std::string_view uid) const;

  // The log in the form that log files have (agent/log_reader.h); nothing for the unknown.
  std::optional<std::string> log_of(std::string_view uid, std::string_view container) const;

  // The machine loses power: everything is gone and nobody hears of it.
  void lose_everything();

 private:
  // How the containers of a pod behave.
  struct Script {
    std::optional<Span> runs;  // nothing: until it is stopped
    int exit_code = 0;
    bool ignores_stop = false;
    std::string image_error;
    std::string mistake;  // in the annotations: the container cannot be started
  };
  struct Container {
    ContainerState state;
    ContainerRole role = ContainerRole::main;
    std::optional<TimerId> timer = {};  // for its next change
  };
  struct Pod {
    Script script;
    std::vector<Container> containers;
    std::optional<MonotonicInstant> killed_at = {};  // being stopped; the end of its grace
    std::uint64_t runs = 0;
  };
  using Change = void (PretendRuntime::*)(const std::string& uid, std::size_t container);

  static Script script_of(objects::View pod);
  static PodState state_of(const std::string& uid, const Pod& pod);

  void terminate_within(const std::string& uid, std::size_t container, Span grace);
  void schedule(const std::string& uid, std::size_t container, Span after, Change change);
  void begin(const std::string& uid, std::size_t container);
  void finish(const std::string& uid, std::size_t container);
  void terminate(const std::string& uid, std::size_t container);
  void end(const std::string& uid, std::size_t container, int exit_code, int signal);
  void announce(const std::string& uid);

  Executor& machine_;
  const Clock& clock_;
  const PretendOptions options_;
  Listener listener_;
  std::map<std::string, Pod, std::less<>> pods_;
};

}  // namespace muster::agent
