// SPDX-License-Identifier: Apache-2.0
#include "core/model/effective_requests.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "base/checked.h"
#include "core/model/read_limit_range.h"
#include "core/model/read_workload.h"
#include "objects/yaml.h"

namespace muster::core {
namespace {

objects::Value yaml(std::string_view text) {
  return objects::parse_yaml_document(text).must();
}

std::string printed(const Amounts& amounts, const ResourceNames& names) {
  std::string text;
  for (const Amount& entry : amounts) {
    if (!text.empty()) text += ' ';
    const std::string& name = names.name(entry.resource);
    text += name + "=" + amount_text(name, entry.amount);
  }
  return text;
}

std::string effective(std::string_view pod, const RequestRules& rules = {}) {
  ResourceNames names;
  return printed(pod_resources(yaml(pod), "spec", rules, names).must().effective, names);
}

Configuration configured(std::string_view resources) {
  return read_configuration(
             yaml("{apiVersion: config.kueue.x-k8s.io/v1beta2, kind: Configuration, resources: " +
                  std::string(resources) + "}"))
      .must();
}

TEST(effective_requests, are_the_larger_of_the_init_steps_and_the_sum) {
  EXPECT_EQ(effective(R"({initContainers: [{resources: {requests: {cpu: 3}}}],
                          containers: [{resources: {requests: {cpu: 1}}},
                                       {resources: {requests: {cpu: 1, memory: 1Gi}}}]})"),
            "cpu=3 memory=1Gi");
}

TEST(effective_requests, are_rounded_once) {
  EXPECT_EQ(effective(R"({containers: [{resources: {requests: {cpu: 100u}}},
                                       {resources: {requests: {cpu: 100u}}}]})"),
            "cpu=1m");
}

TEST(effective_requests, see_the_pod_as_it_is_for_nodes) {
  ResourceNames names;
  const Configuration configuration = configured(
      "{excludeResourcePrefixes: [x/], transformations: "
      "[{input: gpu, strategy: Replace, outputs: {credits: 3}}]}");
  const PodResources pod =
      pod_resources(yaml("{containers: [{resources: {requests: {x/y: 1, gpu: 2}}}]}"), "spec",
                    {.configuration = &configuration}, names)
          .must();
  EXPECT_EQ(printed(pod.requests, names), "gpu=2 x/y=1");
  EXPECT_EQ(printed(pod.effective, names), "credits=6");
}

TEST(effective_requests, multiply_exactly) {
  const Configuration configuration = configured(
      "{transformations: [{input: gpu, multiplyBy: memory, outputs: {credits: '0.001'}}]}");
  EXPECT_EQ(effective("{containers: [{resources: {requests: {gpu: 3, memory: 1500m}}}]}",
                      {.configuration = &configuration}),
            "credits=1 gpu=3 memory=2");
}

TEST(effective_requests, are_never_negative) {
  const Configuration configuration =
      configured("{transformations: [{input: gpu, outputs: {cpu: -5, credits: -1}}]}");
  EXPECT_EQ(effective("{containers: [{resources: {requests: {gpu: 3, cpu: 1}}}]}",
                      {.configuration = &configuration}),
            "cpu=1 credits=0 gpu=3");
}

TEST(effective_requests, stop_at_the_ends_of_int64) {
  ResourceNames names;
  const PodResources pod =
      pod_resources(yaml("{containers: [{resources: {requests: {memory: 9e30, cpu: 9e18}}}]}"),
                    "spec", {}, names)
          .must();
  EXPECT_EQ(amount_of(pod.effective, names.find("memory")), unlimited);
  EXPECT_EQ(amount_of(pod.effective, names.find("cpu")), unlimited);
}

TEST(effective_requests, of_absurd_factors_stop_there_too) {
  const Configuration configuration =
      configured("{transformations: [{input: gpu, multiplyBy: gpu, outputs: {credits: 9e30}}]}");
  EXPECT_EQ(effective("{containers: [{resources: {requests: {gpu: 9e30}}}]}",
                      {.configuration = &configuration}),
            "credits=9223372036854775807 gpu=9223372036854775807");
}

TEST(limit_ranges, give_the_first_default_the_lowest_max_and_the_highest_min) {
  ResourceNames names;
  const std::array ranges = {
      yaml("{spec: {limits: [{type: Container, defaultRequest: {cpu: 1}, max: {cpu: 8}, "
           "min: {cpu: 100m}}]}}"),
      yaml("{spec: {limits: [{type: Container, defaultRequest: {cpu: 2}, max: {cpu: 4}, "
           "min: {cpu: 200m}}, {type: PersistentVolumeClaim, max: {storage: 1}}]}}")};
  const LimitSummary summary = summarize_limit_ranges(ranges, names).must();
  EXPECT_EQ(printed(amounts_from(summary.container.default_requests, names), names), "cpu=1");
  EXPECT_EQ(printed(amounts_from(summary.container.max, names), names), "cpu=4");
  EXPECT_EQ(printed(amounts_from(summary.container.min, names), names), "cpu=200m");
  EXPECT_FALSE(summary.pod.present);
}

TEST(read_workload, knows_who_asks_for_the_same) {
  ResourceNames names;
  const auto equivalence = [&](std::string_view priority, std::string_view cpu) {
    return read_workload(yaml("{spec: {priority: " + std::string(priority) +
                              ", podSets: [{count: 2, template: {spec: {containers: "
                              "[{resources: {requests: {cpu: " +
                              std::string(cpu) + "}}}]}}}]}}"),
                         names)
        .must()
        .equivalence;
  };
  EXPECT_EQ(equivalence("1", "1"), equivalence("1", "1000m"));
  EXPECT_NE(equivalence("1", "1"), equivalence("2", "1"));
  EXPECT_NE(equivalence("1", "1"), equivalence("1", "2"));
}

}  // namespace
}  // namespace muster::core
