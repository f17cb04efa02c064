// SPDX-License-Identifier: Apache-2.0
#include "main/controller.h"

#include <fmt/format.h>

#include <future>
#include <thread>
#include <utility>

#include "base/log_sink.h"
#include "base/os/detached_process.h"
#include "base/os/process.h"
#include "base/os/system_clock.h"
#include "base/os/system_disk.h"
#include "base/os/system_random.h"
#include "control/controllers.h"
#include "main/cluster_client.h"

namespace muster {

namespace {

// Makes or ends something on the house thread, and waits for it.
void on_house(EventLoop& house, Task task) {
  std::promise<void> done;
  house.post([&] {
    task();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace

int controller(const cli::ControllerOptions& options, const cli::Output& output) {
  ignore_broken_pipes();
  block_termination_signals();
  const SystemClock clock;
  SystemRandom random;
  SystemDisk disk;
  const auto sink = open_standard_error_log();
  const Log log(*sink, clock, {});
  auto client = ClusterClient::open({.kubeconfig = options.kubeconfig, .context = options.context});
  if (!client) return cli::fail(output, client.error());
  std::jthread commits([&] { disk.lane(DiskLane::commit).run(); });
  std::jthread background([&] { disk.lane(DiskLane::background).run(); });
  EventLoop& house = (*client)->house();
  std::unique_ptr<control::Controllers> controllers;
  control::ControlOptions wanted;
  wanted.role = control::Role::kubernetes;
  wanted.policy.placement = core::Placement::checked;
  wanted.policy.places_unmanaged_pods = false;
  wanted.record_folder = options.record;
  wanted.disk = &disk;
  wanted.log = log.child("control");
  on_house(house, [&] {
    controllers = std::make_unique<control::Controllers>((*client)->api(), house, clock, random,
                                                         std::move(wanted));
    controllers->start();
  });
  output.out(fmt::format("Muster controls {}.\n", (*client)->server()));
  wait_for_termination_signal();
  on_house(house, [&] { controllers.reset(); });
  client->reset();
  disk.lane(DiskLane::commit).stop();
  disk.lane(DiskLane::background).stop();
  return cli::exit_done;
}

}  // namespace muster
