// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/made_objects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "objects/builder.h"
#include "objects/convert_kueue_topology.h"
#include "objects/json.h"

namespace muster::core::made {

namespace resources = objects::resources;

namespace {

objects::Value json(const std::string& text) {
  return objects::parse_json(text).must();
}

std::string minute(std::int64_t minute) {
  return fmt::format("2025-01-01T00:{:02}:00Z", minute);
}

std::string conditions(Life life) {
  constexpr std::string_view one =
      R"({{"type":"{}","status":"True","reason":"{}","message":"","lastTransitionTime":"{}"}})";
  std::vector<std::string> list{fmt::format(one, "QuotaReserved", "QuotaReserved", minute(50)),
                                fmt::format(one, "Admitted", "Admitted", minute(50))};
  if (life == Life::evicted) list.push_back(fmt::format(one, "Evicted", "Preempted", minute(51)));
  if (life == Life::finished) list.push_back(fmt::format(one, "Finished", "Succeeded", minute(51)));
  return fmt::format("{}", fmt::join(list, ","));
}

std::string topology(const WorkloadOptions& options) {
  if (options.domains.empty()) return "";
  std::vector<std::string> domains;
  for (const auto& [node, count] : options.domains) {
    domains.push_back(fmt::format(R"({{"values":["{}"],"count":{}}})", node, count));
  }
  const objects::Value plain = json(fmt::format(
      R"({{"levels":["kubernetes.io/hostname"],"domains":[{}]}})", fmt::join(domains, ",")));
  objects::Builder builder;
  const objects::Node packed = objects::pack_topology_assignment(builder, plain).must();
  return R"(,"topologyAssignment":)" + objects::to_json(objects::View(&packed));
}

std::string status(const WorkloadOptions& options) {
  const std::string reclaimable =
      options.reclaimable == 0 ? ""
                               : fmt::format(R"("reclaimablePods":[{{"name":"main","count":{}}}],)",
                                             options.reclaimable);
  if (options.life == Life::pending) return fmt::format(R"({{{}"conditions":[]}})", reclaimable);
  return fmt::format(
      R"({{{}"conditions":[{}],"admission":{{"clusterQueue":"{}","podSetAssignments":[
         {{"name":"main","count":{},"flavors":{{"nvidia.com/gpu":"{}"}},
           "resourceUsage":{{"nvidia.com/gpu":"{}"}}{}}}]}}}})",
      reclaimable, conditions(options.life), options.cluster_queue, options.pods, options.flavor,
      options.pods * options.gpus_each, topology(options));
}

}  // namespace

Made name_space(std::string_view name) {
  return {resources::namespaces,
          json(fmt::format(R"({{"metadata":{{"name":"{}","uid":"u"}}}})", name))};
}

Made flavor(std::string_view name, std::string_view uid) {
  return {resources::resource_flavors,
          json(fmt::format(R"({{"metadata":{{"name":"{}","uid":"{}"}},"spec":{{}}}})", name, uid))};
}

namespace {

std::string quota_text(std::int64_t gpus, std::int64_t borrowing_limit,
                       std::int64_t lending_limit) {
  std::string text = fmt::format(R"({{"name":"nvidia.com/gpu","nominalQuota":"{}")", gpus);
  if (borrowing_limit >= 0) text += fmt::format(R"(,"borrowingLimit":"{}")", borrowing_limit);
  if (lending_limit >= 0) text += fmt::format(R"(,"lendingLimit":"{}")", lending_limit);
  return text + "}";
}

}  // namespace

Made cluster_queue(std::string_view name, const QueueOptions& options) {
  std::vector<std::string> flavors;
  for (const std::string& each : options.flavors) {
    flavors.push_back(
        fmt::format(R"({{"name":"{}","resources":[{}]}})", each,
                    quota_text(options.gpus, options.borrowing_limit, options.lending_limit)));
  }
  return {resources::cluster_queues,
          json(fmt::format(
              R"({{"metadata":{{"name":"{}","uid":"{}"}},"spec":{{"namespaceSelector":{{}},
                 "cohortName":"{}","queueingStrategy":"{}","stopPolicy":"{}","resourceGroups":[
                 {{"coveredResources":["nvidia.com/gpu"],"flavors":[{}]}}]}}}})",
              name, options.uid, options.cohort, options.strict ? "StrictFIFO" : "BestEffortFIFO",
              options.stopped ? "Hold" : "None", fmt::join(flavors, ",")))};
}

Made cohort(std::string_view name, const CohortOptions& options) {
  std::string groups;
  if (options.gpus >= 0) {
    groups = fmt::format(
        R"({{"coveredResources":["nvidia.com/gpu"],
            "flavors":[{{"name":"default","resources":[{}]}}]}})",
        quota_text(options.gpus, options.borrowing_limit, options.lending_limit));
  }
  return {resources::cohorts,
          json(fmt::format(R"({{"metadata":{{"name":"{}","uid":"{}"}},"spec":{{"parentName":"{}",
                              "resourceGroups":[{}]}}}})",
                           name, options.uid, options.parent, groups))};
}

Made local_queue(std::string_view name, std::string_view cluster_queue, std::string_view uid) {
  return {resources::local_queues,
          json(fmt::format(R"({{"metadata":{{"name":"{}","namespace":"a","uid":"{}"}},
                              "spec":{{"clusterQueue":"{}"}}}})",
                           name, uid, cluster_queue))};
}

Made node(std::string_view name, const NodeOptions& options) {
  return {
      resources::nodes,
      json(fmt::format(
          R"({{"metadata":{{"name":"{0}","uid":"{1}","labels":{{"kubernetes.io/hostname":"{0}"}}}},
                 "spec":{{"podCIDR":"{2}"}},
                 "status":{{"allocatable":{{"nvidia.com/gpu":"{3}","pods":"110"}},
                           "conditions":[{{"type":"Ready","status":"{4}"}}]}}}})",
          name, options.uid, options.pod_cidr, options.gpus, options.ready ? "True" : "False"))};
}

Made workload(std::string_view name, const WorkloadOptions& options) {
  return {resources::workloads,
          json(fmt::format(
              R"({{"metadata":{{"name":"{0}","namespace":"a","uid":"{1}","creationTimestamp":"{2}",
                   "ownerReferences":[{{"uid":"job-{0}","controller":true}}]}},
                 "spec":{{"queueName":"{3}","priority":{4},"podSets":[{{"name":"main","count":{5},
                   "template":{{"spec":{{"containers":[{{"name":"c","resources":{{"requests":
                   {{"nvidia.com/gpu":"{6}"}}}}}}]}}}}}}]}},"status":{7}}})",
              name, options.uid, minute(options.created_minute), options.queue, options.priority,
              options.pods, options.gpus_each, status(options)))};
}

Made pod(std::string_view name, const PodOptions& options) {
  const std::string annotations =
      options.workload.empty() ? ""
                               : fmt::format(R"("kueue.x-k8s.io/workload":"{}")", options.workload);
  const std::string rank = options.rank < 0
                               ? ""
                               : fmt::format(R"({}"batch.kubernetes.io/job-completion-index":"{}")",
                                             annotations.empty() ? "" : ",", options.rank);
  const bool has_place = !options.node.empty() && !options.is_arrived;
  const std::string word = options.address.empty() && has_place ? "None" : options.address;
  const std::string address =
      word.empty() ? ""
                   : fmt::format(R"({}"muster.dev/pod-ip":"{}")",
                                 annotations.empty() && rank.empty() ? "" : ",", word);
  const std::string labels = options.workload.empty() ? "" : R"("kueue.x-k8s.io/podset":"main")";
  const std::string owners =
      options.owner_uid.empty()
          ? ""
          : fmt::format(R"(,"ownerReferences":[{{"uid":"{}","controller":true}}])",
                        options.owner_uid);
  const std::string deleted =
      options.being_deleted ? fmt::format(R"(,"deletionTimestamp":"{}")", minute(52)) : "";
  const std::string bound =
      options.node.empty() ? "" : fmt::format(R"("nodeName":"{}",)", options.node);
  return {resources::pods,
          json(fmt::format(
              R"({{"metadata":{{"name":"{}","namespace":"a","uid":"{}","creationTimestamp":"{}",
                   "annotations":{{{}{}{}}},"labels":{{{}}}{}{}}},
                 "spec":{{{}"containers":[{{"name":"c","resources":{{"requests":
                   {{"nvidia.com/gpu":"{}"}}}}}}]}},"status":{{"phase":"{}"}}}})",
              name, options.uid, minute(options.created_minute), annotations, rank, address, labels,
              owners, deleted, bound, options.gpus, options.phase))};
}

Event upsert(const Made& made, std::uint64_t revision) {
  return {.revision = revision, .resource = made.resource, .object = made.object};
}

Event remove(const Made& made) {
  return {.type = EventType::remove, .resource = made.resource, .object = made.object};
}

}  // namespace muster::core::made
