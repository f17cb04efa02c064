// SPDX-License-Identifier: Apache-2.0
#include "main/controller.h"

#include <fmt/format.h>

#include <chrono>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include "base/log_sink.h"
#include "base/os/detached_process.h"
#include "base/os/machine.h"
#include "base/os/process.h"
#include "base/os/system_clock.h"
#include "base/os/system_disk.h"
#include "base/os/system_random.h"
#include "base/uid.h"
#include "client/leader_election.h"
#include "control/controllers.h"
#include "main/cluster_client.h"
#include "main/status_pages.h"

namespace muster {

namespace {

// Of giving the Lease back; nobody waits longer for a server that does not answer.
constexpr std::chrono::seconds resign_within(3);

// Makes or ends something on the house thread, and waits for it.
void on_house(EventLoop& house, Task task) {
  std::promise<void> done;
  house.post([&] {
    task();
    done.set_value();
  });
  done.get_future().wait();
}

// What lives on the house thread: the controllers, for as long as this process leads. Each time
// they begin anew, and so do their numbers.
class LedControllers {
 public:
  LedControllers(client::Api& api, client::House house, control::ControlOptions options)
      : api_(api),
        house_(house),
        options_(std::move(options)),
        leads_(own_metrics_
                   .gauge({.name = "leader_election_master_status",
                           .help = "Whether this process leads: 1 or 0.",
                           .labels = {"name"}})
                   .must()) {}

  // Without an election it leads from the first moment.
  void start(const cli::ControllerOptions& wanted) {
    if (!wanted.elects_leader) return begin(api_);
    const std::string identity = this_machine().host_name + "_" + make_uid(house_.random);
    election_.emplace(api_, house_,
                      client::LeaderElectionOptions{.name_space = wanted.leader_namespace,
                                                    .name = std::string(lease_name),
                                                    .identity = identity},
                      client::LeaderElectionSink{.on_elected = [this] { on_elected(); },
                                                 .on_lost = [this] { on_lost(); }});
    fenced_.emplace(api_, *election_, house_.executor);
    leads_.with({lease_name}).set(0);
    options_.log.info("waiting to lead",
                      {{"identity", identity}, {"namespace", wanted.leader_namespace}});
    election_->start();
  }

  void end(Task done) {
    controllers_.reset();
    if (!election_) return done();
    election_->resign(std::move(done));
  }

  StatusPage page(std::string_view path) const {
    if (path == "/metrics") {
      return {.text = own_metrics_.to_text() + (metrics_ ? metrics_->to_text() : std::string())};
    }
    if (path == "/healthz") return {.text = "ok"};
    if (path != "/readyz") return {.status = 404, .text = "404 page not found\n"};
    if (!controllers_ || controllers_->has_synced()) return {.text = "ok"};
    std::string text = "the controllers have not listed everything yet\n";
    for (const std::string& trouble : controllers_->troubles()) text += trouble + "\n";
    return {.status = 500, .text = std::move(text)};
  }

 private:
  static constexpr std::string_view lease_name = "muster-controller";

  void begin(client::Api& api) {
    controllers_.reset();
    metrics_ = std::make_unique<MetricRegistry>();
    options_.metrics = metrics_.get();
    controllers_ = std::make_unique<control::Controllers>(api, house_.executor, house_.clock,
                                                          house_.random, options_);
    controllers_->start();
  }

  void on_elected() {
    options_.log.info("leading", {});
    leads_.with({lease_name}).set(1);
    begin(*fenced_);
  }

  void on_lost() {
    options_.log.warning("not leading any more", {{"leader", election_->leader()}});
    leads_.with({lease_name}).set(0);
    controllers_.reset();
  }

  client::Api& api_;
  client::House house_;
  control::ControlOptions options_;
  MetricRegistry own_metrics_;
  MetricFamily<Gauge> leads_;
  std::optional<client::LeaderElection> election_;
  std::optional<client::FencedApi> fenced_;
  std::unique_ptr<MetricRegistry> metrics_;  // of the controllers
  std::unique_ptr<control::Controllers> controllers_;
};

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
  control::ControlOptions wanted;
  wanted.role = control::Role::kubernetes;
  wanted.policy.placement = core::Placement::checked;
  wanted.policy.places_unmanaged_pods = false;
  wanted.record_folder = options.record;
  wanted.disk = &disk;
  wanted.log = log.child("control");
  LedControllers work((*client)->api(), {house, clock, random}, std::move(wanted));
  on_house(house, [&] { work.start(options); });
  StatusPages pages([&](std::string_view path, StatusPages::Answer answer) {
    house.post([&, path = std::string(path), answer = std::move(answer)]() mutable {
      answer(work.page(path));
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
  std::promise<void> ended;
  house.post([&] { work.end([&] { ended.set_value(); }); });
  ended.get_future().wait_for(resign_within);
  client->reset();
  disk.lane(DiskLane::commit).stop();
  disk.lane(DiskLane::background).stop();
  return cli::exit_done;
}

}  // namespace muster
