// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/pod_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/quantity.h"
#include "core/draft.h"

namespace muster::core {

using objects::MemberView;
using objects::Value;
using objects::View;

Value to_value(const PodSet& set) {
  Draft draft(Value::object({{"name", Value::string(set.name)},
                             {"count", Value::integer(set.count)},
                             {"template", set.pod_template}}));
  if (set.minimum_count) draft.set({"minCount"}, Value::integer(*set.minimum_count));
  if (set.topology_request) draft.set({"topologyRequest"}, set.topology_request);
  return draft.value();
}

std::vector<PodSet> pod_sets_of(const Value& workload) {
  std::vector<PodSet> sets;
  for (View each : workload["spec"]["podSets"].elements()) {
    PodSet set;
    set.name = each["name"].string_or(main_pod_set);
    set.pod_template = workload.part(each["template"]);
    set.count = each["count"].integer_or(1);
    set.minimum_count = each["minCount"].integer();
    if (each["topologyRequest"]) set.topology_request = workload.part(each["topologyRequest"]);
    sets.push_back(std::move(set));
  }
  return sets;
}

namespace {

Result<Value> merged(const Value& pod_template, View present, const StringPairs& added,
                     std::string_view what) {
  StringPairs all;
  for (MemberView member : present.members()) {
    all.emplace_back(member.key, member.value.string_or(""));
  }
  for (const auto& [key, value] : added) {
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&key = key](const auto& each) { return each.first == key; });
    if (same != all.end() && same->second != value) {
      return Error::invalid(
          fmt::format("invalid admission check PodSetUpdate: conflict for {}: conflict for key={}, "
                      "value1={}, value2={}",
                      what, key, same->second, value));
    }
    if (same == all.end()) all.emplace_back(key, value);
  }
  if (added.empty()) return pod_template.part(present);
  return string_map(all);
}

Value with_tolerations(const Value& pod_template, std::span<const Value> added) {
  std::vector<Value> all;
  for (View each : pod_template["spec"]["tolerations"].elements()) {
    all.push_back(pod_template.part(each));
  }
  for (const Value& each : added) {
    const auto same = [&](const Value& other) { return other.view() == each.view(); };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(each);
  }
  return list_of(all);
}

}  // namespace

Result<Value> injected(const Value& pod_template, const PodSetInjection& injection) {
  const Value annotations = TRY(merged(pod_template, pod_template["metadata"]["annotations"],
                                       injection.annotations, "annotations"));
  const Value labels =
      TRY(merged(pod_template, pod_template["metadata"]["labels"], injection.labels, "labels"));
  const Value selector = TRY(merged(pod_template, pod_template["spec"]["nodeSelector"],
                                    injection.node_selector, "nodeSelector"));
  return Draft(pod_template)
      .set_or_drop({"metadata", "annotations"}, annotations)
      .set_or_drop({"metadata", "labels"}, labels)
      .set_or_drop({"spec", "nodeSelector"}, selector)
      .set_or_drop({"spec", "tolerations"}, with_tolerations(pod_template, injection.tolerations))
      .value();
}

Value restored(const Value& pod_template, const Value& original,
               std::span<const std::string_view> kept_labels) {
  StringPairs labels;
  for (MemberView member : original["metadata"]["labels"].members()) {
    labels.emplace_back(member.key, member.value.string_or(""));
  }
  for (const std::string_view key : kept_labels) {
    const View there = pod_template["metadata"]["labels"][key];
    if (there) labels.emplace_back(key, there.string_or(""));
  }
  const auto part = [&](std::string_view parent, std::string_view key) {
    return original.part(original[parent][key]);
  };
  return Draft(pod_template)
      .set_or_drop({"metadata", "annotations"}, part("metadata", "annotations"))
      .set_or_drop({"metadata", "labels"}, string_map(labels))
      .set_or_drop({"spec", "nodeSelector"}, part("spec", "nodeSelector"))
      .set_or_drop({"spec", "tolerations"}, part("spec", "tolerations"))
      .set_or_drop({"spec", "schedulingGates"}, part("spec", "schedulingGates"))
      .value();
}

namespace {

bool is_empty(View view) {
  if (view.is_absent() || view.is_null()) return true;
  return (view.is_object() || view.is_array()) && view.empty();
}

std::optional<Quantity> quantity_of(View view) {
  std::string text(view.string_or(""));
  if (view.is_integer()) text = std::to_string(view.integer_or(0));
  auto parsed = Quantity::parse(text);
  if (!parsed) return std::nullopt;
  return *std::move(parsed);
}

bool says_the_same(View a, View b, bool are_quantities);

bool objects_say_the_same(View a, View b, bool are_quantities) {
  const auto below = [&](std::string_view key) {
    return are_quantities || key == "requests" || key == "limits";
  };
  for (MemberView member : a.members()) {
    if (!says_the_same(member.value, b[member.key], below(member.key))) return false;
  }
  for (MemberView member : b.members()) {
    if (!a[member.key] && !is_empty(member.value)) return false;
  }
  return true;
}

bool says_the_same(View a, View b, bool are_quantities) {
  if (is_empty(a) || is_empty(b)) return is_empty(a) && is_empty(b);
  if (a.is_object() && b.is_object()) return objects_say_the_same(a, b, are_quantities);
  if (a.is_array() && b.is_array()) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!says_the_same(a[i], b[i], are_quantities)) return false;
    }
    return true;
  }
  if (a == b) return true;
  if (!are_quantities) return false;
  const auto left = quantity_of(a);
  const auto right = quantity_of(b);
  return left && right && (*left <=> *right) == 0;
}

bool same_pod_set(const PodSet& a, const PodSet& b, Tolerations tolerations) {
  if (a.count != b.count || a.minimum_count != b.minimum_count) return false;
  const View left = a.pod_template["spec"];
  const View right = b.pod_template["spec"];
  if (tolerations == Tolerations::compared &&
      !says_the_same(left["tolerations"], right["tolerations"], false)) {
    return false;
  }
  return says_the_same(left["initContainers"], right["initContainers"], false) &&
         says_the_same(left["containers"], right["containers"], false);
}

}  // namespace

bool same_pod_sets(std::span<const PodSet> a, std::span<const PodSet> b, Tolerations tolerations) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const PodSet& x, const PodSet& y) {
    return same_pod_set(x, y, tolerations);
  });
}

namespace {

// Nothing when no name repeats.
std::optional<Value> unrepeated(const Value& pod_template, View variables) {
  std::vector<Value> kept;
  std::map<std::string_view, std::size_t> places;
  for (View each : variables.elements()) {
    const auto [place, is_new] = places.try_emplace(each["name"].string_or(""), kept.size());
    if (is_new) {
      kept.push_back(pod_template.part(each));
    } else {
      kept[place->second] = pod_template.part(each);
    }
  }
  if (kept.size() == variables.size()) return std::nullopt;
  return list_of(kept);
}

}  // namespace

Value without_repeated_variables(const Value& pod_template) {
  Draft draft(pod_template);
  for (const std::string_view list : {"containers", "initContainers"}) {
    const View containers = pod_template["spec"][list];
    for (std::size_t i = 0; i < containers.size(); ++i) {
      if (auto kept = unrepeated(pod_template, containers[i]["env"])) {
        draft.set({"spec", list, i, "env"}, *kept);
      }
    }
  }
  return draft.value();
}

}  // namespace muster::core
