// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/replica_pods.h"

#include <algorithm>
#include <tuple>

#include "base/checked.h"
#include "base/sha1.h"
#include "core/draft.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

std::string_view phase_of(View pod) {
  return pod["status"]["phase"].string_or("Pending");
}

int rank_of_phase(View pod) {
  const std::string_view phase = phase_of(pod);
  if (phase == "Running") return 2;
  return phase == "Unknown" ? 1 : 0;
}

std::int64_t restarts_of(View pod) {
  std::int64_t most = 0;
  for (View each : pod["status"]["containerStatuses"].elements()) {
    most = std::max(most, each["restartCount"].integer_or(0));
  }
  return most;
}

bool goes_before(const Value& a, const Value& b) {
  const auto progress = [](View pod) {
    return std::tuple(!pod["spec"]["nodeName"].string_or("").empty(), rank_of_phase(pod),
                      is_ready_replica(pod));
  };
  if (progress(a) != progress(b)) return progress(a) < progress(b);
  const auto ready_since = [](View pod) {
    return objects::condition(pod, "Ready")["lastTransitionTime"].string_or("");
  };
  if (is_ready_replica(a) && ready_since(a) != ready_since(b)) {
    return ready_since(a) > ready_since(b);
  }
  if (restarts_of(a) != restarts_of(b)) return restarts_of(a) > restarts_of(b);
  const auto created = [](View pod) { return pod["metadata"]["creationTimestamp"].string_or(""); };
  if (created(a) != created(b)) return created(a) > created(b);
  return objects::name_of(a) > objects::name_of(b);
}

}  // namespace

bool is_active_replica(View pod) {
  const std::string_view phase = phase_of(pod);
  return phase != "Succeeded" && phase != "Failed" && !objects::is_being_deleted(pod);
}

bool is_ready_replica(View pod) {
  return objects::is_true(objects::condition(pod, "Ready"));
}

std::optional<Instant> available_at(View pod, std::int64_t minimum_ready_seconds) {
  const View ready = objects::condition(pod, "Ready");
  if (!objects::is_true(ready)) return std::nullopt;
  const Instant since = objects::instant_of(ready["lastTransitionTime"]).value_or(Instant{});
  const std::int64_t wait = saturating_multiply(minimum_ready_seconds, nanoseconds_per_second);
  return Instant{saturating_add(since.nanoseconds, wait)};
}

std::vector<Value> in_order_of_removal(std::span<const Value> pods) {
  std::vector<Value> active;
  for (const Value& pod : pods) {
    if (is_active_replica(pod)) active.push_back(pod);
  }
  std::sort(active.begin(), active.end(), goes_before);
  return active;
}

Value pod_of_template(const objects::Resource& resource, const Value& owner) {
  const View pod_template = owner["spec"]["template"];
  const auto part = [&](View of) { return owner.part(of); };
  Draft pod(Value::object({{"apiVersion", Value::string("v1")}, {"kind", Value::string("Pod")}}));
  pod.set({"metadata", "namespace"}, Value::string(objects::namespace_of(owner)))
      .set_or_drop({"metadata", "labels"}, part(pod_template["metadata"]["labels"]))
      .set_or_drop({"metadata", "annotations"}, part(pod_template["metadata"]["annotations"]))
      .set_or_drop({"metadata", "finalizers"}, part(pod_template["metadata"]["finalizers"]))
      .set({"metadata", "ownerReferences"},
           Value::array({controller_reference(resource.api_version(), resource.kind, owner)}))
      .set({"spec"}, part(pod_template["spec"]));
  return pod.value();
}

std::string suffix_following(std::string_view text, std::size_t length) {
  constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
  const Sha1 digest = sha1(text);
  std::string suffix;
  for (std::size_t i = 0; i < length; ++i) {
    suffix.push_back(letters[digest[i % digest.size()] % letters.size()]);
  }
  return suffix;
}

}  // namespace muster::core
