// SPDX-License-Identifier: Apache-2.0
#include "agent/shim_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <utility>

#include "agent/oci/run_text.h"
#include "objects/builder.h"
#include "objects/json.h"

namespace muster::agent {

namespace {

constexpr std::array<std::string_view, 3> sharing_names = {"none", "pod", "machine"};

using objects::Builder;
using objects::Node;
using objects::View;
using Phase = ContainerState::Phase;

constexpr std::array<std::string_view, 3> phase_names = {"waiting", "running", "exited"};
constexpr std::array<std::string_view, 3> role_names = {"main", "init", "sidecar"};
constexpr int signal_terminate = 15;

using Members = std::initializer_list<std::pair<std::string_view, Node>>;

Node object(Builder& builder, Members members) {
  std::vector<Node::Member> list;
  for (const auto& [key, value] : members) list.push_back({Builder::literal(key), value});
  return builder.object(list);
}

Node texts(Builder& builder, const std::vector<std::string>& list) {
  std::vector<Node> nodes;
  nodes.reserve(list.size());
  for (const std::string& text : list) nodes.push_back(builder.text(text));
  return builder.array(nodes);
}

std::vector<std::string> texts_of(View array) {
  std::vector<std::string> list;
  for (const View text : array.elements()) list.emplace_back(text.string_or(""));
  return list;
}

std::string text_of(View object, std::string_view key) {
  return std::string(object[key].string_or(""));
}

Node mounts_node(Builder& builder, const std::vector<Mount>& mounts) {
  std::vector<Node> nodes;
  nodes.reserve(mounts.size());
  for (const Mount& mount : mounts) {
    nodes.push_back(object(builder, {{"source", builder.text(mount.source)},
                                     {"target", builder.text(mount.target)},
                                     {"readOnly", Builder::boolean(mount.read_only)},
                                     {"below", builder.text(mount.below)}}));
  }
  return builder.array(nodes);
}

// An absent one is -1.
std::int64_t number_of(const std::optional<std::uint32_t>& id) {
  return id ? static_cast<std::int64_t>(*id) : -1;
}

std::optional<std::uint32_t> id_of(View number) {
  const std::int64_t id = number.integer_or(-1);
  if (id < 0 || id > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(id);
}

Node ids_node(Builder& builder, const std::vector<std::uint32_t>& ids) {
  std::vector<Node> nodes;
  nodes.reserve(ids.size());
  for (const std::uint32_t id : ids) nodes.push_back(Builder::integer(id));
  return builder.array(nodes);
}

Node container_node(Builder& builder, const ContainerSpec& container) {
  std::vector<Node> environment;
  for (const auto& [name, value] : container.environment) {
    environment.push_back(
        object(builder, {{"name", builder.text(name)}, {"value", builder.text(value)}}));
  }
  const auto role = static_cast<std::size_t>(container.role);
  return object(builder, {{"name", builder.text(container.name)},
                          {"image", builder.text(container.image)},
                          {"arguments", texts(builder, container.arguments)},
                          {"environment", builder.array(environment)},
                          {"workingFolder", builder.text(container.working_folder)},
                          {"mounts", mounts_node(builder, container.mounts)},
                          {"memoryBytesMax", Builder::integer(container.memory_bytes_max)},
                          {"stdin", Builder::boolean(container.has_input)},
                          {"stdinOnce", Builder::boolean(container.ends_input_once)},
                          {"tty", Builder::boolean(container.has_terminal)},
                          {"role", Builder::literal(role_names[role])},
                          {"held", Builder::boolean(container.is_held)},
                          {"stopSignal", Builder::integer(container.stop_signal)},
                          {"lastWordsPath", builder.text(container.last_words_path)},
                          {"lastWordsFromLog", Builder::boolean(container.last_words_from_log)},
                          {"user", Builder::integer(number_of(container.user))},
                          {"group", Builder::integer(number_of(container.group))},
                          {"groups", ids_node(builder, container.groups)},
                          {"readOnlyRoot", Builder::boolean(container.has_read_only_root)},
                          {"imageRun", image_run_node(builder, container.image_run)},
                          {"devices", devices_node(builder, container.devices)}});
}

ContainerSpec container_of(View view) {
  ContainerSpec container{.name = text_of(view, "name"), .image = text_of(view, "image")};
  container.arguments = texts_of(view["arguments"]);
  container.working_folder = view["workingFolder"].string_or("/");
  container.memory_bytes_max = view["memoryBytesMax"].integer_or(0);
  container.has_input = view["stdin"].boolean_or(false);
  container.ends_input_once = view["stdinOnce"].boolean_or(false);
  container.has_terminal = view["tty"].boolean_or(false);
  const auto* role = std::find(role_names.begin(), role_names.end(), view["role"].string_or(""));
  if (role != role_names.end()) {
    container.role = static_cast<ContainerRole>(role - role_names.begin());
  }
  container.is_held = view["held"].boolean_or(false);
  container.stop_signal = static_cast<int>(view["stopSignal"].integer_or(signal_terminate));
  container.last_words_path = text_of(view, "lastWordsPath");
  container.last_words_from_log = view["lastWordsFromLog"].boolean_or(false);
  container.user = id_of(view["user"]);
  container.group = id_of(view["group"]);
  for (const View each : view["groups"].elements()) {
    if (const auto id = id_of(each)) container.groups.push_back(*id);
  }
  container.has_read_only_root = view["readOnlyRoot"].boolean_or(false);
  container.image_run = image_run_of(view["imageRun"]);
  container.devices = devices_of(view["devices"]);
  for (const View entry : view["environment"].elements()) {
    container.environment.emplace_back(text_of(entry, "name"), text_of(entry, "value"));
  }
  for (const View mount : view["mounts"].elements()) {
    container.mounts.push_back({text_of(mount, "source"), text_of(mount, "target"),
                                mount["readOnly"].boolean_or(false), text_of(mount, "below")});
  }
  return container;
}

Node network_node(Builder& builder, const PodNetwork& network) {
  return object(builder, {{"bridge", builder.text(network.bridge)},
                          {"gateway", builder.text(network.gateway)},
                          {"prefix", Builder::integer(network.prefix)}});
}

Node state_node(Builder& builder, const ContainerState& state) {
  const auto phase = static_cast<std::size_t>(state.phase);
  return object(builder, {{"name", builder.text(state.name)},
                          {"phase", Builder::literal(phase_names[phase])},
                          {"reason", builder.text(state.reason)},
                          {"message", builder.text(state.message)},
                          {"started", Builder::integer(state.started.nanoseconds)},
                          {"finished", Builder::integer(state.finished.nanoseconds)},
                          {"exitCode", Builder::integer(state.exit_code)},
                          {"signal", Builder::integer(state.signal)},
                          {"attempt", Builder::integer(state.attempt)},
                          {"processId", Builder::integer(state.process_id)}});
}

ContainerState state_of(View view) {
  ContainerState state{.name = text_of(view, "name")};
  const auto* phase =
      std::find(phase_names.begin(), phase_names.end(), view["phase"].string_or(""));
  if (phase != phase_names.end()) state.phase = static_cast<Phase>(phase - phase_names.begin());
  state.reason = text_of(view, "reason");
  state.message = text_of(view, "message");
  state.started = {view["started"].integer_or(0)};
  state.finished = {view["finished"].integer_or(0)};
  state.exit_code = static_cast<int>(view["exitCode"].integer_or(0));
  state.signal = static_cast<int>(view["signal"].integer_or(0));
  state.attempt = static_cast<int>(view["attempt"].integer_or(0));
  state.process_id = view["processId"].integer_or(0);
  return state;
}

}  // namespace

bool ShimState::has_ended() const {
  return !pod.containers.empty() && std::all_of(pod.containers.begin(), pod.containers.end(),
                                                [this](const ContainerState& state) {
                                                  return state.phase == Phase::exited ||
                                                         (is_stopped && state.is_held());
                                                });
}

std::string to_json_text(const ShimSpec& spec) {
  Builder builder;
  const PodSpec& pod = spec.pod;
  std::vector<Node> containers;
  for (const ContainerSpec& container : pod.containers) {
    containers.push_back(container_node(builder, container));
  }
  const Node root = object(
      builder,
      {{"uid", builder.text(pod.uid)},
       {"namespace", builder.text(pod.name_space)},
       {"name", builder.text(pod.name)},
       {"node", builder.text(pod.node)},
       {"hostname", builder.text(pod.hostname)},
       {"address", builder.text(pod.address)},
       {"nameServer", builder.text(pod.name_server)},
       {"searchDomains", texts(builder, pod.search_domains)},
       {"hosts", builder.text(pod.hosts)},
       {"containers", builder.array(containers)},
       {"gang", builder.text(pod.gang)},
       {"gangMembers", Builder::integer(pod.gang_members)},
       {"isolation", Builder::literal(to_string(spec.isolation))},
       {"network", network_node(builder, spec.network)},
       {"ownIpc", Builder::boolean(spec.own_ipc)},
       {"processes", Builder::literal(sharing_names[static_cast<std::size_t>(spec.processes)])},
       {"hidden", texts(builder, spec.hidden)},
       {"logFileBytes", Builder::integer(static_cast<std::int64_t>(spec.log_limits.file_bytes))},
       {"logFiles", Builder::integer(spec.log_limits.files)},
       {"processesMax", Builder::integer(spec.processes_max)}});
  return objects::to_json(std::move(builder).finish(root));
}

Result<ShimSpec> parse_shim_spec(std::string_view text) {
  const objects::Value value = TRY(objects::parse_json(text, {.bytes_max = shim_file_bytes_max}));
  const auto isolation = isolation_from(value["isolation"].string_or(""));
  if (!isolation) return Error::invalid("must be full, user-namespace or none", "isolation");
  ShimSpec spec;
  spec.isolation = *isolation;
  PodSpec& pod = spec.pod;
  pod.uid = text_of(value, "uid");
  pod.name_space = text_of(value, "namespace");
  pod.name = text_of(value, "name");
  pod.node = text_of(value, "node");
  pod.hostname = text_of(value, "hostname");
  pod.address = text_of(value, "address");
  pod.name_server = text_of(value, "nameServer");
  pod.search_domains = texts_of(value["searchDomains"]);
  pod.hosts = text_of(value, "hosts");
  pod.gang = text_of(value, "gang");
  pod.gang_members = value["gangMembers"].integer_or(0);
  for (const View container : value["containers"].elements()) {
    pod.containers.push_back(container_of(container));
  }
  const View network = value["network"];
  spec.network.bridge = text_of(network, "bridge");
  spec.network.gateway = text_of(network, "gateway");
  spec.network.prefix = static_cast<int>(network["prefix"].integer_or(0));
  spec.own_ipc = value["ownIpc"].boolean_or(true);
  const auto sharing = std::ranges::find(sharing_names, value["processes"].string_or(""));
  if (sharing != sharing_names.end()) {
    spec.processes = static_cast<ProcessSharing>(sharing - sharing_names.begin());
  }
  spec.hidden = texts_of(value["hidden"]);
  spec.log_limits.file_bytes = static_cast<std::uint64_t>(value["logFileBytes"].integer_or(1));
  spec.log_limits.files = static_cast<int>(value["logFiles"].integer_or(1));
  spec.processes_max = value["processesMax"].integer_or(container_processes_max);
  return spec;
}

std::string to_json_text(const ShimState& state) {
  Builder builder;
  std::vector<Node> containers;
  for (const ContainerState& container : state.pod.containers) {
    containers.push_back(state_node(builder, container));
  }
  const auto ticks = static_cast<std::int64_t>(state.shim.start_ticks);
  const Node shim = object(
      builder, {{"id", Builder::integer(state.shim.id)}, {"startTicks", Builder::integer(ticks)}});
  const Node root = object(builder, {{"uid", builder.text(state.pod.uid)},
                                     {"shim", shim},
                                     {"stopped", Builder::boolean(state.is_stopped)},
                                     {"atGate", Builder::boolean(state.is_at_gate)},
                                     {"containers", builder.array(containers)}});
  return objects::to_json(std::move(builder).finish(root));
}

Result<ShimState> parse_shim_state(std::string_view text) {
  const objects::Value value = TRY(objects::parse_json(text, {.bytes_max = shim_file_bytes_max}));
  if (!value["containers"].is_array()) return Error::invalid("must be an array", "containers");
  ShimState state;
  state.shim.id = value["shim"]["id"].integer_or(0);
  state.shim.start_ticks = static_cast<std::uint64_t>(value["shim"]["startTicks"].integer_or(0));
  state.pod.uid = text_of(value, "uid");
  state.is_stopped = value["stopped"].boolean_or(false);
  state.is_at_gate = value["atGate"].boolean_or(false);
  for (const View container : value["containers"].elements()) {
    state.pod.containers.push_back(state_of(container));
  }
  return state;
}

std::string to_line(const ShimOrder& order) {
  switch (order.verb) {
    case ShimOrder::Verb::stop:
      return fmt::format("stop {}", order.grace.nanoseconds);
    case ShimOrder::Verb::run:
      return "restart " + order.container;
    case ShimOrder::Verb::end:
      return fmt::format("end {} {}", order.grace.nanoseconds, order.container);
    case ShimOrder::Verb::go:
      return "go";
    case ShimOrder::Verb::kill:
      return "kill";
  }
  check_failed("ShimOrder", __FILE__, __LINE__, "every order has its word");
}

std::optional<ShimOrder> parse_shim_order(std::string_view line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string_view verb = line.substr(0, space);
  const std::string_view rest = line.substr(std::min(space + 1, line.size()));
  if (verb == "kill" && rest.empty()) return ShimOrder{};
  if (verb == "go" && rest.empty()) return ShimOrder{.verb = ShimOrder::Verb::go};
  if (verb == "restart" && !rest.empty()) {
    return ShimOrder{.verb = ShimOrder::Verb::run, .container = std::string(rest)};
  }
  ShimOrder order{.verb = verb == "end" ? ShimOrder::Verb::end : ShimOrder::Verb::stop};
  const auto [end, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), order.grace.nanoseconds);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view after = rest.substr(static_cast<std::size_t>(end - rest.data()));
  if (verb == "stop" && after.empty()) return order;
  if (verb != "end" || after.size() < 2 || after.front() != ' ') return std::nullopt;
  order.container = after.substr(1);
  return order;
}

}  // namespace muster::agent
