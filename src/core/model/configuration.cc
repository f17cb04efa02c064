// SPDX-License-Identifier: Apache-2.0
#include "core/model/configuration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "base/duration.h"
#include "objects/json.h"
#include "objects/yaml.h"

namespace muster::core {

using objects::View;

namespace {

constexpr std::string_view group = "config.kueue.x-k8s.io/";

// Every field that Kueue reads at the top; what is below those that decisions do not depend on is
// not looked at.
constexpr std::string_view top_fields[] = {"apiVersion",
                                           "kind",
                                           "namespace",
                                           "webhook",
                                           "leaderElection",
                                           "metrics",
                                           "health",
                                           "pprofBindAddress",
                                           "controller",
                                           "tls",
                                           "manageJobsWithoutQueueName",
                                           "managedJobsNamespaceSelector",
                                           "internalCertManagement",
                                           "waitForPodsReady",
                                           "clientConnection",
                                           "integrations",
                                           "multiKueue",
                                           "fairSharing",
                                           "admissionFairSharing",
                                           "resources",
                                           "featureGates",
                                           "objectRetentionPolicies"};
constexpr std::string_view fair_sharing_fields[] = {"preemptionStrategies"};
constexpr std::string_view admission_fair_sharing_fields[] = {
    "usageHalfLifeTime", "usageSamplingInterval", "resourceWeights"};
constexpr std::string_view pods_ready_fields[] = {"timeout", "blockAdmission", "requeuingStrategy",
                                                  "recoveryTimeout"};
constexpr std::string_view requeuing_fields[] = {"timestamp", "backoffLimitCount",
                                                 "backoffBaseSeconds", "backoffMaxSeconds"};
constexpr std::string_view resource_fields[] = {"excludeResourcePrefixes", "transformations",
                                                "deviceClassMappings"};
constexpr std::string_view retention_fields[] = {"workloads"};
constexpr std::string_view workload_retention_fields[] = {"afterFinished",
                                                          "afterDeactivatedByKueue"};
constexpr std::string_view integration_fields[] = {"frameworks", "externalFrameworks",
                                                   "labelKeysToCopy"};
constexpr std::string_view known_frameworks[] = {"batch/job",
                                                 "deployment",
                                                 "jobset.x-k8s.io/jobset",
                                                 "kubeflow.org/jaxjob",
                                                 "kubeflow.org/mpijob",
                                                 "kubeflow.org/paddlejob",
                                                 "kubeflow.org/pytorchjob",
                                                 "kubeflow.org/tfjob",
                                                 "kubeflow.org/xgboostjob",
                                                 "leaderworkerset.x-k8s.io/leaderworkerset",
                                                 "pod",
                                                 "ray.io/raycluster",
                                                 "ray.io/rayjob",
                                                 "ray.io/rayservice",
                                                 "sparkoperator.k8s.io/sparkapplication",
                                                 "statefulset",
                                                 "trainer.kubeflow.org/trainjob",
                                                 "workload.codeflare.dev/appwrapper"};
constexpr std::string_view name_label = "kubernetes.io/metadata.name";
constexpr std::string_view transformation_fields[] = {"input", "strategy", "multiplyBy", "outputs"};

Error wrong(std::string field, std::string message) {
  return Error::bad_request(std::move(message), std::move(field));
}

// `only`: one more field that this version has; empty: none.
Result<> expect_fields(View section, std::string_view path, std::span<const std::string_view> known,
                       std::string_view only = {}) {
  if (section.is_absent() || section.is_null()) return {};
  if (!section.is_object()) return wrong(std::string(path), "must be an object");
  for (const auto& [key, value] : section.members()) {
    if (std::ranges::find(known, key) != known.end() || (!only.empty() && key == only)) continue;
    const std::string field = path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
    return wrong(field, "is a field that Kueue's Configuration does not have");
  }
  return {};
}

// Absent and null leave what is there.
Result<> read_into(bool& to, View view, std::string_view path) {
  if (view.is_absent() || view.is_null()) return {};
  if (!view.is_boolean()) return wrong(std::string(path), "must be true or false");
  to = view.boolean_or(false);
  return {};
}

Result<> read_into(std::int64_t& to, View view, std::string_view path) {
  if (view.is_absent() || view.is_null()) return {};
  if (!view.is_integer()) return wrong(std::string(path), "must be a number");
  to = view.integer_or(0);
  return {};
}

Result<> read_into(Span& to, View view, std::string_view path) {
  if (view.is_absent() || view.is_null()) return {};
  if (!view.is_string()) return wrong(std::string(path), "must be a duration, such as 5m");
  const auto span = parse_duration(*view.string());
  if (!span) return wrong(std::string(path), span.error().message);
  to = *span;
  return {};
}

Result<> expect_not_negative(std::int64_t amount, std::string_view path) {
  if (amount >= 0) return {};
  return wrong(std::string(path), "must be greater than or equal to 0");
}

Result<> read_fair_sharing(View view, bool is_old, FairSharing& into) {
  TRY(expect_fields(view, "fairSharing", fair_sharing_fields, is_old ? "enable" : ""));
  into.enabled = view.is_object() && (!is_old || view["enable"].boolean_or(false));
  const View strategies = view["preemptionStrategies"];
  if (strategies.empty()) return {};
  into.preemption_strategies.clear();
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    const std::string_view name = strategies[i].string_or("");
    if (name == "LessThanOrEqualToFinalShare") {
      into.preemption_strategies.push_back(FairSharingStrategy::less_than_or_equal_to_final_share);
    } else if (name == "LessThanInitialShare") {
      into.preemption_strategies.push_back(FairSharingStrategy::less_than_initial_share);
    } else {
      return wrong(fmt::format("fairSharing.preemptionStrategies[{}]", i),
                   "must be LessThanOrEqualToFinalShare or LessThanInitialShare");
    }
  }
  return {};
}

Result<> read_admission_fair_sharing(View view, std::optional<AdmissionFairSharing>& into) {
  TRY(expect_fields(view, "admissionFairSharing", admission_fair_sharing_fields));
  if (!view.is_object()) return {};
  AdmissionFairSharing settings;
  TRY(read_into(settings.usage_half_life, view["usageHalfLifeTime"],
                "admissionFairSharing.usageHalfLifeTime"));
  TRY(read_into(settings.usage_sampling_interval, view["usageSamplingInterval"],
                "admissionFairSharing.usageSamplingInterval"));
  if (settings.usage_sampling_interval == Span{}) {
    settings.usage_sampling_interval = AdmissionFairSharing{}.usage_sampling_interval;
  }
  for (const auto& [name, weight] : view["resourceWeights"].members()) {
    const auto number = weight.real();
    if (!number) {
      return wrong(fmt::format("admissionFairSharing.resourceWeights[{}]", name),
                   "must be a number");
    }
    settings.resource_weights.emplace_back(name, *number);
  }
  std::ranges::sort(settings.resource_weights);
  into = std::move(settings);
  return {};
}

// v1beta1 asks for it with `enable`, and then blocks admission unless told not to.
Result<> read_pods_ready(View view, bool is_old, WaitForPodsReady& into) {
  TRY(expect_fields(view, "waitForPodsReady", pods_ready_fields, is_old ? "enable" : ""));
  const View strategy = view["requeuingStrategy"];
  TRY(expect_fields(strategy, "waitForPodsReady.requeuingStrategy", requeuing_fields));
  into.enabled = !is_old || view["enable"].boolean_or(false);
  if (!into.enabled) return {};
  if (is_old) into.block_admission = true;
  TRY(read_into(into.timeout, view["timeout"], "waitForPodsReady.timeout"));
  if (into.timeout == Span{}) into.timeout = WaitForPodsReady{}.timeout;
  into.recovery_timeout = into.timeout;
  TRY(read_into(into.recovery_timeout, view["recoveryTimeout"],
                "waitForPodsReady.recoveryTimeout"));
  TRY(read_into(into.block_admission, view["blockAdmission"], "waitForPodsReady.blockAdmission"));
  const std::string path = "waitForPodsReady.requeuingStrategy.";
  const std::string_view timestamp = strategy["timestamp"].string_or("Eviction");
  if (timestamp != "Eviction" && timestamp != "Creation") {
    return wrong(path + "timestamp", "must be Eviction or Creation");
  }
  if (timestamp == "Creation") into.requeuing_timestamp = RequeuingTimestamp::creation;
  if (strategy["backoffLimitCount"].is_integer()) {
    into.backoff_limit_count = strategy["backoffLimitCount"].integer_or(0);
    TRY(expect_not_negative(*into.backoff_limit_count, path + "backoffLimitCount"));
  }
  TRY(read_into(into.backoff_base_seconds, strategy["backoffBaseSeconds"],
                path + "backoffBaseSeconds"));
  TRY(read_into(into.backoff_max_seconds, strategy["backoffMaxSeconds"],
                path + "backoffMaxSeconds"));
  TRY(expect_not_negative(into.backoff_base_seconds, path + "backoffBaseSeconds"));
  TRY(expect_not_negative(into.backoff_max_seconds, path + "backoffMaxSeconds"));
  TRY(expect_not_negative(into.timeout.nanoseconds, "waitForPodsReady.timeout"));
  TRY(expect_not_negative(into.recovery_timeout.nanoseconds, "waitForPodsReady.recoveryTimeout"));
  return {};
}

Result<ResourceTransformation> read_transformation(View view, const std::string& path) {
  TRY(expect_fields(view, path, transformation_fields));
  ResourceTransformation rule{.input = std::string(view["input"].string_or(""))};
  if (rule.input.empty()) return wrong(path + ".input", "must name a resource");
  const std::string_view strategy = view["strategy"].string_or("Retain");
  if (strategy != "Retain" && strategy != "Replace") {
    return wrong(path + ".strategy", "must be Retain or Replace");
  }
  rule.retains_input = strategy == "Retain";
  rule.multiply_by = view["multiplyBy"].string_or("");
  for (const auto& [name, value] : view["outputs"].members()) {
    const std::string text =
        value.is_string() ? std::string(*value.string()) : objects::to_json(value);
    auto quantity = Quantity::parse_field(text);
    if (!quantity) {
      return wrong(fmt::format("{}.outputs[{}]", path, name), quantity.error().message);
    }
    rule.outputs.emplace_back(name, *std::move(quantity));
  }
  return rule;
}

Result<> read_resources(View view, bool is_old, const FeatureGates& gates, ResourceSettings& into) {
  TRY(expect_fields(view, "resources", resource_fields, is_old ? "" : "quotaCheckStrategy"));
  const std::string_view check = view["quotaCheckStrategy"].string_or("BlockUndeclared");
  if (check != "BlockUndeclared" && check != "IgnoreUndeclared") {
    return wrong("resources.quotaCheckStrategy", "must be BlockUndeclared or IgnoreUndeclared");
  }
  if (check == "IgnoreUndeclared" && gates.enabled(Gate::quota_check_strategy)) {
    into.quota_check = QuotaCheckStrategy::ignore_undeclared;
  }
  for (const View prefix : view["excludeResourcePrefixes"].elements()) {
    into.exclude_prefixes.emplace_back(prefix.string_or(""));
  }
  const View transformations = view["transformations"];
  for (std::size_t i = 0; i < transformations.size(); ++i) {
    into.transformations.push_back(TRY(
        read_transformation(transformations[i], fmt::format("resources.transformations[{}]", i))));
  }
  into.has_device_class_mappings = !view["deviceClassMappings"].empty();
  return {};
}

// They would be queued by what runs there itself.
constexpr std::string_view reserved_namespaces[] = {"kube-system", "kueue-system"};

Result<> read_namespaces(View view, std::optional<objects::LabelSelector>& into) {
  if (view.is_absent() || view.is_null()) return {};
  const std::string path = "managedJobsNamespaceSelector";
  auto selector = objects::LabelSelector::of(view);
  if (!selector) return wrong(path, selector.error().message);
  for (const std::string_view name : reserved_namespaces) {
    const bool matches = selector->matches_by([&](std::string_view key) {
      return key == name_label ? std::optional(name) : std::nullopt;
    });
    if (matches) return wrong(path, fmt::format("should not match the \"{}\" namespace", name));
  }
  into = *std::move(selector);
  return {};
}

Result<std::vector<std::string>> read_names(View view, const std::string& path) {
  std::vector<std::string> names;
  if (!view.is_absent() && !view.is_null() && !view.is_array())
    return wrong(path, "must be a list");
  for (std::size_t i = 0; i < view.size(); ++i) {
    const auto name = view[i].string();
    const std::string place = fmt::format("{}[{}]", path, i);
    if (!name) return wrong(place, "must be a text");
    if (std::ranges::find(names, *name) != names.end()) {
      return wrong(place, fmt::format("Duplicate value: \"{}\"", *name));
    }
    names.emplace_back(*name);
  }
  return names;
}

Result<> read_integrations(View view, bool is_old, JobScope& into) {
  TRY(expect_fields(view, "integrations", integration_fields, is_old ? "podOptions" : ""));
  auto frameworks = TRY(read_names(view["frameworks"], "integrations.frameworks"));
  for (std::size_t i = 0; i < frameworks.size(); ++i) {
    if (std::ranges::find(known_frameworks, frameworks[i]) != std::end(known_frameworks)) continue;
    return wrong(fmt::format("integrations.frameworks[{}]", i),
                 fmt::format("Unsupported value: \"{}\": supported values: \"{}\"", frameworks[i],
                             fmt::join(known_frameworks, "\", \"")));
  }
  if (!frameworks.empty()) into.frameworks = std::move(frameworks);
  into.label_keys_to_copy =
      TRY(read_names(view["labelKeysToCopy"], "integrations.labelKeysToCopy"));
  return {};
}

Result<> read_retention(View view, ObjectRetention& into) {
  const std::string path = "objectRetentionPolicies";
  TRY(expect_fields(view, path, retention_fields));
  const View kept = view["workloads"];
  TRY(expect_fields(kept, path + ".workloads", workload_retention_fields));
  const auto read = [&](std::string_view key, std::optional<Span>& span) -> Result<> {
    if (kept[key].is_absent() || kept[key].is_null()) return {};
    const std::string place = fmt::format("{}.workloads.{}", path, key);
    span.emplace();
    TRY(read_into(*span, kept[key], place));
    return expect_not_negative(span->nanoseconds, place);
  };
  TRY(read("afterFinished", into.after_finished));
  return read("afterDeactivatedByKueue", into.after_deactivated_by_kueue);
}

// Those that stand for many come first: a gate that is named by itself has the last word.
Result<> read_gates(View view, FeatureGates& into) {
  for (const bool names_many : {true, false}) {
    for (const auto& [name, enabled] : view.members()) {
      if ((name == "AllAlpha" || name == "AllBeta") != names_many) continue;
      const std::string field = fmt::format("featureGates.{}", name);
      if (!enabled.is_boolean()) return wrong(field, "must be true or false");
      const auto set = into.set(name, enabled.boolean_or(false));
      if (!set) return wrong("featureGates", set.error().message);
    }
  }
  return {};
}

}  // namespace

bool JobScope::has_framework(std::string_view name) const {
  return !frameworks || std::ranges::find(*frameworks, name) != frameworks->end();
}

bool JobScope::has_namespace(std::string_view name, objects::View labels) const {
  if (namespaces) return namespaces->matches(labels);
  return std::ranges::find(reserved_namespaces, name) == std::end(reserved_namespaces);
}

Result<Configuration> read_configuration(const objects::Value& object) {
  Configuration configuration;
  const View view = object.view();
  if (view.is_absent() || view.is_null()) return configuration;
  const std::string_view version = view["apiVersion"].string_or("");
  const bool is_old = version == fmt::format("{}v1beta1", group);
  if (!is_old && version != fmt::format("{}v1beta2", group)) {
    return wrong("apiVersion", fmt::format("must be {}v1beta1 or {}v1beta2", group, group));
  }
  if (view["kind"].string_or("") != "Configuration") return wrong("kind", "must be Configuration");
  TRY(expect_fields(view, "", top_fields, is_old ? "queueVisibility" : "visibilityServer"));
  TRY(read_gates(view["featureGates"], configuration.gates));
  TRY(read_fair_sharing(view["fairSharing"], is_old, configuration.fair_sharing));
  TRY(read_admission_fair_sharing(view["admissionFairSharing"],
                                  configuration.admission_fair_sharing));
  TRY(read_pods_ready(view["waitForPodsReady"], is_old, configuration.wait_for_pods_ready));
  TRY(read_resources(view["resources"], is_old, configuration.gates, configuration.resources));
  if (configuration.gates.enabled(Gate::disable_wait_for_pods_ready)) {
    configuration.wait_for_pods_ready.enabled = false;
    configuration.wait_for_pods_ready.block_admission = false;
  }
  JobScope& jobs = configuration.jobs;
  TRY(read_into(jobs.without_queue_name, view["manageJobsWithoutQueueName"],
                "manageJobsWithoutQueueName"));
  TRY(read_namespaces(view["managedJobsNamespaceSelector"], jobs.namespaces));
  TRY(read_integrations(view["integrations"], is_old, jobs));
  TRY(read_retention(view["objectRetentionPolicies"], configuration.retention));
  configuration.source = object;
  return configuration;
}

Result<Configuration> read_configuration_map(View config_map) {
  const auto text = config_map["data"][configuration_key].string();
  if (!text) {
    return wrong(fmt::format("data[{}]", configuration_key), "must hold Kueue's Configuration");
  }
  return read_configuration(TRY(objects::parse_yaml_document(*text)));
}

}  // namespace muster::core
