// SPDX-License-Identifier: Apache-2.0
#include "main/node_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "agent/disk_volume_files.h"
#include "agent/host_runtime.h"
#include "agent/names/dns_server.h"
#include "agent/names/zone.h"
#include "agent/node_agent.h"
#include "agent/oci/find_devices.h"
#include "agent/oci/image_desk.h"
#include "agent/oci/image_fetch.h"
#include "agent/pod_network.h"
#include "agent/pretend_runtime.h"
#include "agent/services/service_traffic.h"
#include "base/os/command.h"
#include "base/os/control_group.h"
#include "base/os/detached_process.h"
#include "base/os/machine.h"
#include "cli/version.h"
#include "main/pod_log_streams.h"
#include "main/pod_streams.h"
#include "main/pod_usage.h"

namespace muster {

namespace {

using agent::NodeOptions;

// This machine as one node, where none was declared.
NodeOptions whole_machine(const Machine& machine, const std::vector<agent::Device>& devices) {
  NodeOptions node;
  node.name = agent::node_name_of(machine.host_name);
  node.capacity.emplace("cpu", Quantity::of(machine.processors));
  node.capacity.emplace("memory", Quantity::of(machine.memory_bytes, QuantityFormat::binary_si));
  std::map<std::string, std::int64_t> counts;
  for (const agent::Device& device : devices) ++counts[device.resource];
  for (const auto& [resource, count] : counts) {
    node.capacity.emplace(resource, Quantity::of(count));
  }
  return node;
}

agent::DeviceSources sources_of(const cli::Settings& settings) {
  agent::DeviceSources sources;
  sources.cdi_folders.insert(sources.cdi_folders.end(), settings.cdi_folders.begin(),
                             settings.cdi_folders.end());
  return sources;
}

agent::MachineFacts facts_of(const Machine& machine, const std::string& runtime) {
  return {.architecture = machine.architecture,
          .kernel_version = machine.kernel_version,
          .os_image = machine.os_image,
          .machine_id = machine.machine_id,
          .boot_id = machine.boot_id,
          .version = "v" + cli::version_number() + "+muster",
          .runtime = runtime + "://" + cli::version_number()};
}

// Programs beside this one (muster-trainer) are found as those of the machine are.
std::string search_path() {
  constexpr std::string_view usual = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  const auto program = own_program();
  if (!program) return std::string(usual);
  return fmt::format("{}:{}", usual, program->substr(0, program->rfind('/')));
}

// Why images of the store cannot be run here; empty: they can.
std::string cannot_run_images(Isolation isolation) {
  if (isolation != Isolation::full) {
    return "this image can only be run with the rights of root, which Muster does not have";
  }
  if (find_program("runc")) return {};
  return agent::missing_program("runc", "to run containers from images").message;
}

}  // namespace

Result<NodeGround> find_node_ground(const std::string& data, const cli::Settings& settings) {
  const std::vector<NodeOptions> nodes = TRY(agent::parse_node_options(settings.nodes));
  const bool all_pretend =
      !nodes.empty() && std::all_of(nodes.begin(), nodes.end(),
                                    [](const NodeOptions& node) { return node.is_pretended; });
  if (all_pretend) return NodeGround{};
  NodeGround ground{.isolation = probe_isolation()};
  ground.network = agent::choose_pod_network(data, ground.isolation);
  return ground;
}

struct NodeGroups::Parts {
  explicit Parts(NodeGroupsOptions options_in)
      : options(std::move(options_in)),
        no_files(options.house.executor),
        files(options.disk, options.house.executor) {}

  // The address that pods ask, or none where nobody can listen: hosts files know the gang anyway.
  std::string open_names(const std::string& gateway);
  void make_host(std::vector<NodeOptions> nodes, const Machine& machine,
                 const std::vector<agent::Device>& devices);
  void make_pretended(std::vector<NodeOptions> nodes, const Machine& machine);

  NodeGroupsOptions options;
  agent::NoVolumeFiles no_files;
  agent::DiskVolumeFiles files;
  agent::Zone zone;
  std::unique_ptr<agent::DnsServer> names;
  std::unique_ptr<agent::ServiceTraffic> services;
  std::unique_ptr<agent::ImageDesk> images;
  std::unique_ptr<agent::HostRuntime> host;
  std::unique_ptr<agent::PretendRuntime> pretend;
  std::vector<std::unique_ptr<agent::NodeAgent>> agents;
  PodLogStreams logs;
  PodAgentStreams streams{logs, options.house.executor};
  PodUsage usage;
  agent::KnownRanges ranges;
};

std::string NodeGroups::Parts::open_names(const std::string& gateway) {
  constexpr std::uint16_t dns_port = 53;
  names = std::make_unique<agent::DnsServer>(options.machine, options.house.executor, zone);
  const auto listening = names->listen(gateway, dns_port);
  if (listening) return gateway;
  options.log.warning("no name server",
                      {{"address", gateway}, {"error", listening.error().message}});
  names.reset();
  return {};
}

void NodeGroups::Parts::make_host(std::vector<NodeOptions> nodes, const Machine& machine,
                                  const std::vector<agent::Device>& devices) {
  const agent::PodNetwork& network = *options.ground.network;
  for (NodeOptions& node : nodes) {
    if (node.address.empty()) node.address = network.gateway;
  }
  agent::HostOptions host_options{.pods_folder = options.data + "/pods",
                                  .images = options.settings.host_images,
                                  .isolation = options.ground.isolation,
                                  .network = network,
                                  .hidden = {options.data}};
  host_options.devices = agent::share_devices(nodes, devices);
  if (!options.settings.kubeconfig.empty()) {
    host_options.hidden.push_back(options.settings.kubeconfig);
  }
  hand_controllers_down();
  options.log.info("isolation", {{"what", agent::describe_isolation(host_options)}});
  host = std::make_unique<agent::HostRuntime>(options.house.executor, options.machine,
                                              std::move(host_options), options.log);
  images = std::make_unique<agent::ImageDesk>(
      options.house.executor, options.machine,
      agent::ImageDeskOptions{.data = options.data,
                              .host_images = options.settings.host_images,
                              .cannot_run = cannot_run_images(options.ground.isolation)});
  agents.push_back(std::make_unique<agent::NodeAgent>(
      agent::NodeAgentOptions{
          .nodes = std::move(nodes),
          .machine = facts_of(machine, "host"),
          // Pods that share this machine's network ask whom it asks.
          .pods = {.name_server = network.has_bridge() ? open_names(network.gateway) : "",
                   .pods_folder = options.data + "/pods",
                   .host_paths = options.settings.host_paths,
                   .search_path = search_path()},
          .runtime_name = "host",
          .images = images.get(),
          .claims_folder = options.data + "/claims"},
      options.api, options.house, *host, files));
  services = std::make_unique<agent::ServiceTraffic>(
      options.house.executor, options.traffic,
      agent::ServiceTableOptions{
          .network = network.cidr, .services = network.services, .node_address = network.gateway},
      options.log.child("services"));
  agents.back()->follow([this](const client::CacheChange& change) {
    zone.apply(change);
    services->apply(change);
  });
  logs.add(std::make_unique<agent::NodeLogs>(*agents.back(), options.disk, options.house,
                                             options.data + "/pods"));
  streams.add(std::make_unique<agent::NodeStreams>(*agents.back(), options.house.executor,
                                                   &options.machine, options.data + "/pods"));
  usage.add(std::make_unique<agent::NodeUsage>(*agents.back(), options.disk, options.house,
                                               options.settings.nodes.empty()
                                                   ? agent::NodeUsage::Extent::of_machine
                                                   : agent::NodeUsage::Extent::of_pods));
}

void NodeGroups::Parts::make_pretended(std::vector<NodeOptions> nodes, const Machine& machine) {
  pretend = std::make_unique<agent::PretendRuntime>(options.house.executor, options.house.clock);
  agents.push_back(std::make_unique<agent::NodeAgent>(
      agent::NodeAgentOptions{.nodes = std::move(nodes),
                              .machine = facts_of(machine, "pretend"),
                              .pods = {},
                              .runtime_name = "pretend",
                              .claims_folder = host ? "" : options.data + "/claims"},
      options.api, options.house, *pretend, no_files));
  logs.add(
      std::make_unique<agent::NodeLogs>(*agents.back(), options.disk, options.house, *pretend));
  streams.add(std::make_unique<agent::NodeStreams>(*agents.back(), options.house.executor, nullptr,
                                                   std::string()));
}

Result<std::unique_ptr<NodeGroups>> NodeGroups::make(NodeGroupsOptions options) {
  const Machine machine = this_machine();
  std::vector<NodeOptions> host;
  std::vector<NodeOptions> pretended;
  for (NodeOptions& node : TRY(agent::parse_node_options(options.settings.nodes))) {
    (node.is_pretended ? pretended : host).push_back(std::move(node));
  }
  const std::vector<agent::Device> devices =
      agent::find_devices(sources_of(options.settings), options.log);
  if (host.empty() && pretended.empty()) host.push_back(whole_machine(machine, devices));
  if (options.ground.network) {
    const auto supply = agent::host_ranges(options.ground.network->cidr);
    TRY(agent::give_node_ranges(host, options.known_ranges, supply));
  }
  TRY(agent::give_node_ranges(pretended, options.known_ranges, agent::pretended_ranges()));
  auto parts = std::make_unique<Parts>(std::move(options));
  for (const auto* group : {&host, &pretended}) {
    for (const NodeOptions& node : *group) parts->ranges.emplace(node.name, node.pod_cidr);
  }
  if (!host.empty()) parts->make_host(std::move(host), machine, devices);
  if (!pretended.empty()) parts->make_pretended(std::move(pretended), machine);
  return std::unique_ptr<NodeGroups>(new NodeGroups(std::move(parts)));
}

NodeGroups::NodeGroups(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

NodeGroups::~NodeGroups() = default;

void NodeGroups::start() {
  for (const auto& each : parts_->agents) each->start();
  parts_->usage.start();
}

void NodeGroups::stop() {
  parts_->logs.clear();
  parts_->streams.clear();
  parts_->usage.clear();
  parts_->agents.clear();
}

server::PodLogs& NodeGroups::logs() {
  return parts_->logs;
}

server::PodStreams& NodeGroups::streams() {
  return parts_->streams;
}

const server::UsageSource& NodeGroups::usage() const {
  return parts_->usage;
}

const agent::KnownRanges& NodeGroups::ranges() const {
  return parts_->ranges;
}

bool NodeGroups::are_ready() const {
  for (const auto& each : parts_->agents) {
    if (!each->is_ready()) return false;
  }
  return true;
}

}  // namespace muster
