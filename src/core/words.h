// The names that Kueue, Kubernetes and Muster itself use in labels, annotations, finalizers, gates
// and conditions. One place, because a typo in one of them is a job that is silently ignored.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace muster::core::words {

// Kueue's labels and annotations.
inline constexpr std::string_view queue_name = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view priority_class = "kueue.x-k8s.io/priority-class";
inline constexpr std::string_view job_uid = "kueue.x-k8s.io/job-uid";
inline constexpr std::string_view pod_set = "kueue.x-k8s.io/podset";
inline constexpr std::string_view workload = "kueue.x-k8s.io/workload";
inline constexpr std::string_view managed = "kueue.x-k8s.io/managed";
inline constexpr std::string_view local_queue_name = "kueue.x-k8s.io/local-queue-name";
inline constexpr std::string_view cluster_queue_name = "kueue.x-k8s.io/cluster-queue-name";
inline constexpr std::string_view prebuilt_workload = "kueue.x-k8s.io/prebuilt-workload-name";
inline constexpr std::string_view maximum_execution_seconds =
    "kueue.x-k8s.io/max-exec-time-seconds";
inline constexpr std::string_view minimum_parallelism = "kueue.x-k8s.io/job-min-parallelism";
inline constexpr std::string_view completions_equal_parallelism =
    "kueue.x-k8s.io/job-completions-equal-parallelism";
inline constexpr std::string_view stopping = "kueue.x-k8s.io/stopping";
inline constexpr std::string_view required_topology = "kueue.x-k8s.io/podset-required-topology";
inline constexpr std::string_view preferred_topology = "kueue.x-k8s.io/podset-preferred-topology";
inline constexpr std::string_view unconstrained_topology =
    "kueue.x-k8s.io/podset-unconstrained-topology";
inline constexpr std::string_view slice_required_topology =
    "kueue.x-k8s.io/podset-slice-required-topology";
inline constexpr std::string_view slice_size = "kueue.x-k8s.io/podset-slice-size";
inline constexpr std::string_view slice_topology_constraints =
    "kueue.x-k8s.io/podset-slice-required-topology-constraints";
inline constexpr std::string_view pod_set_group_name = "kueue.x-k8s.io/podset-group-name";
inline constexpr std::string_view elastic_job = "kueue.x-k8s.io/elastic-job";
inline constexpr std::string_view provisioning_parameter_prefix = "provreq.kueue.x-k8s.io/";
inline constexpr std::string_view default_queue = "default";
inline constexpr std::string_view resource_in_use = "kueue.x-k8s.io/resource-in-use";
inline constexpr std::string_view admission_gate = "kueue.x-k8s.io/admission";
inline constexpr std::string_view admission_gated_by = "kueue.x-k8s.io/admission-gated-by";

inline constexpr std::string_view priority_boost = "kueue.x-k8s.io/priority-boost";
inline constexpr std::string_view slice_replacement_for =
    "kueue.x-k8s.io/workload-slice-replacement-for";
// The first of the slices, by whose name the pods of all of them are known.
inline constexpr std::string_view slice_name = "kueue.x-k8s.io/workload-slice-name";
inline constexpr std::string_view allowed_flavors =
    "kueue.x-k8s.io/workload-allowed-resource-flavors";
inline constexpr std::string_view is_group_workload = "kueue.x-k8s.io/is-group-workload";
inline constexpr std::string_view job_owner_gvk = "kueue.x-k8s.io/job-owner-gvk";
inline constexpr std::string_view job_owner_name = "kueue.x-k8s.io/job-owner-name";

// Kubernetes' own.
inline constexpr std::string_view hostname_label = "kubernetes.io/hostname";
inline constexpr std::string_view job_tracking = "batch.kubernetes.io/job-tracking";
inline constexpr std::string_view completion_index = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view index_failures = "batch.kubernetes.io/job-index-failure-count";
inline constexpr std::string_view index_ignored_failures =
    "batch.kubernetes.io/job-index-ignored-failure-count";
inline constexpr std::string_view stateful_pod_index = "apps.kubernetes.io/pod-index";
inline constexpr std::string_view scheduled_timestamp =
    "batch.kubernetes.io/cronjob-scheduled-timestamp";
inline constexpr std::string_view job_name_label = "batch.kubernetes.io/job-name";
inline constexpr std::string_view controller_uid_label = "batch.kubernetes.io/controller-uid";
inline constexpr std::string_view legacy_job_name_label = "job-name";
inline constexpr std::string_view legacy_controller_uid_label = "controller-uid";
inline constexpr std::string_view multikueue_controller = "kueue.x-k8s.io/multikueue";
inline constexpr std::string_view provisioning_controller = "kueue.x-k8s.io/provisioning-request";
inline constexpr std::string_view job_controller = "kubernetes.io/job-controller";
inline constexpr std::string_view unreachable_taint = "node.kubernetes.io/unreachable";
inline constexpr std::string_view not_ready_taint = "node.kubernetes.io/not-ready";

// Muster's own annotations on pods. gang: which admission of which Workload the pod was made for;
// gang-size: how many pods of that admission must be bound, in whatever phase they are by then,
// before this one starts; both written at un-suspension. pod-ip: the address chosen when the pod
// was bound, or received on the node that somebody else chose, copied from the Binding; no_address
// where it has none of its own. Without it nothing starts: it says that there is room. A tenant
// cannot set them: the server drops them from what tenants write.
inline constexpr std::string_view gang = "muster.dev/gang";
inline constexpr std::string_view gang_size = "muster.dev/gang-size";
inline constexpr std::string_view pod_ip = "muster.dev/pod-ip";
inline constexpr std::string_view no_address = "None";

// Marks what is kept and does nothing, because Muster does its work; the server writes it.
inline constexpr std::string_view superseded = "muster.dev/superseded";

// Muster's own condition on jobs: something in the spec is not served here, and which.
inline constexpr std::string_view unserved = "muster.dev/Unserved";

// Muster's own annotation on a ClusterQueue: none, checked or pinned, instead of the policy's.
inline constexpr std::string_view placement = "muster.dev/placement";
inline constexpr std::string_view run_time = "muster.dev/run-time";  // estimated: "90m"

// Annotations of pretend pods: how long the pod runs and how it ends.
inline constexpr std::string_view pretend_run_seconds = "muster.dev/pretend-run-seconds";
inline constexpr std::string_view pretend_exit_code = "muster.dev/pretend-exit-code";
inline constexpr std::string_view pretend_ignores_stop = "muster.dev/pretend-ignores-sigterm";
inline constexpr std::string_view pretend_image_error = "muster.dev/pretend-image-error";

}  // namespace muster::core::words
