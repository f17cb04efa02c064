// HostRuntime: pods as processes of this machine, on its own filesystem read-only, in namespaces of
// their own (docs/internals/host_runtime.md). This half stands on the house thread and only passes
// messages; HostPods does the work on a loop of its own.
//
//   PollLoop machine;                                   // main/ runs it on a thread
//   HostRuntime runtime(house, machine, {.pods_folder = data + "/pods", .images = "*", …}, log);
//
// Assumes: house and machine outlive it; machine has stopped when it is destroyed. Pods run on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "agent/host_acts.h"
#include "agent/host_pods.h"
#include "agent/pod_runtime.h"
#include "base/executor.h"
#include "base/log.h"
#include "base/os/poll_loop.h"

namespace muster::agent {

// What pods are separated by on this node, for its annotations: "full; network bridge …; limits …".
std::string describe_isolation(const HostOptions& options);

class HostRuntime final : public PodRuntime {
 public:
  HostRuntime(Executor& house, PollLoop& machine, HostOptions options, const Log& log);
  ~HostRuntime() override;

  void set_listener(Listener listener) override;
  void adopt(Adopted adopted) override;
  void start(PodSpec spec) override;
  void run(std::string_view uid, std::string_view container) override;
  void stop_container(std::string_view uid, std::string_view container, Span grace) override;
  void act(std::string_view uid, std::string_view container, ContainerAct act,
           Acted acted) override;
  void stop(std::string_view uid, Span grace) override;
  void remove(std::string_view uid) override;

 private:
  // What answers need, on the house thread; gone when the runtime is.
  struct House {
    Listener listener;
    // Removed pods whose removal the machine has not reached yet: what it says of them until then
    // set out before.
    std::map<std::string, std::size_t, std::less<>> removed;
  };

  Executor& executor_;
  PollLoop& machine_;
  const std::string pods_folder_;
  HostActs acts_;
  std::shared_ptr<House> house_;
  std::unique_ptr<HostPods> pods_;
};

}  // namespace muster::agent
