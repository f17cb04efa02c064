// SPDX-License-Identifier: Apache-2.0
#include "core/model/configuration.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "objects/yaml.h"

namespace muster::core {
namespace {

Result<Configuration> read(std::string_view version, std::string_view rest) {
  return read_configuration(
      objects::parse_yaml_document("{apiVersion: config.kueue.x-k8s.io/" + std::string(version) +
                                   ", kind: Configuration, " + std::string(rest) + "}")
          .must());
}

TEST(configuration, has_kueues_defaults) {
  const Configuration usual = read_configuration({}).must();
  EXPECT_FALSE(usual.fair_sharing.enabled);
  EXPECT_FALSE(usual.shares_admission_fairly());
  EXPECT_FALSE(usual.wait_for_pods_ready.block_admission);
  EXPECT_TRUE(usual.gates.enabled(Gate::partial_admission));
  EXPECT_FALSE(usual.gates.enabled(Gate::concurrent_admission));
  EXPECT_EQ(usual.resources.quota_check, QuotaCheckStrategy::block_undeclared);
}

TEST(configuration, of_v1beta1_asks_with_enable) {
  EXPECT_FALSE(read("v1beta1", "fairSharing: {enable: false}").must().fair_sharing.enabled);
  EXPECT_TRUE(read("v1beta1", "fairSharing: {enable: true}").must().fair_sharing.enabled);
  EXPECT_TRUE(read("v1beta2", "fairSharing: {}").must().fair_sharing.enabled);
  const auto blocks = [](std::string_view version, std::string_view text) {
    return read(version, text).must().wait_for_pods_ready.block_admission;
  };
  EXPECT_TRUE(blocks("v1beta1", "waitForPodsReady: {enable: true}"));
  EXPECT_FALSE(blocks("v1beta1", "waitForPodsReady: {enable: false, blockAdmission: true}"));
  EXPECT_FALSE(blocks("v1beta2", "waitForPodsReady: {timeout: 5m}"));
  EXPECT_TRUE(blocks("v1beta2", "waitForPodsReady: {timeout: 5m, blockAdmission: true}"));
}

TEST(configuration, refuses_what_kueue_does_not_know_by_its_field) {
  const auto error = [](std::string_view version, std::string_view text) {
    const auto refused = read(version, text);
    return refused ? "" : refused.error().to_string();
  };
  EXPECT_EQ(error("v1beta2", "resorces: {}"),
            "resorces: is a field that Kueue's Configuration does not have");
  EXPECT_EQ(error("v1beta2", "fairSharing: {enable: true}"),
            "fairSharing.enable: is a field that Kueue's Configuration does not have");
  EXPECT_EQ(error("v1beta2", "featureGates: {Nope: true}"),
            "featureGates: unrecognized feature gate: Nope");
  EXPECT_EQ(error("v1beta2", "featureGates: {HierarchicalCohorts: false}"),
            "featureGates: cannot set feature gate HierarchicalCohorts to false, feature is "
            "locked to true");
  EXPECT_EQ(error("v1beta2", "waitForPodsReady: {timeout: xx}"),
            "waitForPodsReady.timeout: time: invalid duration \"xx\"");
  EXPECT_EQ(error("v3", ""),
            "apiVersion: must be config.kueue.x-k8s.io/v1beta1 or config.kueue.x-k8s.io/v1beta2");
}

TEST(configuration, says_which_jobs_are_managed) {
  const auto in = [](const Configuration& given, const char* name, const char* labels) {
    return given.jobs.has_namespace(name, objects::parse_yaml_document(labels).must());
  };
  const Configuration usual;
  EXPECT_TRUE(in(usual, "team", "{}"));
  EXPECT_FALSE(in(usual, "kube-system", "{}"));
  EXPECT_FALSE(in(usual, "kueue-system", "{}"));
  EXPECT_TRUE(usual.jobs.has_framework("batch/job"));
  const Configuration chosen =
      read("v1beta2",
           "managedJobsNamespaceSelector: {matchLabels: {queued: \"yes\"}}, "
           "integrations: {frameworks: [pod]}, manageJobsWithoutQueueName: true")
          .must();
  EXPECT_TRUE(in(chosen, "team", "{queued: \"yes\"}"));
  EXPECT_FALSE(in(chosen, "team", "{}"));
  EXPECT_FALSE(chosen.jobs.has_framework("batch/job"));
  EXPECT_TRUE(chosen.jobs.without_queue_name);
}

TEST(configuration, reads_how_long_things_are_kept) {
  const Configuration given =
      read("v1beta2", "objectRetentionPolicies: {workloads: {afterFinished: 1h}}").must();
  EXPECT_EQ(given.retention.after_finished, Span::of_seconds(3'600));
  EXPECT_EQ(given.retention.after_deactivated_by_kueue, std::nullopt);
}

TEST(configuration, refuses_what_would_not_work_by_its_field) {
  const auto error = [](std::string_view text) {
    const auto refused = read("v1beta2", text);
    return refused ? "" : refused.error().to_string();
  };
  EXPECT_EQ(error("waitForPodsReady: {timeout: -5m}"),
            "waitForPodsReady.timeout: must be greater than or equal to 0");
  EXPECT_EQ(error("managedJobsNamespaceSelector: {}"),
            "managedJobsNamespaceSelector: should not match the \"kube-system\" namespace");
  EXPECT_EQ(error("integrations: {frameworks: [pod, pod]}"),
            "integrations.frameworks[1]: Duplicate value: \"pod\"");
  EXPECT_EQ(error("integrations: {frameworks: [nope]}").substr(0, 58),
            "integrations.frameworks[0]: Unsupported value: \"nope\": sup");
}

TEST(configuration, lets_a_gate_that_is_named_win_over_all_alpha) {
  const Configuration given =
      read("v1beta2", "featureGates: {PriorityBoost: false, AllAlpha: true}").must();
  EXPECT_FALSE(given.gates.enabled(Gate::priority_boost));
  EXPECT_TRUE(given.gates.enabled(Gate::concurrent_admission));
}

TEST(configuration, needs_the_gate_for_admission_fair_sharing) {
  const std::string section = "admissionFairSharing: {usageHalfLifeTime: 1h}";
  EXPECT_TRUE(read("v1beta2", section).must().shares_admission_fairly());
  EXPECT_FALSE(read("v1beta2", section + ", featureGates: {AdmissionFairSharing: false}")
                   .must()
                   .shares_admission_fairly());
}

}  // namespace
}  // namespace muster::core
