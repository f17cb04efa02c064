// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/workload_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/checked.h"
#include "base/timestamp.h"
#include "core/draft.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

using Names = std::set<std::string_view>;

Names all_flavors(View cluster_queue) {
  Names names;
  for (View group : cluster_queue["spec"]["resourceGroups"].elements()) {
    for (View flavor : group["flavors"].elements()) names.insert(flavor["name"].string_or(""));
  }
  return names;
}

Names assigned_flavors(View workload) {
  Names names;
  for (View set : workload["status"]["admission"]["podSetAssignments"].elements()) {
    for (const auto& [resource, flavor] : set["flavors"].members()) {
      names.insert(flavor.string_or(""));
    }
  }
  return names;
}

bool intersects(const Names& a, const Names& b) {
  return std::any_of(a.begin(), a.end(), [&](std::string_view name) { return b.contains(name); });
}

Names checks_for(View workload, View cluster_queue) {
  const Names all = all_flavors(cluster_queue);
  const bool is_assigned = static_cast<bool>(workload["status"]["admission"]);
  const Names assigned = assigned_flavors(workload);
  Names checks;
  const View strategy = cluster_queue["spec"]["admissionChecksStrategy"];
  for (View check : strategy["admissionChecks"].elements()) {
    Names flavors;
    for (View flavor : check["onFlavors"].elements()) flavors.insert(flavor.string_or(""));
    if (flavors.empty()) flavors = all;
    const bool applies =
        is_assigned ? intersects(assigned, flavors)
                    : std::includes(flavors.begin(), flavors.end(), all.begin(), all.end());
    if (applies) checks.insert(check["name"].string_or(""));
  }
  return checks;
}

}  // namespace

Value with_checks_of(const Value& workload, const Value& cluster_queue, Instant now) {
  const View present = workload["status"]["admissionChecks"];
  const Names wanted = checks_for(workload, cluster_queue);
  if (wanted.empty() && present.empty()) return workload;
  std::map<std::string_view, Value> states;  // by name: that is their order
  for (View each : present.elements()) {
    const std::string_view name = each["name"].string_or("");
    if (wanted.contains(name)) states.emplace(name, workload.part(each));
  }
  bool changes = states.size() != present.size();
  for (const std::string_view name : wanted) {
    if (states.contains(name)) continue;
    changes = true;
    states.emplace(
        name, Value::object({{"name", Value::string(name)},
                             {"state", Value::string("Pending")},
                             {"lastTransitionTime", Value::string(format_time(Timestamp::of(now)))},
                             {"message", Value::string("")}}));
  }
  if (!changes) return workload;
  std::vector<Value> list;
  list.reserve(states.size());
  for (auto& [name, state] : states) list.push_back(std::move(state));
  return Draft(workload).set_or_drop({"status", "admissionChecks"}, list_of(list)).value();
}

std::string checks_in_state(View workload, std::string_view state) {
  std::map<std::string_view, std::string> sentences;
  for (View each : workload["status"]["admissionChecks"].elements()) {
    if (each["state"].string_or("") != state) continue;
    const std::string_view name = each["name"].string_or("");
    const std::string_view message = each["message"].string_or("");
    sentences[name] =
        message.empty() ? fmt::format("\"{}\"", name) : fmt::format("\"{}\" ({})", name, message);
  }
  if (sentences.empty()) return {};
  std::vector<std::string> parts;
  parts.reserve(sentences.size());
  for (auto& [name, sentence] : sentences) parts.push_back(std::move(sentence));
  return fmt::format("AdmissionCheck{} in {} state: {}", parts.size() > 1 ? "s" : "", state,
                     fmt::join(parts, "; "));
}

std::optional<Instant> latest_retry(View workload) {
  std::optional<Instant> latest;
  for (View each : workload["status"]["admissionChecks"].elements()) {
    const auto seconds = each["requeueAfterSeconds"].integer();
    const auto since = objects::instant_of(each["lastTransitionTime"]);
    if (!seconds || !since || each["state"].string_or("") != "Retry") continue;
    const std::int64_t span = saturating_multiply(*seconds, 1'000'000'000);
    const Instant retry{saturating_add(since->nanoseconds, span)};
    if (!latest || *latest < retry) latest = retry;
  }
  return latest;
}

Value with_next_try(const Value& workload, std::int64_t count, const WaitForPodsReady& rules,
                    Instant now) {
  constexpr std::int64_t doublings_max = 32;
  const std::int64_t doublings = std::clamp<std::int64_t>(count - 1, 0, doublings_max);
  const std::int64_t seconds =
      std::min(saturating_multiply(rules.backoff_base_seconds, std::int64_t{1} << doublings),
               rules.backoff_max_seconds);
  const Instant next{saturating_add(now.nanoseconds, saturating_multiply(seconds, 1'000'000'000))};
  Draft draft(workload);
  draft.set({"status", "requeueState", "count"}, Value::integer(count));
  const auto present = objects::instant_of(workload["status"]["requeueState"]["requeueAt"]);
  if (!present || *present < next) {
    draft.set({"status", "requeueState", "requeueAt"},
              Value::string(format_time(Timestamp::of(next))));
  }
  return draft.value();
}

}  // namespace muster::core
