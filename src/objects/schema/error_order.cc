// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/error_order.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::objects {

namespace {

// Fields in the order in which the peer looks at them. `name=` are duplicates of the name, which it
// finds after all else of the element; a dot is the struct itself. The rest follows by number.
struct FieldOrder {
  std::string_view type;
  std::string_view fields;
};

constexpr std::string_view job_fields =
    "parallelism completions activeDeadlineSeconds backoffLimit ttlSecondsAfterFinished "
    "backoffLimitPerIndex maxFailedIndexes managedBy completionMode podFailurePolicy successPolicy "
    "podReplacementPolicy selector template";

constexpr FieldOrder orders[] = {
    {"core.v1.PodSpec",
     "terminationGracePeriodSeconds volumes resourceClaims containers initContainers "
     "ephemeralContainers resources restartPolicy dnsPolicy nodeSelector securityContext "
     "hostNetwork hostPID hostIPC shareProcessNamespace imagePullSecrets affinity dnsConfig "
     "readinessGates schedulingGates topologySpreadConstraints hostUsers serviceAccountName "
     "nodeName activeDeadlineSeconds hostname subdomain tolerations hostAliases "
     "priorityClassName runtimeClassName preemptionPolicy overhead os"},
    {"core.v1.Container",
     "name image terminationMessagePolicy ports env envFrom volumeMounts volumeDevices "
     "imagePullPolicy resources resizePolicy securityContext name= lifecycle livenessProbe "
     "readinessProbe startupProbe restartPolicy"},
    {"core.v1.EphemeralContainer",
     "name image terminationMessagePolicy ports env envFrom volumeMounts volumeDevices "
     "imagePullPolicy resources resizePolicy securityContext name= targetContainerName"},
    {"core.v1.ContainerPort", "name name= containerPort hostPort hostPort= protocol"},
    {"core.v1.PodSecurityContext",
     "fsGroup runAsUser runAsGroup supplementalGroups shareProcessNamespace sysctls "
     "fsGroupChangePolicy seccompProfile supplementalGroupsPolicy windowsOptions"},
    {"core.v1.SecurityContext", "runAsUser runAsGroup procMount seccompProfile windowsOptions"},
    {"core.v1.ConfigMapVolumeSource", "name defaultMode items"},
    {"core.v1.PodResourceClaim", "name resourceClaimName resourceClaimTemplateName ."},
    {"core.v1.NFSVolumeSource", "server path"},
    {"core.v1.ISCSIVolumeSource", "targetPortal iqn lun"},
    {"core.v1.PodDNSConfig", "nameservers searches options"},
    {"core.v1.Probe",
     "exec httpGet tcpSocket grpc initialDelaySeconds timeoutSeconds periodSeconds "
     "successThreshold failureThreshold terminationGracePeriodSeconds successThreshold="},
    {"core.v1.TopologySpreadConstraint",
     "maxSkew topologyKey whenUnsatisfiable minDomains nodeAffinityPolicy nodeTaintsPolicy "
     "labelSelector matchLabelKeys"},
    {"core.v1.ServiceSpec", "clusterIPs ports"},
    {"core.v1.ServicePort", "name name= port protocol targetPort appProtocol ."},
    {"core.v1.TopologySelectorLabelRequirement", "values key"},
    {"networking.v1.NetworkPolicySpec", "podSelector ingress egress policyTypes"},
    {"networking.v1.NetworkPolicyIngressRule", "ports from"},
    {"networking.v1.NetworkPolicyEgressRule", "ports to"},
    {"networking.v1.NetworkPolicyPort", "protocol port endPort"},
    {"meta.v1.LabelSelector", "matchLabels matchExpressions ."},
    {"meta.v1.LabelSelectorRequirement", "operator key values"},
    {"policy.v1.PodDisruptionBudgetStatus",
     "disruptionsAllowed currentHealthy desiredHealthy expectedPods"},
    {"apps.v1.DeploymentSpec",
     "replicas selector template strategy minReadySeconds revisionHistoryLimit "
     "progressDeadlineSeconds"},
    {"apps.v1.ReplicaSetSpec", "replicas minReadySeconds selector template"},
    {"apps.v1.StatefulSetSpec",
     "podManagementPolicy updateStrategy persistentVolumeClaimRetentionPolicy replicas "
     "minReadySeconds ordinals selector volumeClaimTemplates template"},
    {"apps.v1.DaemonSetSpec",
     "selector template minReadySeconds updateStrategy revisionHistoryLimit"},
    {"apps.v1.RollingUpdateDaemonSet", "maxUnavailable maxSurge"},
    {"apps.v1.RollingUpdateDeployment", "maxUnavailable maxSurge"},
    {"core.v1.SecretVolumeSource", "secretName defaultMode items"},
    {"core.v1.ProjectedVolumeSource", "defaultMode sources path"},
    {"core.v1.Toleration", "key operator effect"},
    {"core.v1.NodeSelectorRequirement", "operator values key"},
    {"core.v1.PodAffinityTerm",
     "labelSelector namespaceSelector namespaces namespace topologyKey mismatchLabelKeys "
     "matchLabelKeys"},
    {"batch.v1.CronJobSpec",
     "schedule startingDeadlineSeconds timeZone concurrencyPolicy jobTemplate "
     "successfulJobsHistoryLimit failedJobsHistoryLimit"},
    {"batch.v1.JobSpec", job_fields},
    {"batch.v1.JobSpecInTemplate", job_fields},
    {"batch.v1.PodFailurePolicyRule", "action onExitCodes onPodConditions ."},
    {"core.v1.PodTemplateSpec", "metadata labels annotations spec"},
};

struct Step {
  std::string_view name;  // of a field, or what is between the brackets
  bool in_brackets = false;
};

std::vector<Step> steps_of(std::string_view path) {
  std::vector<Step> steps;
  while (!path.empty()) {
    if (path.front() == '[') {
      const std::size_t end = std::min(path.find(']'), path.size());
      steps.push_back({path.substr(1, end - 1), true});
      path = end < path.size() ? path.substr(end + 1) : std::string_view();
    } else {
      if (path.front() == '.') path.remove_prefix(1);
      const std::size_t end = path.find_first_of(".[");
      steps.push_back({path.substr(0, end), false});
      path = end == std::string_view::npos ? std::string_view() : path.substr(end);
    }
  }
  return steps;
}

// An error that is being put in its place.
struct Placed {
  FieldError* error;
  std::vector<Step> steps;  // parts of the error's path
  std::uint64_t rank = 0;
};

std::string_view order_of(SchemaNode node) {
  if (!node) return {};
  const std::string_view type = node.type_name();
  for (const FieldOrder& each : orders) {
    if (each.type == type) return each.fields;
  }
  return {};
}

constexpr std::uint64_t listed_max = 1'000;
constexpr std::uint64_t last_rank = 1'000'000;

// The position of a word in the list, from 1; 0 where it is not there.
std::uint64_t position(std::string_view list, std::string_view word) {
  std::uint64_t at = 1;
  while (!list.empty()) {
    const std::size_t end = list.find(' ');
    if (list.substr(0, end) == word) return at;
    if (end == std::string_view::npos) break;
    list.remove_prefix(end + 1);
    ++at;
  }
  return 0;
}

std::uint64_t number_of(SchemaNode node, std::string_view field) {
  for (std::size_t i = 0; node && i < node.field_count(); ++i) {
    const SchemaField each = node.field_at(i);
    if (each.name != field) continue;
    // Fields of inlined messages stand where the message stands.
    const std::uint64_t outer = each.proto_message == 0 ? each.proto_number : each.proto_message;
    return listed_max + outer;
  }
  return last_rank;
}

std::uint64_t rank_at(SchemaNode node, const Placed& placed, std::size_t depth) {
  const std::string_view list = order_of(node);
  if (depth == placed.steps.size()) {
    return placed.error->pass == error_pass_at_its_field ? 0 : position(list, ".");
  }
  const Step& step = placed.steps[depth];
  if (step.in_brackets) {
    std::uint64_t index = 0;
    for (const char c : step.name) {
      if (c < '0' || c > '9') return last_rank;
      index = std::min(index * 10 + static_cast<std::uint64_t>(c - '0'), last_rank);
    }
    return index + 1;
  }
  const bool is_last = depth + 1 == placed.steps.size();
  if (is_last && (placed.error->late || placed.error->type == FieldError::Type::duplicate)) {
    const std::uint64_t late = position(list, std::string(step.name) + "=");
    if (late != 0) return late;
    if (placed.error->late) return last_rank;
  }
  const std::uint64_t listed = position(list, step.name);
  return listed != 0 ? listed : number_of(node, step.name);
}

SchemaNode child_of(SchemaNode node, const Step& step) {
  if (!node) return {};
  if (!step.in_brackets) return node.member(step.name);
  return node.type() == SchemaType::array ? node.items() : node.additional_properties();
}

bool is_same_group(const Placed& a, const Placed& b, std::size_t depth) {
  if (a.rank != b.rank) return false;
  if (a.steps.size() <= depth || b.steps.size() <= depth) {
    return a.steps.size() == b.steps.size();
  }
  return a.steps[depth].name == b.steps[depth].name;
}

std::uint8_t pass_of(const Placed& placed) {
  return placed.error->pass == error_pass_at_its_field ? 0 : placed.error->pass;
}

using Range = std::vector<Placed>::iterator;

void put_in_order(SchemaNode node, std::size_t depth, Range begin, Range end) {
  if (end - begin < 2) return;
  // Of structs that are not listed, and of lists that are spoken of as a whole, the checks know the
  // order.
  const bool is_list = node && node.type() == SchemaType::array;
  const bool is_ranked =
      is_list ? std::all_of(begin, end,
                            [&](const Placed& each) {
                              return each.steps.size() > depth && each.steps[depth].in_brackets;
                            })
              : !order_of(node).empty();
  if (is_ranked) {
    for (Range each = begin; each != end; ++each) each->rank = rank_at(node, *each, depth);
    std::stable_sort(begin, end, [](const Placed& a, const Placed& b) { return a.rank < b.rank; });
  }
  // Names that share a rank stay together, in the order of their first error.
  while (begin != end) {
    const Placed& first = *begin;
    const auto is_with_first = [&](const Placed& each) {
      return is_same_group(first, each, depth);
    };
    const Range group_end = is_ranked ? std::stable_partition(begin + 1, end, is_with_first)
                                      : std::find_if_not(begin + 1, end, is_with_first);
    if (first.steps.size() > depth) {
      const SchemaNode child = child_of(node, first.steps[depth]);
      put_in_order(child, depth + 1, begin, group_end);
    }
    begin = group_end;
  }
}

}  // namespace

FieldErrors in_peer_order(SchemaNode root, FieldErrors errors) {
  if (errors.size() < 2) return errors;
  std::vector<FieldError> all = std::move(errors).take();
  std::vector<Placed> placed;
  placed.reserve(all.size());
  for (FieldError& error : all) placed.push_back({&error, steps_of(error.path)});
  std::stable_sort(placed.begin(), placed.end(),
                   [](const Placed& a, const Placed& b) { return pass_of(a) < pass_of(b); });
  for (Range begin = placed.begin(); begin != placed.end();) {
    const Range end = std::find_if(
        begin, placed.end(), [&](const Placed& each) { return pass_of(each) != pass_of(*begin); });
    if (begin->error->pass != error_pass_as_it_comes) put_in_order(root, 0, begin, end);
    begin = end;
  }
  FieldErrors ordered;
  for (const Placed& each : placed) ordered.add(std::move(*each.error));
  return ordered;
}

}  // namespace muster::objects
