// SPDX-License-Identifier: Apache-2.0
#include "core/model/effective_requests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace muster::core {

using objects::View;

namespace {

constexpr std::string_view over_limit = "requests must not exceed its limits";
constexpr std::string_view above_range = "requests must not be above the limitRange max";
constexpr std::string_view below_range = "requests must not be below the limitRange min";

void add_overhead(PodSpecResources& spec, View pod_spec, const RequestRules& rules) {
  const View name = pod_spec["runtimeClassName"];
  if (rules.overheads == nullptr || !name.is_string() || !spec.overhead.empty()) return;
  const auto found = rules.overheads->find(*name.string());
  if (found != rules.overheads->end()) spec.overhead = found->second;
}

void apply_defaults(PodSpecResources& spec, const LimitSummary& limits) {
  const auto apply = [](ContainerResources& to, const LimitSummary::Limits& from) {
    fill_in(to.limits, from.default_limits);
    fill_in(to.requests, from.default_requests);
  };
  for (ContainerResources& each : spec.init_containers) apply(each, limits.container);
  for (ContainerResources& each : spec.containers) apply(each, limits.container);
  if (spec.has_pod_level) apply(spec.pod_level, limits.pod);
}

// The resources that both lists name and of which `a` has more, as JSON: ["cpu","memory"]. Empty:
// there is none.
std::string greater_keys(const ResourceQuantities& a, const ResourceQuantities& b,
                         const ResourceNames& names) {
  std::vector<std::string> keys;
  for (const ResourceQuantity& entry : a) {
    const Quantity* other = quantity_of(b, entry.resource);
    const std::string& name = names.name(entry.resource);
    if (other == nullptr || amount_from(name, entry.quantity) <= amount_from(name, *other)) {
      continue;
    }
    keys.push_back(fmt::format("\"{}\"", name));
  }
  if (keys.empty()) return {};
  std::ranges::sort(keys);
  return fmt::format("[{}]", fmt::join(keys, ","));
}

class Inspection {
 public:
  Inspection(std::string_view path, const ResourceNames& names) : path_(path), names_(names) {}

  // Kueue's order: init containers, containers, the pod.
  std::vector<std::string> over_limits(const PodSpecResources& spec) {
    for (std::size_t i = 0; i < spec.init_containers.size(); ++i) {
      note(fmt::format("{}.initContainers[{}]", path_, i), spec.init_containers[i].requests,
           spec.init_containers[i].limits, over_limit);
    }
    for (std::size_t i = 0; i < spec.containers.size(); ++i) {
      note(fmt::format("{}.containers[{}]", path_, i), spec.containers[i].requests,
           spec.containers[i].limits, over_limit);
    }
    note(fmt::format("{}.resources", path_), spec.pod_level.requests, spec.pod_level.limits,
         over_limit);
    return std::move(sentences_);
  }

  std::vector<std::string> outside_of(const LimitSummary& limits, const PodSpecResources& spec,
                                      const ResourceQuantities& total) {
    if (limits.container.present) {
      inspect("initContainers", spec.init_containers, limits.container);
      inspect("containers", spec.containers, limits.container);
    }
    if (limits.pod.present) {
      note(std::string(path_), total, limits.pod.max, above_range);
      note(std::string(path_), limits.pod.min, total, below_range);
    }
    return std::move(sentences_);
  }

 private:
  void note(const std::string& where, const ResourceQuantities& a, const ResourceQuantities& b,
            std::string_view sentence) {
    const std::string keys = greater_keys(a, b, names_);
    if (keys.empty()) return;
    sentences_.push_back(fmt::format("{}: Invalid value: {}: {}", where, keys, sentence));
  }

  void inspect(std::string_view list, const std::vector<ContainerResources>& containers,
               const LimitSummary::Limits& range) {
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const std::string where = fmt::format("{}.{}[{}]", path_, list, i);
      ResourceQuantities most = containers[i].requests;
      keep_greater(most, containers[i].limits);
      note(where, most, range.max, above_range);
      ResourceQuantities least = containers[i].requests;
      keep_smaller(least, containers[i].limits);
      note(where, range.min, least, below_range);
    }
  }

  std::string_view path_;
  const ResourceNames& names_;
  std::vector<std::string> sentences_;
};

ResourceQuantities without_excluded(const ResourceQuantities& list,
                                    const std::vector<std::string>& prefixes,
                                    const ResourceNames& names) {
  ResourceQuantities kept;
  for (const ResourceQuantity& entry : list) {
    const std::string& name = names.name(entry.resource);
    const bool is_excluded = std::ranges::any_of(
        prefixes, [&](const std::string& prefix) { return name.starts_with(prefix); });
    if (!is_excluded) kept.push_back(entry);
  }
  return kept;
}

// The last one of its input counts.
const ResourceTransformation* transformation_of(const ResourceSettings& settings,
                                                std::string_view input) {
  const ResourceTransformation* found = nullptr;
  for (const ResourceTransformation& each : settings.transformations) {
    if (each.input == input) found = &each;
  }
  return found;
}

// What transformations make is summed by itself, where outputs may cancel each other; it takes
// nothing away from what the pod asked for under the same name.
Result<ResourceQuantities> transformed(const ResourceQuantities& list,
                                       const ResourceSettings& settings, ResourceNames& names) {
  if (settings.transformations.empty()) return list;
  ResourceQuantities kept;
  ResourceQuantities made;
  for (const ResourceQuantity& entry : list) {
    const auto* rule = transformation_of(settings, names.name(entry.resource));
    if (rule == nullptr) {
      kept.push_back(entry);
      continue;
    }
    Quantity input = entry.quantity;
    const ResourceId factor = names.find(rule->multiply_by);
    const Quantity* times =
        rule->multiply_by.empty() || factor.is_none() ? nullptr : quantity_of(list, factor);
    if (times != nullptr) input *= *times;
    ResourceQuantities outputs;
    for (const auto& [name, per_unit] : rule->outputs) {
      Quantity output = input;
      output *= per_unit;
      const ResourceId resource = TRY(names.intern(name));
      outputs.push_back({resource, std::move(output)});
    }
    add_quantities(made, outputs);
    if (rule->retains_input) kept.push_back(entry);
  }
  for (ResourceQuantity& entry : made) {
    if (entry.quantity.sign() < 0) entry.quantity = Quantity();
  }
  add_quantities(kept, made);
  return kept;
}

// Kubernetes' aggregate of errors: one as it is, several in brackets, the same one once.
std::string joined(std::vector<std::string> sentences) {
  std::vector<std::string> distinct;
  for (std::string& each : sentences) {
    if (std::ranges::find(distinct, each) == distinct.end()) distinct.push_back(std::move(each));
  }
  if (distinct.size() == 1) return std::move(distinct.front());
  return fmt::format("[{}]", fmt::join(distinct, ", "));
}

}  // namespace

Result<PodResources> pod_resources(View pod_spec, std::string_view path, const RequestRules& rules,
                                   ResourceNames& names) {
  PodResources pod;
  pod.spec = TRY(read_pod_resources(pod_spec, names));
  add_overhead(pod.spec, pod_spec, rules);
  if (rules.limits != nullptr) apply_defaults(pod.spec, *rules.limits);
  use_limits_as_requests(pod.spec);
  const ResourceQuantities total = total_requests(pod.spec, names);
  pod.requests = amounts_from(total, names);
  pod.over_limits = Inspection(path, names).over_limits(pod.spec);
  if (rules.limits != nullptr) {
    pod.outside_of_range = Inspection(path, names).outside_of(*rules.limits, pod.spec, total);
  }
  pod.effective = pod.requests;
  if (rules.configuration != nullptr) {
    const ResourceSettings& settings = rules.configuration->resources;
    const auto kept = without_excluded(total, settings.exclude_prefixes, names);
    pod.effective = amounts_from(TRY(transformed(kept, settings, names)), names);
  }
  for (Amount& entry : pod.effective) entry.amount = std::max<std::int64_t>(entry.amount, 0);
  return pod;
}

std::string resources_objection(const std::vector<PodResources>& pod_sets) {
  std::vector<std::string> over_limits;
  std::vector<std::string> outside_of_range;
  for (const PodResources& each : pod_sets) {
    over_limits.insert(over_limits.end(), each.over_limits.begin(), each.over_limits.end());
    outside_of_range.insert(outside_of_range.end(), each.outside_of_range.begin(),
                            each.outside_of_range.end());
  }
  if (!over_limits.empty()) {
    return "resources validation failed: " + joined(std::move(over_limits));
  }
  if (outside_of_range.empty()) return {};
  return "resources didn't satisfy LimitRange constraints: " + joined(std::move(outside_of_range));
}

}  // namespace muster::core
