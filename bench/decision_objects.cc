// SPDX-License-Identifier: Apache-2.0
#include "bench/decision_objects.h"

#include <fmt/format.h>

#include <functional>

#include "objects/json.h"

namespace muster::bench {

using objects::Value;

namespace {

constexpr std::string_view kueue = "kueue.x-k8s.io/v1beta2";

Value json(const std::string& text) {
  return objects::parse_json(text).must();
}

std::string uid_of(std::string_view name) {
  const std::uint64_t high = std::hash<std::string_view>()(name) * 0x9E3779B97F4A7C15ULL;
  const std::uint64_t low = high * 0xD1B54A32D192ED03ULL;
  return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xfff, low >> 52, low & 0xffffffffffff);
}

}  // namespace

Value namespace_object(std::string_view name) {
  return json(fmt::format(
      R"({{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{}","uid":"ns"}}}})", name));
}

Value flavor_object(std::string_view topology) {
  const std::string spec =
      topology.empty()
          ? "{}"
          : fmt::format(R"({{"nodeLabels":{{"pool":"tas"}},"topologyName":"{}"}})", topology);
  return json(fmt::format(R"({{"apiVersion":"{}","kind":"ResourceFlavor",)"
                          R"("metadata":{{"name":"default","uid":"rf"}},"spec":{}}})",
                          kueue, spec));
}

Value cluster_queue_object(std::string_view name, const Queue& queue) {
  const std::string limit =
      queue.borrowing.empty() ? "" : fmt::format(R"(,"borrowingLimit":"{}")", queue.borrowing);
  const std::string cohort =
      queue.cohort.empty() ? "" : fmt::format(R"("cohortName":"{}",)", queue.cohort);
  return json(fmt::format(
      R"({{"apiVersion":"{}","kind":"ClusterQueue","metadata":{{"name":"{}","uid":"cq-{}"}},)"
      R"("spec":{{{}"namespaceSelector":{{}},"preemption":{{"withinClusterQueue":"{}",)"
      R"("reclaimWithinCohort":"{}"}},"resourceGroups":[{{"coveredResources":["{}"],"flavors":)"
      R"([{{"name":"default","resources":[{{"name":"{}","nominalQuota":"{}"{}}}]}}]}}]}}}})",
      kueue, name, name, cohort, queue.within, queue.reclaim, queue.resource, queue.resource,
      queue.nominal, limit));
}

Value local_queue_object(std::string_view name, std::string_view name_space) {
  return json(fmt::format(R"({{"apiVersion":"{}","kind":"LocalQueue","metadata":)"
                          R"({{"name":"{}","namespace":"{}","uid":"lq-{}"}},)"
                          R"("spec":{{"clusterQueue":"{}"}}}})",
                          kueue, name, name_space, name, name));
}

Value gang_object(std::string_view name, const Gang& gang) {
  const std::string topology =
      gang.topology.empty() ? "" : fmt::format(R"("topologyRequest":{{{}}},)", gang.topology);
  const std::int64_t seconds = gang.created.nanoseconds / 1'000'000'000;
  return json(fmt::format(
      R"({{"apiVersion":"{}","kind":"Workload","metadata":{{"name":"{}","namespace":"{}",)"
      R"("uid":"{}","creationTimestamp":"2025-01-01T{:02}:{:02}:{:02}Z"}},)"
      R"("spec":{{"queueName":"{}","active":true,"priority":{},"podSets":[{{"name":"main",)"
      R"("count":{},{}"template":{{"spec":{{{}"containers":[{{"name":"c","resources":)"
      R"({{"requests":{{{}}}}}}}]}}}}}}]}}}})",
      kueue, name, gang.name_space, uid_of(name), 12 + seconds / 3600, seconds / 60 % 60,
      seconds % 60, gang.queue, gang.priority, gang.pods, topology, gang.node_selector,
      gang.requests));
}

Value topology_object() {
  return json(fmt::format(R"({{"apiVersion":"{}","kind":"Topology","metadata":{{"name":"t",)"
                          R"("uid":"t"}},"spec":{{"levels":[{{"nodeLabel":"block"}},)"
                          R"({{"nodeLabel":"rack"}},{{"nodeLabel":"kubernetes.io/hostname"}}]}}}})",
                          kueue));
}

Value node_object(std::string_view name, int block, int rack, std::string_view allocatable,
                  std::string_view labels) {
  return json(fmt::format(
      R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{}","uid":"{}","labels":)"
      R"({{"pool":"tas","block":"b{}","rack":"r{:04}","kubernetes.io/hostname":"{}"{}}}}},)"
      R"("spec":{{}},"status":{{"allocatable":{{"pods":"110",{}}},)"
      R"("conditions":[{{"type":"Ready","status":"True"}}]}}}})",
      name, name, block, rack, name, labels, allocatable));
}

}  // namespace muster::bench
