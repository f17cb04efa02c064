// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/pod_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "core/draft.h"
#include "core/queueing/go_text.h"
#include "core/queueing/job_queue.h"
#include "core/queueing/pod_job.h"
#include "core/queueing/pod_words.h"
#include "core/queueing/workload_status.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

constexpr std::size_t roles_max = 18;
constexpr std::string_view replacement_condition = "WaitingForReplacementPods";

Instant created_at(View pod) {
  return objects::instant_of(pod["metadata"]["creationTimestamp"]).value_or(Instant{});
}

bool has_no_finalizer(View pod) {
  return !objects::has_finalizer(pod, words::pod_finalizer);
}

// When the pod failed or was deleted, whichever came first.
Instant last_active(View pod, Instant now) {
  Instant failed = now;
  const View ready = objects::condition(pod, "ContainersReady");
  if (objects::is_false(ready) && ready["reason"].string_or("") == "PodFailed") {
    failed = objects::instant_of(ready["lastTransitionTime"]).value_or(now);
  }
  const Instant deleted = objects::instant_of(pod["metadata"]["deletionTimestamp"]).value_or(now);
  return failed.nanoseconds < deleted.nanoseconds ? failed : deleted;
}

// With a finalizer first, then those that were active last; names settle the rest.
void sort_ended(std::vector<Value>& pods, Instant now) {
  std::stable_sort(pods.begin(), pods.end(), [now](const Value& a, const Value& b) {
    const auto rank = [now](View pod) {
      return std::tuple(has_no_finalizer(pod), -last_active(pod, now).nanoseconds,
                        created_at(pod).nanoseconds, objects::name_of(pod));
    };
    return rank(a) < rank(b);
  });
}

void take(std::vector<Value>& from, std::size_t first, std::vector<Value>& rest,
          std::vector<Value>& taken) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    (i < first ? rest : taken).push_back(std::move(from[i]));
  }
}

std::int64_t absent_of(View any_pod, std::int64_t wanted, std::int64_t there) {
  if (is_fast(any_pod)) return wanted > 0 && there == 0 ? 1 : 0;
  return std::max<std::int64_t>(wanted - there, 0);
}

struct Role {
  std::string name;
  std::int64_t count = 0;
};

std::vector<Role> roles_of(View job) {
  std::map<std::string, std::int64_t> counts;
  for (View pod : members_of(job).elements()) {
    if (can_run_or_succeeded(pod)) ++counts[role_of(pod)];
  }
  std::vector<Role> roles;
  roles.reserve(counts.size());
  for (const auto& [name, count] : counts) roles.push_back({name, count});
  return roles;
}

Result<void> check_index(View pod, std::int64_t total) {
  const View label = objects::labels_of(pod)[words::pod_group_pod_index];
  if (!label.is_string()) return {};
  const auto index = parse_go_integer(label.string_or(""));
  const auto refused = [&](std::string_view why) {
    return Error::invalid(fmt::format("incorrect label value \"{}\" for Pod \"{}\": {}",
                                      label.string_or(""), objects::key_of(pod).to_string(), why));
  };
  if (!index || *index < 0) return refused("invalid unsigned integer");
  if (*index >= total) {
    return refused(fmt::format("validation error: value should be less than {}", total));
  }
  return {};
}

Result<void> check_member(View first, View pod, std::int64_t total) {
  if (queue_name_of(pod) != queue_name_of(first)) {
    return Error::invalid(fmt::format("pods '{}' and '{}' has different queue names: {}!={}",
                                      objects::name_of(first), objects::name_of(pod),
                                      queue_name_of(first), queue_name_of(pod)));
  }
  const auto its_total =
      parse_go_integer(objects::annotations_of(pod)[words::pod_group_total_count].string_or(""));
  if (!its_total) {
    return Error::invalid(fmt::format("failed to extract '{}' annotation from the pod '{}': {}",
                                      words::pod_group_total_count, objects::name_of(pod),
                                      its_total.error().message));
  }
  if (*its_total != total) {
    return Error::invalid(fmt::format("pods '{}' and '{}' has different '{}' values: {}!={}",
                                      objects::name_of(first), objects::name_of(pod),
                                      words::pod_group_total_count, total, *its_total));
  }
  return {};
}

Value owner_reference(View pod) {
  return Value::object({{"apiVersion", Value::string("v1")},
                        {"kind", Value::string("Pod")},
                        {"name", Value::string(objects::name_of(pod))},
                        {"uid", Value::string(objects::uid_of(pod))}});
}

}  // namespace

void sort_to_keep(std::vector<Value>& pods) {
  std::stable_sort(pods.begin(), pods.end(), [](const Value& a, const Value& b) {
    const auto rank = [](View pod) {
      return std::tuple(has_no_finalizer(pod), is_gated_pod(pod), created_at(pod).nanoseconds,
                        objects::name_of(pod));
    };
    return rank(a) < rank(b);
  });
}

GroupPods sort_group(std::span<const Value> pods, const Value& workload, Instant now) {
  GroupPods sorted;
  for (View set : workload["spec"]["podSets"].elements()) {
    const std::int64_t wanted = std::max<std::int64_t>(set["count"].integer_or(1), 0);
    std::vector<Value> able;
    std::vector<Value> ended;
    for (const Value& pod : pods) {
      if (role_of(pod) != set["name"].string_or("")) continue;
      (can_run_or_succeeded(pod) ? able : ended).push_back(pod);
    }
    const auto there = static_cast<std::int64_t>(able.size());
    sorted.absent += absent_of(pods[0], wanted, there);
    // What ended stays until a pod that can run has come in its place.
    const std::size_t awaited = static_cast<std::size_t>(std::max<std::int64_t>(wanted - there, 0));
    sort_to_keep(able);
    sort_ended(ended, now);
    take(able, static_cast<std::size_t>(wanted), sorted.kept, sorted.excess);
    take(ended, awaited, sorted.kept, sorted.replaced);
  }
  return sorted;
}

Result<void> check_group(std::string_view group, std::span<const Value> pods) {
  const View first = pods[0];
  const std::int64_t total = TRY(group_total_of(first));
  if (auto checked = check_index(first, total); !checked) return checked;
  const auto able = std::count_if(pods.begin(), pods.end(),
                                  [](const Value& pod) { return can_run_or_succeeded(pod); });
  if (!is_fast(first) && able < total) {
    return Error::invalid(fmt::format("'{}' group has fewer runnable pods than expected", group));
  }
  std::map<std::string, std::int64_t> roles;
  for (const Value& pod : pods) {
    if (pod["status"]["phase"].string_or("") == "Failed") continue;
    if (auto checked = check_member(first, pod, total); !checked) return checked;
    ++roles[role_of(pod)];
  }
  if (!is_fast(first) && roles.size() > roles_max) {
    return Error::invalid(fmt::format("pod group can't include more than {} roles", roles_max));
  }
  return {};
}

bool group_matches(const Value& job, const Value& workload) {
  if (objects::name_of(workload) != pod_group_of(job)) return false;
  const bool finished = is_finished(workload);
  const View sets = workload["spec"]["podSets"];
  const std::vector<Role> roles = roles_of(job);
  if (!finished && sets.size() < roles.size()) return false;
  for (const Role& role : roles) {
    std::optional<std::int64_t> wanted;
    for (View set : sets.elements()) {
      if (set["name"].string_or("") == role.name) wanted = set["count"].integer_or(1);
    }
    if (!wanted || (!finished && *wanted < role.count)) return false;
  }
  return true;
}

OwnersAdded with_owners(const Value& workload, std::span<const Value> pods) {
  std::vector<Value> owners;
  for (View each : workload["metadata"]["ownerReferences"].elements()) {
    owners.push_back(workload.part(each));
  }
  OwnersAdded added{.workload = workload};
  for (const Value& pod : pods) {
    const auto same = [&](const Value& owner) {
      return owner["uid"].string_or("") == objects::uid_of(pod);
    };
    if (std::any_of(owners.begin(), owners.end(), same)) continue;
    owners.push_back(owner_reference(pod));
    ++added.count;
  }
  if (added.count > 0) {
    added.workload = Draft(workload).set({"metadata", "ownerReferences"}, list_of(owners)).value();
  }
  return added;
}

Value group_workload(const Value& job, const Value& workload) {
  std::vector<Value> pods;
  for (View pod : members_of(job).elements()) pods.push_back(job.part(pod));
  Draft draft(workload);
  draft.set({"metadata", "name"}, Value::string(pod_group_of(job)))
      .set({"metadata", "annotations", words::is_group_workload}, Value::string("true"))
      .drop({"metadata", "labels", words::job_uid})
      .drop({"metadata", "ownerReferences"});
  if (objects::labels_of(draft.value()).empty()) draft.drop({"metadata", "labels"});
  return with_owners(draft.value(), pods).workload;
}

Value with_replacement_wait(const Value& workload, bool waits, Instant now) {
  const View present = objects::condition(workload, replacement_condition);
  if (!present && !waits) return workload;
  Statement next{
      .type = std::string(replacement_condition), .holds = waits, .reason = {}, .message = {}};
  if (!waits) {
    if (objects::is_false(present)) return workload;
    next.reason = "PodsReady";
    next.message = "No pods need replacement";
  } else if (is_evicted(workload)) {
    const View eviction = objects::condition(workload, "Evicted");
    next.reason = eviction["reason"].string_or("");
    next.message = eviction["message"].string_or("");
    if (objects::is_true(present) && present["reason"].string_or("") == next.reason &&
        present["message"].string_or("") == next.message) {
      return workload;
    }
  } else {
    if (objects::is_true(present)) return workload;
    next.reason = "PodsFailed";
    next.message = "Some Failed pods need replacement";
  }
  return stating(workload, next, now);
}

}  // namespace muster::core
