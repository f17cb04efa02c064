// SPDX-License-Identifier: Apache-2.0
// What both versions can say survives a round trip, whichever version it starts from.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "objects/builder.h"
#include "objects/convert.h"
#include "objects/json.h"

namespace muster::objects {
namespace {

Value round_trip(std::string_view conversion, const Value& object, std::string_view over,
                 std::string_view back) {
  return convert(conversion, convert(conversion, object, over).must(), back).must();
}

Value json(const std::string& text) {
  return parse_json(text).must();
}

std::string quoted(const std::string& text) {
  return to_json(Value::string(text));
}

// Host names as clouds make them: few parts, few letters, so that prefixes and suffixes meet.
rc::Gen<std::string> part() {
  return rc::gen::resize(3, rc::gen::container<std::string>(rc::gen::element('a', 'b', '0')));
}

rc::Gen<std::string> topology_value() {
  return rc::gen::map(rc::gen::resize(4, rc::gen::container<std::vector<std::string>>(part())),
                      [](const std::vector<std::string>& parts) {
                        return fmt::format("{}", fmt::join(parts, "-"));
                      });
}

// A v1beta1 workload with a topology assignment of random domains.
std::string workload_v1beta1() {
  const auto levels = *rc::gen::inRange<std::size_t>(1, 4);
  const auto domain_count = *rc::gen::inRange<std::size_t>(1, 40);
  std::string level_names;
  for (std::size_t level = 1; level < levels; ++level) {
    level_names += fmt::format(R"("cloud.com/level-{}",)", level);
  }
  std::string domains;
  for (std::size_t index = 0; index < domain_count; ++index) {
    std::string values;
    for (std::size_t level = 0; level < levels; ++level) {
      values += (level == 0 ? "" : ",") + quoted(*topology_value());
    }
    domains += fmt::format(R"({}{{"values":[{}],"count":{}}})", index == 0 ? "" : ",", values,
                           *rc::gen::inRange(1, 3));
  }
  const auto* source = *rc::gen::element(
      R"(,"priorityClassName":"p","priorityClassSource":"scheduling.k8s.io/priorityclass")",
      R"(,"priorityClassName":"p","priorityClassSource":"kueue.x-k8s.io/workloadpriorityclass")",
      "");
  return fmt::format(
      R"({{"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Workload","metadata":{{"name":"w"}},
      "spec":{{"podSets":[{{"name":"main","count":2}}]{}}},
      "status":{{"accumulatedPastExexcutionTimeSeconds":{},"admission":{{"podSetAssignments":[
      {{"name":"main","topologyAssignment":{{"levels":[{}"kubernetes.io/hostname"],
      "domains":[{}]}}}}]}}}}}})",
      source, *rc::gen::inRange(0, 1000), level_names, domains);
}

RC_GTEST_PROP(ConvertProperty, a_v1beta1_workload_survives_v1beta2, ()) {
  const Value before = json(workload_v1beta1());
  const Value after = round_trip("kueue-workload", before, "v1beta2", "v1beta1");
  RC_ASSERT(after.view() == before.view());
}

// Whatever Kueue packs, unpacking and packing again gives the same slices.
RC_GTEST_PROP(ConvertProperty, a_packed_v1beta2_workload_survives_v1beta1, ()) {
  const Value packed = convert("kueue-workload", json(workload_v1beta1()), "v1beta2").must();
  RC_ASSERT(round_trip("kueue-workload", packed, "v1beta1", "v1beta2").view() == packed.view());
}

// Slices that another program packed in its own way keep their domains, if not their form.
RC_GTEST_PROP(ConvertProperty, packing_again_keeps_the_domains, ()) {
  const Value packed = convert("kueue-workload", json(workload_v1beta1()), "v1beta2").must();
  const Value unpacked = convert("kueue-workload", packed, "v1beta1").must();
  const Value again = convert("kueue-workload", unpacked, "v1beta2").must();
  RC_ASSERT(convert("kueue-workload", again, "v1beta1").must().view() == unpacked.view());
}

RC_GTEST_PROP(ConvertProperty, a_v1beta2_cluster_queue_survives_v1beta1, ()) {
  const auto* cohort = *rc::gen::element(R"("cohortName":"c",)", "");
  const auto* checks = *rc::gen::element(
      R"("admissionChecksStrategy":{"admissionChecks":[{"name":"a","onFlavors":["f"]}]},)", "");
  const auto* fungibility =
      *rc::gen::element(R"("flavorFungibility":{"whenCanBorrow":"MayStopSearch"},)",
                        R"("flavorFungibility":{"whenCanPreempt":"TryNextFlavor"},)", "");
  const Value before = json(fmt::format(
      R"({{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ClusterQueue","spec":{{{}{}{}
      "queueingStrategy":"StrictFIFO"}},"status":{{"pendingWorkloads":{},
      "fairSharing":{{"weightedShare":1}}}}}})",
      cohort, checks, fungibility, *rc::gen::inRange(0, 9)));
  RC_ASSERT(round_trip("kueue-cluster-queue", before, "v1beta1", "v1beta2").view() ==
            before.view());
}

RC_GTEST_PROP(ConvertProperty, local_queues_and_clusters_survive_both_ways, ()) {
  const auto total = *rc::gen::inRange(0, 9);
  const Value queue = json(fmt::format(
      R"({{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"LocalQueue","spec":{{"clusterQueue":"a"}},
      "status":{{"flavorsUsage":[{{"name":"f","resources":[{{"name":"cpu","total":"{}"}}]}}]}}}})",
      total));
  RC_ASSERT(round_trip("kueue-local-queue", queue, "v1beta1", "v1beta2").view() == queue.view());
  const auto* source = *rc::gen::element(R"("kubeConfig":{"location":"l","locationType":"Path"})",
                                         R"("clusterProfileRef":{"name":"p"})");
  const Value cluster = json(fmt::format(
      R"({{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"MultiKueueCluster",
      "spec":{{"clusterSource":{{{}}}}}}})",
      source));
  RC_ASSERT(round_trip("kueue-multi-kueue-cluster", cluster, "v1beta1", "v1beta2").view() ==
            cluster.view());
}

}  // namespace
}  // namespace muster::objects
