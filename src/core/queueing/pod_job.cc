// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/pod_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "core/draft.h"
#include "core/queueing/go_text.h"
#include "core/queueing/pod_words.h"
#include "core/queueing/role_hash.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::annotations_of;
using objects::labels_of;
using objects::Value;
using objects::View;

namespace {

std::string_view phase_of(View pod) {
  return pod["status"]["phase"].string_or("");
}

bool annotation_is(View pod, std::string_view key, std::string_view value) {
  return annotations_of(pod)[key].string_or("") == value;
}

}  // namespace

std::string_view pod_group_of(View pod) {
  const std::string_view annotation = annotations_of(pod)[words::pod_group_name].string_or("");
  return !annotation.empty() ? annotation : labels_of(pod)[words::pod_group_name].string_or("");
}

bool is_managed_pod(View pod) {
  return labels_of(pod)[words::managed].string_or("") == "true";
}

bool is_gated_pod(View pod) {
  for (View gate : pod["spec"]["schedulingGates"].elements()) {
    if (gate["name"].string_or("") == words::admission_gate) return true;
  }
  return false;
}

bool has_ended(View pod) {
  return phase_of(pod) == "Failed" || phase_of(pod) == "Succeeded";
}

bool is_suspended_pod(View pod) {
  return has_ended(pod) || is_gated_pod(pod);
}

bool can_run_or_succeeded(View pod) {
  const bool has_node = !pod["spec"]["nodeName"].string_or("").empty();
  if (objects::is_being_deleted(pod) && !has_node) return false;
  return phase_of(pod) != "Failed";
}

bool is_unretriable(View pod) {
  return annotation_is(pod, words::retriable_in_group, "false");
}

bool is_fast(View pod) {
  return annotation_is(pod, words::pod_group_fast_admission, "true");
}

bool is_serving(View pod) {
  return annotation_is(pod, words::pod_group_serving, "true");
}

std::string role_of(View pod) {
  const View known = annotations_of(pod)[words::role_hash];
  return known.is_string() ? std::string(known.string_or("")) : role_hash(pod["spec"]);
}

Result<std::int64_t> group_total_of(View pod) {
  if (pod_group_of(pod).empty()) {
    return Error::invalid(
        fmt::format("pod doesn't have a '{}' annotation/label", words::pod_group_name));
  }
  const View annotation = annotations_of(pod)[words::pod_group_total_count];
  if (!annotation.is_string()) {
    return Error::invalid(
        fmt::format("failed to extract '{}' annotation", words::pod_group_total_count));
  }
  const std::int64_t total = TRY(parse_go_integer(annotation.string_or("")));
  if (total < 1) {
    return Error::invalid(fmt::format(
        "incorrect annotation value '{}={}': group total count should be greater than zero",
        words::pod_group_total_count, annotation.string_or("")));
  }
  return total;
}

std::optional<Instant> given_up_at(View pod) {
  const auto deleted = objects::instant_of(pod["metadata"]["deletionTimestamp"]);
  const auto grace = pod["metadata"]["deletionGracePeriodSeconds"].integer();
  if (!deleted || !grace || phase_of(pod) != "Running") return std::nullopt;
  const std::int64_t seconds = std::clamp<std::int64_t>(*grace, 0, INT32_MAX);
  return Instant{saturating_add(deleted->nanoseconds, seconds * 1'000'000'000)};
}

bool holds_its_node(View pod, Instant now) {
  if (phase_of(pod) != "Running") return false;
  const auto end = given_up_at(pod);
  return !end || now.nanoseconds <= end->nanoseconds;
}

Value pod_job(std::string_view group, std::span<const Value> pods, Instant now) {
  const bool is_active = std::any_of(pods.begin(), pods.end(),
                                     [&](const Value& pod) { return holds_its_node(pod, now); });
  Draft draft(pods[0]);
  draft.set({"members"}, list_of(pods))
      .set({"isActive"}, Value::boolean(is_active))
      .set({"isGroup"}, Value::boolean(!group.empty()));
  // A group lives on when the first of its pods goes.
  if (!group.empty()) draft.drop({"metadata", "deletionTimestamp"});
  return draft.value();
}

bool is_group(View job) {
  return job["isGroup"].boolean_or(false);
}

}  // namespace muster::core
