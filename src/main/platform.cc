// SPDX-License-Identifier: Apache-2.0
#include "main/platform.h"

#include <fmt/format.h>

#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "base/os/detached_process.h"
#include "base/os/event_loop.h"
#include "base/os/files.h"
#include "base/os/poll_loop.h"
#include "base/os/process.h"
#include "base/os/system_clock.h"
#include "base/os/system_disk.h"
#include "base/os/system_random.h"
#include "base/os/system_time_zones.h"
#include "base/stocked_random.h"
#include "control/controllers.h"
#include "main/credentials.h"
#include "main/node_group.h"
#include "main/on_threads.h"
#include "main/webhook_client.h"
#include "server/api_server.h"
#include "server/audit.h"
#include "server/authorization.h"
#include "server/http/listener.h"
#include "server/renumber.h"
#include "store/sqlite_store.h"

namespace muster {

namespace {

constexpr Span patience = Span::of_seconds(30);
constexpr Span look_every = Span::of_milliseconds(1);
constexpr std::uint16_t usual_port = 443;
// Lines of records, most of all: they are written together.
constexpr Span background_rest = Span::of_milliseconds(2);
constexpr Span lock_patience = Span::of_seconds(5);

// A platform that was killed holds its lock until the kernel has taken back its memory, which takes
// a second for a large one.
Result<std::unique_ptr<FileLock>> lock_when_free(Disk& disk, const std::string& path,
                                                 const Clock& clock) {
  const MonotonicInstant until = clock.monotonic() + lock_patience;
  while (true) {
    auto lock = disk.lock(path);
    const bool is_held = !lock && lock.error().code == ErrorCode::conflict;
    if (!is_held || clock.monotonic() >= until) return lock;
    pause_thread(Span::of_milliseconds(10));
  }
}

}  // namespace

// In the order of construction; destroyed from the last to the first, after the threads ended.
struct Platform::Parts {
  explicit Parts(const Log& log_in) : log(log_in) {}

  std::string data;
  cli::Settings settings;
  Log log;
  SystemClock clock;
  SystemTimeZones time_zones;
  SystemRandom system_random;
  StockedRandom random{system_random};  // of the house
  std::unique_ptr<FileLock> lock;
  NodeGround ground;
  Credentials credentials;
  std::unique_ptr<server::TokenSigner> signer;
  std::unique_ptr<server::Authenticator> authenticator;

  SystemDisk disk;
  EventLoop house;
  std::unique_ptr<server::AuditFile> audit;
  PollLoop machine;
  PollLoop traffic;
  WebhookClient webhooks{house};
  MetricRegistry metrics;  // of the house, as all who count
  server::HttpCounters http_counters{metrics};
  std::unique_ptr<store::Store> store;
  std::unique_ptr<server::ApiServer> server;
  std::unique_ptr<client::Api> controller_api;
  std::unique_ptr<client::Api> agent_api;
  std::unique_ptr<control::Controllers> controllers;
  std::unique_ptr<NodeGroups> nodes;
  std::unique_ptr<server::HttpListener> listener;
  server::ServiceAddress own_service;
  std::promise<void> house_ended;
  std::vector<std::jthread> threads;
  std::jthread listening;
  server::Renumbering renumbering;

  Result<> open_credentials();
  Result<> listen();
  Result<> open_store();
  void compose();
  Result<> find_addresses();
  void run_threads();
  Result<> renumber();
  void start_on_house(std::promise<Result<>>& started);
  void announce_when_ready(std::promise<Result<>>& started, MonotonicInstant deadline);
};

Result<> Platform::Parts::open_credentials() {
  credentials =
      TRY(load_credentials(data, settings, ground.gateway(), system_random, clock.wall()));
  signer = std::make_unique<server::TokenSigner>(
      TRY(server::TokenSigner::of_key(credentials.service_account_key.reveal())));
  authenticator = std::make_unique<server::Authenticator>(clock, signer.get());
  for (server::TokenRecord& token : credentials.tokens) {
    TRY(authenticator->accept(std::move(token)));
  }
  return {};
}

Result<> Platform::Parts::open_store() {
  // Nobody knows what is on the disk after a failed sync: the only honest thing is to end.
  store = TRY(store::open_sqlite_store(
      disk, house, data + "/store",
      {.limits = {}, .in_parallel = on_threads, .on_fatal = [](const Error& error) {
         exit_hard(error.message);
       }}));
  return {};
}

// Where its pods find it: on the machine's address in their network, on the port that everybody
// expects where it is free, else on the one that was asked for.
Result<> Platform::Parts::listen() {
  listener = std::make_unique<server::HttpListener>(
      [this](server::Request request, server::Respond respond) {
        server->handle(std::move(request), std::move(respond));
      },
      server::HttpOptions{.house = house,
                          .authenticator = *authenticator,
                          .server = credentials.server,
                          .client_authority_pem = credentials.authority.certificate_pem,
                          .counters = &http_counters,
                          .lender = &house,
                          .log = log.child("http")});
  const cli::ListenAddress asked = TRY(cli::parse_listen(settings.listen));
  TRY(listener->open(asked.host, asked.port));
  const std::string address = listener->address();
  const std::string host = address.substr(0, address.rfind(':'));
  const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(host.size() + 1)));
  const std::string gateway = ground.gateway();
  const bool is_everywhere = host == "0.0.0.0" || host == "[::]";
  if (gateway.empty()) {
    own_service = {.address = is_everywhere ? "127.0.0.1" : host, .port = port};
  } else if (listener->open(gateway, usual_port)) {
    own_service = {.address = gateway, .port = usual_port};
  } else if (is_everywhere || listener->open(gateway, port)) {
    own_service = {.address = gateway, .port = port};
  } else {
    log.warning("pods cannot reach this server", {{"address", gateway}});
  }
  // An address of the other family has no such Service.
  if (own_service.address.starts_with('[')) own_service = {};
  return {};
}

void Platform::Parts::compose() {
  audit = std::make_unique<server::AuditFile>(disk, house,
                                              server::AuditOptions{.folder = data + "/audit"});
  server = std::make_unique<server::ApiServer>(
      *store, house, clock, random,
      server::ServerOptions{.role_based = true,
                            .webhooks = &webhooks,
                            .metrics = &metrics,
                            .signer = signer.get(),
                            .authenticator = authenticator.get(),
                            .authority_pem = credentials.authority.certificate_pem,
                            .authority = &credentials.authority,
                            .own_service = own_service,
                            .service_cidr = ground.services(),
                            .in_parallel = on_threads,
                            .audit = audit.get(),
                            .log = log.child("server")});
  controller_api = server->in_process(server::controller_identity());
  agent_api = server->in_process(server::agent_identity());
  control::ControlOptions wanted;
  wanted.policy.placement = core::Placement::pinned;
  wanted.record_folder = data + "/record";
  wanted.disk = &disk;
  wanted.metrics = &metrics;
  wanted.time_zones = &time_zones;
  wanted.log = log.child("control");
  controllers = std::make_unique<control::Controllers>(*controller_api, house, clock, random,
                                                       std::move(wanted));
  server->set_queues(&controllers->state());
}

Result<std::unique_ptr<Platform>> Platform::open(const std::string& data,
                                                 const cli::Settings& settings, const Log& log) {
  auto parts = std::make_unique<Parts>(log);
  parts->data = data;
  parts->settings = settings;
  parts->disk.set_lender(&parts->house);
  parts->disk.lane(DiskLane::background).set_rest(background_rest);
  parts->lock = TRY(lock_when_free(parts->disk, cli::lock_path(data), parts->clock));
  TRY(write_private_file(cli::pid_path(data), std::to_string(process_id()) + "\n"));
  parts->ground = TRY(find_node_ground(data, settings));
  TRY(parts->open_credentials());
  TRY(parts->open_store());
  TRY(parts->listen());
  parts->compose();
  TRY(parts->find_addresses());
  parts->nodes = TRY(NodeGroups::make({.data = data,
                                       .settings = settings,
                                       .house = {parts->house, parts->clock, parts->random},
                                       .api = *parts->agent_api,
                                       .machine = parts->machine,
                                       .traffic = parts->traffic,
                                       .disk = parts->disk,
                                       .ground = parts->ground,
                                       .known_ranges = parts->renumbering.ranges,
                                       .log = log.child("agent")}));
  parts->renumbering.ranges = parts->nodes->ranges();
  parts->server->set_logs(&parts->nodes->logs());
  parts->server->set_streams(&parts->nodes->streams());
  parts->server->set_usage(&parts->nodes->usage());
  return std::unique_ptr<Platform>(new Platform(std::move(parts)));
}

Platform::Platform(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Platform::~Platform() = default;

void Platform::run_house() {
  parts_->house.run();
  parts_->house_ended.set_value();
}

// Folders of before there was the file are known by their nodes.
Result<> Platform::Parts::find_addresses() {
  renumbering = {.former = agent::kept_network(data),
                 .present = ground.cidr(),
                 .services = ground.services(),
                 .ranges = TRY(server::stored_node_ranges(*store))};
  for (const auto& [name, range] : renumbering.ranges) {
    if (renumbering.former.empty()) renumbering.former = agent::network_around(range);
  }
  for (auto& [name, range] : renumbering.ranges) range = server::renumbered(range, renumbering);
  return {};
}

void Platform::Parts::run_threads() {
  threads.emplace_back([this] { disk.lane(DiskLane::commit).run(); });
  threads.emplace_back([this] { disk.lane(DiskLane::background).run(); });
  threads.emplace_back([this] { disk.lane(DiskLane::node).run(); });
  threads.emplace_back([this] { machine.run(); });
  threads.emplace_back([this] { traffic.run(); });
  threads.emplace_back([this] { webhooks.run(); });
}

// Before anybody is answered. The network is kept when everything has its addresses, so that
// whoever is killed meanwhile does the rest the next time.
Result<> Platform::Parts::renumber() {
  std::promise<Result<std::size_t>> renumbered;
  house.post([&] {
    server::renumber(*store, renumbering, [&](Result<std::size_t> objects) {
      renumbered.set_value(std::move(objects));
    });
  });
  const std::size_t objects = TRY(renumbered.get_future().get());
  if (objects > 0) {
    log.warning("addresses changed with the network", {{"former", renumbering.former},
                                                       {"present", renumbering.present},
                                                       {"objects", std::to_string(objects)}});
  }
  if (!ground.network) return {};
  return agent::keep_network(data, renumbering.present);
}

void Platform::Parts::start_on_house(std::promise<Result<>>& started) {
  if (auto loaded = server->load(); !loaded) {
    started.set_value(std::move(loaded));
    return;
  }
  // Those who asked meanwhile are answered first, in a turn of their own: the API serves, whatever
  // is still to be read.
  house.post([this, &started] {
    house.post([this, &started] {
      controllers->start();
      nodes->start();
      announce_when_ready(started, clock.monotonic() + patience);
    });
  });
}

// Ready is when `kubectl get nodes` shows them all and a job would be looked at.
void Platform::Parts::announce_when_ready(std::promise<Result<>>& started,
                                          MonotonicInstant deadline) {
  if (controllers->has_synced() && nodes->are_ready()) {
    started.set_value({});
  } else if (clock.monotonic() > deadline) {
    started.set_value(Error{ErrorCode::timeout, "controllers and nodes did not get ready"});
  } else {
    house.post_at(clock.monotonic() + look_every,
                  [this, &started, deadline] { announce_when_ready(started, deadline); });
  }
}

Result<> Platform::start() {
  Parts& parts = *parts_;
  TRY(write_kubeconfigs(parts.data, parts.settings, parts.credentials, address()));
  parts.run_threads();
  TRY(parts.renumber());
  parts.listening = std::jthread([&parts] { parts.listener->run(); });
  std::promise<Result<>> started;
  parts.house.post([&parts, &started] { parts.start_on_house(started); });
  TRY(started.get_future().get());
  parts.log.info("ready", {{"address", address()}});
  return write_private_file(cli::ready_path(parts.data), address());
}

// The listener first, so that nobody is answered by half a platform; then the decisions; then the
// store, which writes what it was given.
void Platform::stop() {
  Parts& parts = *parts_;
  if (parts.threads.empty()) return parts.house.stop();
  if (parts.listening.joinable()) {
    parts.listener->stop();
    parts.listening.join();
  }
  std::promise<void> closed;
  parts.house.post([&parts, &closed] {
    parts.nodes->stop();
    parts.server->set_queues(nullptr);
    parts.controllers.reset();
    parts.store->close([&closed] { closed.set_value(); });
  });
  closed.get_future().wait();
  parts.webhooks.stop();
  parts.house.stop();
  parts.house_ended.get_future().wait();
  parts.machine.stop();
  parts.traffic.stop();
  parts.disk.lane(DiskLane::commit).stop();
  parts.disk.lane(DiskLane::background).stop();
  parts.disk.lane(DiskLane::node).stop();
  parts.threads.clear();
}

std::string Platform::address() const {
  return "https://" + parts_->listener->address();
}

}  // namespace muster
