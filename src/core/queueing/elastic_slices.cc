// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/elastic_slices.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "core/draft.h"
#include "core/queueing/reconcile_workload.h"
#include "core/queueing/validate_workload.h"
#include "core/queueing/workload_status.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::annotations_of;
using objects::Value;
using objects::View;

namespace {

std::optional<std::int64_t> count_in(std::span<const PodSet> pod_sets, std::string_view name) {
  const auto found = std::find_if(pod_sets.begin(), pod_sets.end(),
                                  [&](const PodSet& set) { return set.name == name; });
  return found == pod_sets.end() ? std::nullopt : std::optional(found->count);
}

// Of two that claim the same place the one that has it.
using Replacements = std::map<std::string_view, const Value*>;

Replacements replacements_in(const std::vector<const Value*>& slices) {
  Replacements replacements;
  for (const Value* slice : slices) {
    const std::string_view place = replaced_by(*slice);
    if (place.empty()) continue;
    const Value*& known = replacements[place];
    if (known == nullptr || (!has_reservation(*known) && has_reservation(*slice))) known = slice;
  }
  return replacements;
}

bool has_gate(View pod) {
  for (const View gate : pod["spec"]["schedulingGates"].elements()) {
    if (gate["name"].string_or("") == words::elastic_job) return true;
  }
  return false;
}

Value without_gate(const Value& pod) {
  std::vector<Value> kept;
  for (const View gate : pod["spec"]["schedulingGates"].elements()) {
    if (gate["name"].string_or("") != words::elastic_job) kept.push_back(pod.part(gate));
  }
  return Draft(pod).set_or_drop({"spec", "schedulingGates"}, list_of(kept)).value();
}

bool has_ended(View pod) {
  const std::string_view phase = pod["status"]["phase"].string_or("");
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

bool is_elastic_job(const Reconciled& given) {
  static const FeatureGates usual;
  return is_elastic(given.job, given.gates == nullptr ? usual : *given.gates);
}

bool is_slice(View workload) {
  return annotations_of(workload)[words::elastic_job].string_or("") == "true";
}

std::string_view slice_name_of(View workload) {
  const std::string_view first = annotations_of(workload)[words::slice_name].string_or("");
  return first.empty() ? objects::name_of(workload) : first;
}

std::string_view replaced_by(View workload) {
  return annotations_of(workload)[words::slice_replacement_for].string_or("");
}

Slices slices_of(std::span<const Value> workloads) {
  std::vector<const Value*> sorted;
  for (const Value& each : workloads) sorted.push_back(&each);
  const auto age = [](const Value* slice) {
    return std::tuple((*slice)["metadata"]["creationTimestamp"].string_or(""),
                      objects::uid_of(*slice), objects::name_of(*slice));
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](const Value* a, const Value* b) { return age(a) < age(b); });
  const Replacements replacements = replacements_in(sorted);
  const auto replacement_of = [&](const Value& slice) -> const Value* {
    const auto found = replacements.find(objects::key_of(slice).to_string());
    return found == replacements.end() ? nullptr : found->second;
  };
  const Value* holder = nullptr;
  for (const Value* slice : sorted) {
    if (!has_reservation(*slice)) continue;
    const Value* next = replacement_of(*slice);
    if (next == nullptr || !has_reservation(*next)) holder = slice;
  }
  const Value* waiting = holder == nullptr ? nullptr : replacement_of(*holder);
  const Value* current = waiting != nullptr ? waiting : holder;
  if (current == nullptr && !sorted.empty()) current = sorted.back();
  Slices slices;
  if (current != nullptr) slices.current = *current;
  if (waiting != nullptr) slices.retained = *holder;
  for (const Value* slice : sorted) {
    if (slice == current || slice == holder) continue;
    slices.stale.push_back({*slice, replacement_of(*slice) != nullptr});
  }
  return slices;
}

bool has_counts_of(const Value& slice, std::span<const PodSet> pod_sets) {
  for (const View set : slice["spec"]["podSets"].elements()) {
    const auto count = count_in(pod_sets, set["name"].string_or(""));
    if (count && *count != set["count"].integer_or(0)) return false;
  }
  return true;
}

bool is_scaled_down(const Value& slice, std::span<const PodSet> pod_sets) {
  bool is_smaller = false;
  for (const View set : slice["spec"]["podSets"].elements()) {
    const std::int64_t before = set["count"].integer_or(0);
    const std::int64_t now = count_in(pod_sets, set["name"].string_or("")).value_or(before);
    if (now > before) return false;
    is_smaller = is_smaller || now < before;
  }
  return is_smaller;
}

Value with_counts(const Value& slice, std::span<const PodSet> pod_sets) {
  std::vector<Value> sets;
  for (const View set : slice["spec"]["podSets"].elements()) {
    Draft draft(slice.part(set));
    if (const auto count = count_in(pod_sets, set["name"].string_or(""))) {
      draft.set({"count"}, Value::integer(*count));
    }
    sets.push_back(draft.value());
  }
  return Draft(slice).set({"spec", "podSets"}, list_of(sets)).value();
}

std::vector<Edit> ungated_pods(const Value& slice, std::span<const Value> pods) {
  if (!is_admitted(slice) || is_evicted(slice)) return {};
  std::map<std::string_view, std::int64_t> room;
  for (const View set : slice["spec"]["podSets"].elements()) {
    room[set["name"].string_or("")] = set["count"].integer_or(0);
  }
  const std::string_view chain = slice_name_of(slice);
  std::vector<const Value*> gated;
  for (const Value& pod : pods) {
    if (annotations_of(pod)[words::slice_name].string_or("") != chain || has_ended(pod)) continue;
    if (has_gate(pod)) {
      gated.push_back(&pod);
    } else {
      --room[objects::labels_of(pod)[words::pod_set].string_or("")];
    }
  }
  std::sort(gated.begin(), gated.end(), [](const Value* a, const Value* b) {
    return objects::name_of(*a) < objects::name_of(*b);
  });
  std::vector<Edit> edits;
  for (const Value* pod : gated) {
    if (--room[objects::labels_of(*pod)[words::pod_set].string_or("")] < 0) continue;
    Edit edit = Edit::update(objects::resources::pods, without_gate(*pod));
    edit.alongside = true;
    edits.push_back(std::move(edit));
  }
  return edits;
}

}  // namespace muster::core
