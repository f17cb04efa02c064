// SPDX-License-Identifier: Apache-2.0
#include "core/model/read_pod.h"

#include <charconv>

#include "core/loose_pod.h"
#include "core/model/pod_requests.h"
#include "core/queueing/pod_words.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::View;

namespace {

std::optional<std::int64_t> read_rank(View object) {
  std::string_view text = annotations_of(object)[words::completion_index].string_or("");
  if (text.empty()) text = labels_of(object)[words::completion_index].string_or("");
  if (text.empty()) text = labels_of(object)[words::pod_group_pod_index].string_or("");
  if (text.empty()) text = labels_of(object)[words::stateful_pod_index].string_or("");
  std::int64_t rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return rank;
}

std::string read_address(View object) {
  const std::string_view chosen = annotations_of(object)[words::pod_ip].string_or("");
  if (chosen == words::no_address) return {};
  return std::string(chosen.empty() ? object["status"]["podIP"].string_or("") : chosen);
}

bool read_in_topology(View object) {
  const View annotations = annotations_of(object);
  for (const std::string_view name :
       {words::required_topology, words::preferred_topology, words::unconstrained_topology,
        words::slice_required_topology, words::slice_topology_constraints}) {
    if (annotations[name]) return true;
  }
  return false;
}

}  // namespace

Result<Pod> read_pod(View object, ResourceNames& names) {
  const View spec = object["spec"];
  const std::string_view phase = object["status"]["phase"].string_or("");
  Pod pod;
  pod.node_name = spec["nodeName"].string_or("");
  pod.is_host_network = spec["hostNetwork"].boolean_or(false);
  pod.is_gated = !spec["schedulingGates"].empty();
  pod.address = read_address(object);
  pod.is_received = !annotations_of(object)[words::pod_ip].string_or("").empty();
  pod.is_succeeded = phase == "Succeeded";
  pod.is_terminated = pod.is_succeeded || phase == "Failed";
  pod.is_being_deleted = is_being_deleted(object);
  // Pods of an elastic job outlive the slice that their annotation names: their job says which one
  // they belong to.
  if (!annotations_of(object)[words::slice_name]) {
    pod.workload = annotations_of(object)[words::workload].string_or("");
  }
  pod.pod_set = labels_of(object)[words::pod_set].string_or("");
  pod.owner_uid = objects::controller_of(object)["uid"].string_or("");
  pod.rank = read_rank(object);
  pod.is_unmanaged = is_loose_pod(object) && !names_other_scheduler(object);
  pod.is_in_topology = read_in_topology(object);
  pod.created = objects::instant_of(object["metadata"]["creationTimestamp"]).value_or(Instant{});
  pod.requests = TRY(pod_requests(spec, names));
  add_amount(pod.requests, names.pods(), 1, names);
  pod.terms = TRY(read_scheduling_terms(spec));
  pod.labels = read_labels(labels_of(object));
  pod.neighbours = TRY(read_pod_neighbours(spec));
  pod.claims = read_claim_names(spec);
  return pod;
}

}  // namespace muster::core
