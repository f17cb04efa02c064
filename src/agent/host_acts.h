// HostActs: probes and hooks of containers that are processes of this machine: commands in them,
// and requests to their addresses.
//
//   HostActs acts(house, machine);
//   acts.begin(folder, "main", {.kind = ContainerAct::Kind::tcp, .host = …}, [](ActOutcome) { … });
//
// Assumes: the house thread; house and machine outlive it. Each act is answered once, within its
// timeout; those that are under way when it is destroyed are never answered.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "agent/pod_runtime.h"
#include "agent/relayed_stream.h"
#include "base/executor.h"
#include "base/os/poll_loop.h"
#include "base/os/system_clock.h"

namespace muster::agent {

class HostActs {
 public:
  HostActs(Executor& house, PollLoop& machine);
  ~HostActs();
  HostActs(const HostActs&) = delete;
  HostActs& operator=(const HostActs&) = delete;

  void begin(const std::string& folder, std::string container, ContainerAct act,
             PodRuntime::Acted acted);

 private:
  // A command that runs.
  struct Visit {
    ContainerAct act;
    PodRuntime::Acted acted;
    std::unique_ptr<RelayedStream> stream;
    std::string output = {};
    TimerId timer = {};
  };
  // Tasks of the machine hold it weakly.
  struct Here {
    std::map<std::uint64_t, PodRuntime::Acted> waiting;
  };

  void begin_visit_of(const std::string& folder, std::string container, ContainerAct act,
                      PodRuntime::Acted acted);
  void look(std::uint64_t visit);
  void finish(std::uint64_t visit, ActOutcome outcome);

  Executor& house_;
  PollLoop& machine_;
  SystemClock clock_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, std::unique_ptr<Visit>> visits_;
  std::shared_ptr<Here> here_;
};

}  // namespace muster::agent
