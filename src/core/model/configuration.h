// Configuration: what an operator of Kueue configures, as far as decisions depend on it: Kueue's
// own Configuration object (config.kueue.x-k8s.io, v1beta1 and v1beta2) with its defaults.
//
//   Configuration kueue = TRY(read_configuration(object));
//   if (kueue.fair_sharing.enabled) …
//   if (kueue.gates.enabled(Gate::partial_admission)) …
//
// Assumes: a default-made Configuration is what Kueue does without a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/quantity.h"
#include "base/result.h"
#include "core/model/feature_gates.h"
#include "objects/label_selector.h"
#include "objects/value.h"

namespace muster::core {

enum class FairSharingStrategy : std::uint8_t {
  less_than_or_equal_to_final_share,
  less_than_initial_share,
};

struct FairSharing {
  bool enabled = false;
  std::vector<FairSharingStrategy> preemption_strategies = {
      FairSharingStrategy::less_than_or_equal_to_final_share,
      FairSharingStrategy::less_than_initial_share};
};

// Between the LocalQueues of a ClusterQueue, by what they used.
struct AdmissionFairSharing {
  Span usage_half_life = {};
  Span usage_sampling_interval = Span::of_seconds(300);
  std::vector<std::pair<std::string, double>> resource_weights = {};  // sorted by name
};

enum class RequeuingTimestamp : std::uint8_t { eviction, creation };

struct WaitForPodsReady {
  bool enabled = true;
  Span timeout = Span::of_seconds(1'800);
  Span recovery_timeout = Span::of_seconds(1'800);
  bool block_admission = false;
  RequeuingTimestamp requeuing_timestamp = RequeuingTimestamp::eviction;
  std::optional<std::int64_t> backoff_limit_count = {};
  std::int64_t backoff_base_seconds = 60;
  std::int64_t backoff_max_seconds = 3'600;
};

enum class QuotaCheckStrategy : std::uint8_t { block_undeclared, ignore_undeclared };

struct ResourceTransformation {
  std::string input;
  bool retains_input = true;  // strategy Retain; Replace takes the input away
  std::string multiply_by = {};
  std::vector<std::pair<std::string, Quantity>> outputs = {};  // per unit of the input
};

struct ResourceSettings {
  QuotaCheckStrategy quota_check = QuotaCheckStrategy::block_undeclared;
  std::vector<std::string> exclude_prefixes = {};
  std::vector<ResourceTransformation> transformations = {};  // the last of one input counts
  bool has_device_class_mappings = false;                    // not supported yet
};

// How long things are kept; nothing: for ever.
struct ObjectRetention {
  std::optional<Span> after_finished = {};              // the Workload
  std::optional<Span> after_deactivated_by_kueue = {};  // the job, and its Workload with it
};

// Which jobs are Kueue's.
struct JobScope {
  bool without_queue_name = false;  // manageJobsWithoutQueueName
  // managedJobsNamespaceSelector; nothing: all but kube-system and kueue-system.
  std::optional<objects::LabelSelector> namespaces = {};
  // integrations.frameworks; nothing: every kind that is known.
  std::optional<std::vector<std::string>> frameworks = {};
  std::vector<std::string> label_keys_to_copy = {};

  bool has_framework(std::string_view name) const;
  // Whether the jobs of a namespace with these labels may be managed at all.
  bool has_namespace(std::string_view name, objects::View labels) const;
};

struct Configuration {
  FeatureGates gates = {};
  FairSharing fair_sharing = {};
  std::optional<AdmissionFairSharing> admission_fair_sharing = {};
  WaitForPodsReady wait_for_pods_ready = {};
  ResourceSettings resources = {};
  JobScope jobs = {};
  ObjectRetention retention = {};
  objects::Value source = {};  // what it was read from; absent: nothing

  // Asked for and not switched off by its gate.
  bool shares_admission_fairly() const {
    return admission_fair_sharing && gates.enabled(Gate::admission_fair_sharing);
  }
};

// bad_request with the field that is wrong: an unknown field, an unknown gate, a duration that is
// none. Absent or empty: the defaults.
Result<Configuration> read_configuration(const objects::Value& object);

// Where Kueue's installation keeps it: a ConfigMap, and its key.
inline constexpr std::string_view configuration_namespace = "kueue-system";
inline constexpr std::string_view configuration_name = "kueue-manager-config";
inline constexpr std::string_view configuration_key = "controller_manager_config.yaml";

Result<Configuration> read_configuration_map(objects::View config_map);

}  // namespace muster::core
