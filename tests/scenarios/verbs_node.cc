// Verbs on pods as their node sees them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "agent/gang.h"
#include "agent/pod_status.h"
#include "agent/service_variables.h"
#include "agent/start_plan.h"
#include "base/timestamp.h"
#include "objects/builder.h"
#include "objects/metadata.h"
#include "tests/scenarios/edit_text.h"
#include "tests/scenarios/scenario.h"

namespace muster::scenarios {

namespace {

using agent::ContainerState;
using objects::Builder;
using objects::Node;
using objects::Value;
using objects::View;

Node texts(Builder& builder, const std::vector<std::string>& lines) {
  std::vector<Node> nodes;
  for (const std::string& line : lines) nodes.push_back(builder.text(line));
  return builder.array(nodes);
}

Node container_node(Builder& builder, const agent::ContainerSpec& container) {
  std::vector<Node::Member> environment;
  for (const auto& [name, value] : container.environment) {
    if (name != "HOSTNAME") environment.push_back({builder.text(name), builder.text(value)});
  }
  std::vector<Node::Member> members = {{builder.text("name"), builder.text(container.name)}};
  if (!environment.empty()) {
    members.push_back({builder.text("environment"), builder.object(environment)});
  }
  if (!container.arguments.empty()) {
    members.push_back({builder.text("arguments"), texts(builder, container.arguments)});
  }
  if (!container.mounts.empty()) {
    std::vector<std::string> mounts;
    for (const agent::Mount& mount : container.mounts) {
      mounts.push_back(fmt::format("{}{}{} at {}{}", mount.source, mount.below.empty() ? "" : "/",
                                   mount.below, mount.target,
                                   mount.read_only ? ", read only" : ""));
    }
    members.push_back({builder.text("mounts"), texts(builder, mounts)});
  }
  return builder.object(members);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// Only what the scenario wants to see: `show: [containers, files, hosts, search]`.
Value plan_value(const agent::StartPlan& plan, View show) {
  Builder builder;
  std::vector<Node::Member> members;
  for (View each : show.elements()) {
    const std::string_view part = each.string_or("");
    if (part == "containers") {
      std::vector<Node> containers;
      for (const auto& container : plan.spec.containers) {
        containers.push_back(container_node(builder, container));
      }
      members.push_back({builder.text(part), builder.array(containers)});
    } else if (part == "files") {
      std::vector<Node::Member> files;
      for (const agent::VolumeContents& volume : plan.volumes) {
        for (const agent::VolumeFile& file : volume.files) {
          files.push_back({builder.text(volume.folder + "/" + file.path),
                           builder.text(fmt::format("{:04o} {}", file.mode, file.bytes))});
        }
      }
      members.push_back({builder.text(part), builder.object(files)});
    } else if (part == "hosts") {
      members.push_back({builder.text(part), texts(builder, lines_of(plan.spec.hosts))});
    } else if (part == "search") {
      members.push_back({builder.text(part), texts(builder, plan.spec.search_domains)});
    } else if (part == "order") {
      std::vector<std::string> lines;
      for (const auto& container : plan.spec.containers) {
        constexpr std::array<std::string_view, 3> roles = {"main", "init", "sidecar"};
        lines.push_back(fmt::format("{} {}{}", container.name,
                                    roles[static_cast<std::size_t>(container.role)],
                                    container.is_held ? " held" : ""));
      }
      members.push_back({builder.text(part), texts(builder, lines)});
    } else if (part == "hostname") {
      members.push_back({builder.text(part), builder.text(plan.spec.hostname)});
    }
  }
  const Node node = builder.object(members);
  return std::move(builder).finish(node);
}

// given: {pod, node, configMaps, secrets, claims, volumes, hostPaths, tokens, services, kubernetes,
// members, show}. The answer:
// what the runtime is told, or why it is told nothing.
Result<Value> start_pod(const Value& scenario) {
  const View given = scenario["given"];
  const std::string_view option = given["node"].string_or("name=n1,cpu=8,memory=16Gi");
  agent::NodeOptions node = TRY(agent::parse_node_option(option));
  node.address = "192.0.2.1";
  const Value pod = scenario.part(given["pod"]);
  agent::Surroundings surroundings{.node = node, .address = std::string(agent::address_of(pod))};
  for (const auto& [name, map] : given["configMaps"].members()) {
    surroundings.config_maps.emplace(std::string(name), scenario.part(map));
  }
  for (const auto& [name, secret] : given["secrets"].members()) {
    surroundings.secrets.emplace(std::string(name), scenario.part(secret));
  }
  for (const auto& [name, claim] : given["claims"].members()) {
    surroundings.claims.emplace(std::string(name), scenario.part(claim));
  }
  for (const auto& [name, volume] : given["volumes"].members()) {
    surroundings.volumes.emplace(std::string(name), scenario.part(volume));
  }
  for (View path : given["hostPaths"].elements()) {
    surroundings.host_paths.emplace_back(path.string_or(""));
  }
  for (View token : given["tokens"].elements()) {
    surroundings.tokens.emplace(agent::token_wish_of(token), token["token"].string_or(""));
  }
  surroundings.services = agent::service_variables(pod, list_in(scenario, "services"),
                                                   scenario.part(given["kubernetes"]));
  const std::vector<Value> members = list_in(scenario, "members");
  const auto plan = agent::plan_start(pod, surroundings, members,
                                      {.name_server = "10.64.0.1", .pods_folder = "/pods"});
  if (const auto* refusal = std::get_if<agent::StartRefusal>(&plan)) {
    return Value::object({{"refused", Value::string(refusal->reason)},
                          {"message", Value::string(refusal->message)}});
  }
  return plan_value(std::get<agent::StartPlan>(plan), given["show"]);
}

ContainerState state_of(View given) {
  const std::string_view phase = given["phase"].string_or("");
  ContainerState state{.name = std::string(given["name"].string_or("main")),
                       .reason = std::string(given["reason"].string_or("")),
                       .message = std::string(given["message"].string_or("")),
                       .started = objects::instant_of(given["started"]).value_or(Instant{}),
                       .finished = objects::instant_of(given["finished"]).value_or(Instant{}),
                       .exit_code = static_cast<int>(given["exitCode"].integer_or(0)),
                       .attempt = static_cast<int>(given["attempt"].integer_or(0))};
  if (phase == "running") state.phase = ContainerState::Phase::running;
  if (phase == "exited") state.phase = ContainerState::Phase::exited;
  return state;
}

// given: {pod, now, containers, waiting, over, unstarted, unready}. The answer: the status without
// its conditions' times.
Result<Value> pod_status(const Value& scenario) {
  const View given = scenario["given"];
  const Value pod = scenario.part(given["pod"]);
  agent::PodObservation observation;
  observation.now = TRY(now_of(scenario));
  observation.started = observation.now;
  if (const View containers = given["containers"]) {
    observation.state.emplace();
    for (View each : containers.elements()) {
      observation.state->containers.push_back(state_of(each));
    }
  }
  for (View each : given["unstarted"].elements()) {
    observation.unstarted.emplace(each.string_or(""));
  }
  for (View each : given["unready"].elements()) observation.unready.emplace(each.string_or(""));
  observation.is_over = given["over"].boolean_or(false);
  observation.waiting.message = given["waiting"].string_or("");
  const Value next = agent::pod_with_status(pod, observation);
  Builder builder;
  builder.retain(next);
  std::vector<Node::Member> members;
  for (const auto& [key, value] : next["status"].members()) {
    if (key != "conditions") members.push_back({builder.text(key), value.node()});
  }
  std::vector<Node::Member> conditions;
  for (View each : next["status"]["conditions"].elements()) {
    conditions.push_back({builder.text(each["type"].string_or("")),
                          builder.text(fmt::format("{} {}", each["status"].string_or(""),
                                                   each["reason"].string_or("-")))});
  }
  members.push_back({builder.text("conditions"), builder.object(conditions)});
  const Node node = builder.object(members);
  return std::move(builder).finish(node);
}

constexpr NamedVerb verbs[] = {{"pod_status", pod_status}, {"start_pod", start_pod}};

}  // namespace

std::span<const NamedVerb> node_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
