// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/platform_process.h"

#include <utility>

#include "agent/node_agent.h"
#include "agent/volume_files.h"
#include "client/leader_election.h"
#include "control/controllers.h"
#include "server/api_server.h"
#include "server/authorization.h"
#include "store/sqlite_store.h"

namespace muster::simulator {

namespace {

// A part's way to the server: a planted bug, if any, the network, the ledgers, the server.
struct Connection {
  std::unique_ptr<client::Api> server;
  std::unique_ptr<client::Api> server_seam;
  std::unique_ptr<client::Api> ledger;
  std::unique_ptr<client::Api> leader_ledger;
  std::unique_ptr<FaultyApi> network;
  std::unique_ptr<client::Api> seam;

  client::Api& api() { return seam ? *seam : *network; }
};

// Where another stands by, they work while they are elected.
struct Control {
  Connection connection;
  std::unique_ptr<client::LeaderElection> election;
  std::unique_ptr<client::FencedApi> fenced;
  std::unique_ptr<control::Controllers> controllers;
};

struct Agent {
  Connection connection;
  std::unique_ptr<agent::PodRuntime> runtime;
  std::unique_ptr<agent::NodeAgent> agent;
};

}  // namespace

// In the order of construction; destroyed from the last to the first.
struct PlatformProcess::Parts {
  Parts(const Surroundings& surroundings, std::uint64_t seed)
      : around(surroundings), random(seed), dice(random.split()), files(around.house) {}

  Connection connect(const server::Identity& identity, const Seams::ApiSeam& seam,
                     const std::string& leader = {});
  void start_control(const std::string& who);
  void elect(const std::string& who, Control& control);
  void begin(Control& control, client::Api& api);

  Surroundings around;
  SeededRandom random;  // of the product
  SeededRandom dice;    // of the network
  server::RuleAuthorizer authorizer;
  agent::NoVolumeFiles files;
  std::unique_ptr<store::Store> sqlite;
  std::unique_ptr<store::Store> store_seam;
  std::unique_ptr<AcknowledgedStore> store;
  std::unique_ptr<store::Store> served_seam;
  std::unique_ptr<server::ApiServer> server;
  std::unique_ptr<client::Api> tenant;
  Faults faults;
  std::map<std::string, Control, std::less<>> controls;  // "control", and "standby" if there is one
  std::map<std::string, Agent, std::less<>> agents;      // by machine
};

Connection PlatformProcess::Parts::connect(const server::Identity& identity,
                                           const Seams::ApiSeam& seam, const std::string& leader) {
  Connection connection;
  connection.server = server->in_process(identity);
  if (around.seams.server) {
    connection.server_seam = around.seams.server(*connection.server, around.house);
  }
  connection.ledger =
      around.api_ledger.wrap(connection.server_seam ? *connection.server_seam : *connection.server);
  if (!leader.empty()) connection.leader_ledger = around.leaders.wrap(*connection.ledger, leader);
  client::Api& door = leader.empty() ? *connection.ledger : *connection.leader_ledger;
  connection.network = std::make_unique<FaultyApi>(door, around.house, around.clock, dice.next());
  connection.network->set_faults(faults);
  if (!around.keeps_notes) connection.network->lose_notes();
  if (seam) connection.seam = seam(*connection.network, around.house);
  return connection;
}

void PlatformProcess::Parts::start_control(const std::string& who) {
  Control& control = controls[who];
  control.controllers.reset();
  control.fenced.reset();
  control.election.reset();
  if (!control.connection.server) {
    control.connection = connect(server::controller_identity(), around.seams.control,
                                 around.has_standby ? who : std::string());
  }
  if (!around.has_standby) return begin(control, control.connection.api());
  elect(who, control);
}

void PlatformProcess::Parts::elect(const std::string& who, Control& control) {
  control.election = std::make_unique<client::LeaderElection>(
      control.connection.api(), client::House{around.house, around.clock, random},
      client::LeaderElectionOptions{.name = std::string(LeaderLedger::lease_name), .identity = who},
      client::LeaderElectionSink{
          .on_elected = [this, &control] { begin(control, *control.fenced); },
          .on_lost = [&control] { control.controllers.reset(); }});
  control.fenced = std::make_unique<client::FencedApi>(control.connection.api(), *control.election,
                                                       around.house);
  control.election->start();
}

void PlatformProcess::Parts::begin(Control& control, client::Api& api) {
  control::ControlOptions options;
  options.policy = around.policy;
  if (around.keeps_record) {
    options.record_folder = "record";
    options.disk = &around.disk;
  }
  control.controllers = std::make_unique<control::Controllers>(api, around.house, around.clock,
                                                               random, std::move(options));
  control.controllers->start();
}

Result<std::unique_ptr<PlatformProcess>> PlatformProcess::start(const Surroundings& surroundings,
                                                                std::uint64_t seed) {
  auto parts = std::make_unique<Parts>(surroundings, seed);
  Surroundings& around = parts->around;
  store::StoreOptions options;
  options.on_fatal = around.on_fatal;
  parts->sqlite =
      TRY(store::open_sqlite_store(around.disk, around.house, "store", std::move(options)));
  if (around.seams.store) parts->store_seam = around.seams.store(*parts->sqlite);
  parts->store = std::make_unique<AcknowledgedStore>(
      parts->store_seam ? *parts->store_seam : *parts->sqlite, around.ledger);
  if (around.seams.served) parts->served_seam = around.seams.served(*parts->store);
  store::Store& served = parts->served_seam ? *parts->served_seam : *parts->store;
  parts->server =
      std::make_unique<server::ApiServer>(served, around.house, around.clock, parts->random,
                                          server::ServerOptions{.authorizer = &parts->authorizer});
  TRY(parts->server->load());
  parts->tenant = parts->server->in_process(server::admin_identity());
  parts->start_control("control");
  if (around.has_standby) parts->start_control("standby");
  return std::unique_ptr<PlatformProcess>(new PlatformProcess(std::move(parts)));
}

PlatformProcess::PlatformProcess(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

PlatformProcess::~PlatformProcess() = default;

store::Store& PlatformProcess::store() {
  return *parts_->store;
}

client::Api& PlatformProcess::tenant() {
  return *parts_->tenant;
}

void PlatformProcess::start_agent(Machine& machine) {
  Agent& agent = parts_->agents[machine.name];
  agent.connection = parts_->connect(server::agent_identity(), parts_->around.seams.agents);
  const auto& seam = parts_->around.seams.runtime;
  if (seam) agent.runtime = seam(machine);
  agent.agent = std::make_unique<agent::NodeAgent>(
      agent::NodeAgentOptions{.nodes = machine.nodes}, agent.connection.api(),
      client::House{parts_->around.house, parts_->around.clock, parts_->random},
      agent.runtime ? *agent.runtime : machine, parts_->files);
  agent.agent->start();
}

void PlatformProcess::stop_agent(const Machine& machine) {
  parts_->agents.erase(machine.name);
}

bool PlatformProcess::has_agent(const Machine& machine) const {
  return parts_->agents.contains(machine.name);
}

void PlatformProcess::stop_control(const std::string& who) {
  const auto control = parts_->controls.find(who);
  if (control == parts_->controls.end()) return;
  control->second.controllers.reset();
  control->second.fenced.reset();
  control->second.election.reset();
}

void PlatformProcess::start_control(const std::string& who) {
  if (parts_->controls.contains(who)) parts_->start_control(who);
}

bool PlatformProcess::is_heard_from(const std::string& who) const {
  const auto control = parts_->controls.find(who);
  return control != parts_->controls.end() &&
         control->second.connection.network->is_anything_on_its_way();
}

void PlatformProcess::slow(std::string_view machine, Span delay_max) {
  const auto agent = parts_->agents.find(machine);
  if (agent == parts_->agents.end()) return;
  Faults faults = parts_->faults;
  faults.delay_max = delay_max;
  agent->second.connection.network->set_faults(faults);
}

void PlatformProcess::set_faults(const Faults& faults) {
  parts_->faults = faults;
  for (auto& [who, control] : parts_->controls) control.connection.network->set_faults(faults);
  for (auto& [name, agent] : parts_->agents) agent.connection.network->set_faults(faults);
}

void PlatformProcess::cut(std::string_view who, Span span) {
  const MonotonicInstant until = parts_->around.clock.monotonic() + span;
  const auto control = parts_->controls.find(who);
  if (control != parts_->controls.end()) control->second.connection.network->cut(until);
  const auto agent = parts_->agents.find(who);
  if (agent != parts_->agents.end()) agent->second.connection.network->cut(until);
}

}  // namespace muster::simulator
