// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/requests.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "objects/json.h"

namespace muster::simulator {

using client::Call;
using client::Verb;
using objects::Resource;

namespace resources = objects::resources;

namespace {

// A member of an object, with the comma in front of it; nothing where the line does not say it.
std::string member(const Line& line, std::string_view argument, std::string_view name) {
  const std::string& text = line.text(argument);
  return text.empty() ? "" : fmt::format(R"(,"{}":"{}")", name, text);
}

std::string flavors_of(const Line& line) {
  const std::string limits =
      member(line, "borrow", "borrowingLimit") + member(line, "lend", "lendingLimit");
  std::string flavors;
  for (const std::string_view name : {"default", "spot"}) {
    if (line.text(name).empty()) continue;
    flavors +=
        fmt::format(R"({}{{"name":"{}","resources":[{{"name":"cpu","nominalQuota":"{}"{}}}]}})",
                    flavors.empty() ? "" : ",", name, line.text(name), limits);
  }
  return flavors;
}

std::string groups_of(const Line& line) {
  const std::string flavors = flavors_of(line);
  if (flavors.empty()) return "";
  return fmt::format(R"(,"resourceGroups":[{{"coveredResources":["cpu"],"flavors":[{}]}}])",
                     flavors);
}

std::string preemption_of(const Line& line) {
  std::string members =
      member(line, "within", "withinClusterQueue") + member(line, "reclaim", "reclaimWithinCohort");
  if (!line.text("borrow-within").empty()) {
    members +=
        fmt::format(R"(,"borrowWithinCohort":{{"policy":"{}"}})", line.text("borrow-within"));
  }
  return members.empty() ? "" : fmt::format(R"(,"preemption":{{{}}})", members.substr(1));
}

Call queue(const Line& line) {
  std::string extra = groups_of(line) + preemption_of(line) + member(line, "cohort", "cohortName");
  if (!line.text("check").empty()) {
    extra += fmt::format(R"(,"admissionChecksStrategy":{{"admissionChecks":[{{"name":"{}"}}]}})",
                         line.text("check"));
  }
  if (!line.text("weight").empty()) {
    extra += fmt::format(R"(,"fairSharing":{{"weight":"{}"}})", line.text("weight"));
  }
  return creation(resources::cluster_queues, "",
                  fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"namespaceSelector":{{}},
                      "queueingStrategy":"{}"{}}}}})",
                              line.text("name"), line.text("strategy"), extra));
}

Call cohort(const Line& line) {
  const std::string members = groups_of(line) + member(line, "parent", "parentName");
  return creation(resources::cohorts, "",
                  fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{{}}}}})", line.text("name"),
                              members.empty() ? "" : members.substr(1)));
}

// Sets the quota of the first flavor, as an administrator's JSON patch does.
Call quota(const Line& line) {
  Call call{.verb = Verb::patch, .resource = resources::cluster_queues};
  call.name = line.text("name");
  call.patch_type = objects::PatchType::json;
  call.body = objects::parse_json(fmt::format(R"([{{"op":"replace","value":"{}","path":
                      "/spec/resourceGroups/0/flavors/0/resources/0/nominalQuota"}}])",
                                              line.text("default")))
                  .must();
  return call;
}

}  // namespace

Call creation(const Resource& resource, const std::string& name_space, const std::string& text) {
  Call call{.verb = Verb::create, .resource = resource};
  call.name_space = name_space;
  call.body = objects::parse_json(text).must();
  return call;
}

std::string pretend_annotations(const Line& line) {
  return fmt::format(
      R"("muster.dev/pretend-run-seconds":"{:.3f}","muster.dev/pretend-exit-code":"{}",
         "muster.dev/pretend-ignores-sigterm":"{}")",
      static_cast<double>(line.number("run")) / 1'000, line.number("exit"),
      line.text("ignores-sigterm").empty() ? "false" : "true");
}

std::string pod_spec_of(const Line& line) {
  std::string extra;
  if (!line.text("tier").empty()) {
    extra += fmt::format(R"(,"nodeSelector":{{"tier":"{}"}})", line.text("tier"));
  }
  if (!line.text("tolerates").empty()) {
    extra += fmt::format(R"(,"tolerations":[{{"key":"{}","operator":"Exists"}}])",
                         line.text("tolerates"));
  }
  if (!line.text("node").empty()) {
    extra += fmt::format(R"(,"nodeName":"{}")", line.text("node"));
  }
  return fmt::format(
      R"({{"restartPolicy":"Never","terminationGracePeriodSeconds":3,"containers":[{{"name":"main",
          "image":"trainer","resources":{{"requests":{{"cpu":"{}"}}}}}}]{}}})",
      line.text("cpu"), extra);
}

namespace {

Call submit(const Line& line) {
  std::string labels = fmt::format(R"("kueue.x-k8s.io/queue-name":"{}")", line.text("queue"));
  if (!line.text("priority").empty()) {
    labels += fmt::format(R"(,"kueue.x-k8s.io/priority-class":"{}")", line.text("priority"));
  }
  std::string extra;
  if (!line.text("ttl").empty()) {
    extra += fmt::format(R"("ttlSecondsAfterFinished":{},)", line.text("ttl"));
  }
  if (!line.text("backoff").empty()) {
    extra += fmt::format(R"("backoffLimit":{},)", line.text("backoff"));
  }
  const std::string annotations =
      pretend_annotations(line) +
      member(line, "required", "kueue.x-k8s.io/podset-required-topology") +
      member(line, "preferred", "kueue.x-k8s.io/podset-preferred-topology");
  return creation(
      resources::jobs, line.text("namespace"),
      fmt::format(R"({{"metadata":{{"name":"{}","labels":{{{}}}}},"spec":{{{}"completionMode":"{}",
                      "completions":{},"parallelism":{},"template":{{"metadata":{{"annotations":{{
                      {}}}}},"spec":{}}}}}}})",
                  line.text("name"), labels, extra,
                  line.text("indexed") == "no" ? "NonIndexed" : "Indexed", line.number("pods"),
                  line.number("pods"), annotations, pod_spec_of(line)));
}

}  // namespace

Call removal_of(const Resource& resource, const objects::ObjectKey& key) {
  Call call{.verb = Verb::remove, .resource = resource};
  call.name_space = key.name_space;
  call.name = key.name;
  return call;
}

std::optional<Call> request_of(const Line& line) {
  const std::string& verb = line.verb;
  const std::string& name = line.text("name");
  if (verb == "submit") return submit(line);
  if (verb == "queue" || verb == "queue-again") return queue(line);
  if (verb == "cohort") return cohort(line);
  if (verb == "quota") return quota(line);
  if (verb == "delete-namespace") return removal_of(resources::namespaces, {"", name});
  if (verb == "delete-job") return removal_of(resources::jobs, {line.text("namespace"), name});
  if (verb == "namespace") {
    return creation(resources::namespaces, "",
                    fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name));
  }
  if (verb == "flavor") {
    const std::string labels = member(line, "tier", "tier") + member(line, "pool", "pool");
    return creation(
        resources::resource_flavors, "",
        fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"nodeLabels":{{{}}}{}}}}})", name,
                    labels.empty() ? "" : labels.substr(1),
                    member(line, "topology", "topologyName")));
  }
  if (verb == "priority") {
    return creation(resources::workload_priority_classes, "",
                    fmt::format(R"({{"metadata":{{"name":"{}"}},"value":{},"description":""}})",
                                name, line.text("value")));
  }
  if (verb == "local-queue") {
    return creation(resources::local_queues, line.text("namespace"),
                    fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"clusterQueue":"{}"}}}})",
                                name, line.text("cluster-queue")));
  }
  return room_request_of(line);
}

std::vector<agent::NodeOptions> nodes_of(const Line& line, std::size_t number) {
  std::vector<agent::NodeOptions> nodes;
  for (std::int64_t i = 0; i < line.number("nodes"); ++i) {
    agent::NodeOptions node;
    node.name = fmt::format("{}-n{}", line.text("name"), i);
    node.capacity.emplace("cpu", Quantity::of(line.number("cpu")));
    node.capacity.emplace("memory", Quantity::of(std::int64_t{64} << 30));
    if (!line.text("tier").empty()) node.labels.emplace("tier", line.text("tier"));
    if (!line.text("pool").empty()) {
      node.labels.emplace("pool", line.text("pool"));
      node.labels.emplace("rack", line.text("name"));
    }
    if (!line.text("taint").empty()) node.taints.push_back({line.text("taint"), "", "NoSchedule"});
    node.pod_cidr = fmt::format("10.{}.{}.0/24", 64 + number, i);
    node.address = fmt::format("192.0.2.{}", 10 * number + static_cast<std::size_t>(i) + 1);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace muster::simulator
