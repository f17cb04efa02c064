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
inline constexpr std::string_view resource_in_use = "kueue.x-k8s.io/resource-in-use";
inline constexpr std::string_view admission_gate = "kueue.x-k8s.io/admission";

// Kubernetes' own.
inline constexpr std::string_view hostname_label = "kubernetes.io/hostname";
inline constexpr std::string_view job_tracking = "batch.kubernetes.io/job-tracking";
inline constexpr std::string_view completion_index = "batch.kubernetes.io/job-completion-index";

// Muster's own annotations on pods. gang-size: how many pods must be bound before the first of them
// starts; written at un-suspension. pod-ip: the address chosen when the pod was bound, copied from
// the Binding. A tenant cannot set them: the server drops them from what tenants write.
inline constexpr std::string_view gang_size = "muster.dev/gang-size";
inline constexpr std::string_view pod_ip = "muster.dev/pod-ip";

// Annotations of pretend pods: how long the pod runs and how it ends.
inline constexpr std::string_view pretend_run_seconds = "muster.dev/pretend-run-seconds";
inline constexpr std::string_view pretend_exit_code = "muster.dev/pretend-exit-code";
inline constexpr std::string_view pretend_ignores_stop = "muster.dev/pretend-ignores-sigterm";
inline constexpr std::string_view pretend_image_error = "muster.dev/pretend-image-error";

}  // namespace muster::core::words
