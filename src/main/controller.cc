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
#include "main/status_pages.h"

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

// Answers on the house thread, where the controllers and their numbers are.
StatusPage page_of(std::string_view path, const control::Controllers& controllers,
                   const MetricRegistry& metrics) {
  if (path == "/metrics") return {.text = metrics.to_text()};
  if (path == "/healthz") return {.text = "ok"};
  if (path != "/readyz") return {.status = 404, .text = "404 page not found\n"};
  if (controllers.has_synced()) return {.text = "ok"};
  std::string text = "the controllers have not listed everything yet\n";
  for (const std::string& trouble : controllers.troubles()) text += trouble + "\n";
  return {.status = 500, .text = std::move(text)};
}

Result<> open_pages(StatusPages& pages, const std::string& address) {
  const BindAddress bind = TRY(read_bind_address(address));
  return pages.open(bind.address, bind.port);
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
  MetricRegistry metrics;
  wanted.metrics = &metrics;
  wanted.log = log.child("control");
  on_house(house, [&] {
    controllers = std::make_unique<control::Controllers>((*client)->api(), house, clock, random,
                                                         std::move(wanted));
    controllers->start();
  });
  StatusPages pages([&](std::string_view path, StatusPages::Answer answer) {
    house.post([&, path = std::string(path), answer = std::move(answer)]() mutable {
      answer(page_of(path, *controllers, metrics));
    });
  });
  const bool has_pages = options.metrics_address != "0";
  if (has_pages) {
    const auto opened = open_pages(pages, options.metrics_address);
    if (!opened) {
      log.warning("metrics are not served",
                  {{"address", options.metrics_address}, {"error", opened.error().message}});
    }
  }
  std::jthread page_thread([&] { pages.run(); });
  output.out(fmt::format("Muster controls {}.\n", (*client)->server()));
  if (!pages.address().empty()) {
    output.out(fmt::format("Metrics are at http://{}/metrics.\n", pages.address()));
  }
  wait_for_termination_signal();
  pages.stop();
  page_thread.join();
  on_house(house, [&] { controllers.reset(); });
  client->reset();
  disk.lane(DiskLane::commit).stop();
  disk.lane(DiskLane::background).stop();
  return cli::exit_done;
}

}  // namespace muster
