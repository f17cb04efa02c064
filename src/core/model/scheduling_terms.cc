// SPDX-License-Identifier: Apache-2.0
#include "core/model/scheduling_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace muster::core {

using objects::LabelOperator;
using objects::LabelRequirement;
using objects::View;

namespace {

struct NamedEffect {
  std::string_view name;
  TaintEffect effect;
};

constexpr std::array<NamedEffect, 3> effects{{{"NoSchedule", TaintEffect::no_schedule},
                                              {"PreferNoSchedule", TaintEffect::prefer_no_schedule},
                                              {"NoExecute", TaintEffect::no_execute}}};

std::optional<TaintEffect> read_effect(View view) {
  for (const NamedEffect& known : effects) {
    if (known.name == view.string_or("")) return known.effect;
  }
  return std::nullopt;
}

std::string_view effect_name(TaintEffect effect) {
  return effects[static_cast<std::size_t>(effect)].name;
}

struct NamedOperator {
  std::string_view name;
  LabelOperator operation;
};

constexpr std::array<NamedOperator, 6> operators{{{"In", LabelOperator::in},
                                                  {"NotIn", LabelOperator::not_in},
                                                  {"Exists", LabelOperator::exists},
                                                  {"DoesNotExist", LabelOperator::does_not_exist},
                                                  {"Gt", LabelOperator::greater},
                                                  {"Lt", LabelOperator::less}}};

Result<LabelRequirement> read_requirement(View view) {
  LabelRequirement requirement{.key = std::string(view["key"].string_or(""))};
  const std::string_view name = view["operator"].string_or("");
  const auto* known = std::ranges::find(operators, name, &NamedOperator::name);
  if (known == operators.end()) {
    return Error::invalid(fmt::format("\"{}\" is not a valid node selector operator", name));
  }
  requirement.operation = known->operation;
  for (const View value : view["values"].elements()) {
    requirement.values.emplace_back(value.string_or(""));
  }
  const std::string problem = objects::complete_requirement(requirement);
  if (!problem.empty()) return Error::invalid(problem);
  return requirement;
}

Result<std::vector<LabelRequirement>> read_requirements(View list) {
  std::vector<LabelRequirement> requirements;
  for (const View view : list.elements()) {
    requirements.push_back(TRY(read_requirement(view)));
  }
  return requirements;
}

bool all_hold(const std::vector<LabelRequirement>& requirements, const Labels& labels) {
  return std::ranges::all_of(requirements, [&](const LabelRequirement& requirement) {
    return requirement.holds(find_label(labels, requirement.key));
  });
}

}  // namespace

Labels read_labels(View labels) {
  Labels read;
  read.reserve(labels.size());
  for (const auto& [key, value] : labels.members()) {
    read.emplace_back(std::string(key), std::string(value.string_or("")));
  }
  std::ranges::sort(read);
  return read;
}

std::optional<std::string_view> find_label(const Labels& labels, std::string_view key) {
  const auto at = std::lower_bound(
      labels.begin(), labels.end(), key,
      [](const auto& label, std::string_view wanted) { return label.first < wanted; });
  if (at == labels.end() || at->first != key) return std::nullopt;
  return std::string_view(at->second);
}

std::string Taint::to_string() const {
  return fmt::format("{{{} {} {} <nil>}}", key, value, effect_name(effect));
}

std::vector<Taint> read_taints(View taints) {
  std::vector<Taint> read;
  for (const View view : taints.elements()) {
    const auto effect = read_effect(view["effect"]);
    if (!effect) continue;
    read.push_back({std::string(view["key"].string_or("")),
                    std::string(view["value"].string_or("")), *effect});
  }
  return read;
}

bool Toleration::tolerates(const Taint& taint) const {
  if (effect && *effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  if (exists) return true;
  return !key.empty() && value == taint.value;
}

std::vector<Toleration> read_tolerations(View tolerations) {
  std::vector<Toleration> read;
  for (const View view : tolerations.elements()) {
    const std::string_view operation = view["operator"].string_or("Equal");
    const std::string_view effect = view["effect"].string_or("");
    if (!effect.empty() && !read_effect(view["effect"])) continue;
    if (operation != "Exists" && operation != "Equal" && !operation.empty()) continue;
    read.push_back({std::string(view["key"].string_or("")), operation == "Exists",
                    std::string(view["value"].string_or("")), read_effect(view["effect"])});
  }
  return read;
}

const Taint* first_untolerated(std::span<const Taint> taints,
                               std::initializer_list<std::span<const Toleration>> tolerations) {
  for (const Taint& taint : taints) {
    if (taint.effect == TaintEffect::prefer_no_schedule) continue;
    const bool tolerated = std::ranges::any_of(tolerations, [&](auto list) {
      return std::ranges::any_of(list, [&](const Toleration& t) { return t.tolerates(taint); });
    });
    if (!tolerated) return &taint;
  }
  return nullptr;
}

bool SchedulingTerms::selector_matches(const Labels& labels) const {
  return std::ranges::all_of(node_selector, [&](const auto& wanted) {
    return find_label(labels, wanted.first) == std::string_view(wanted.second);
  });
}

bool SchedulingTerms::affinity_matches(const Labels& labels, std::string_view node_name) const {
  if (!has_affinity) return true;
  return std::ranges::any_of(affinity, [&](const NodeSelectorTerm& term) {
    if (term.labels.empty() && term.fields.empty()) return false;
    return all_hold(term.labels, labels) &&
           std::ranges::all_of(term.fields, [&](const LabelRequirement& field) {
             return field.holds(field.key == "metadata.name" ? std::optional(node_name)
                                                             : std::nullopt);
           });
  });
}

bool SchedulingTerms::flavor_matches(const Labels& flavor_labels) const {
  for (const auto& [key, value] : node_selector) {
    const auto label = find_label(flavor_labels, key);
    if (label && *label != value) return false;
  }
  if (!has_affinity || affinity.empty()) return true;
  bool any_holds = false;
  for (const NodeSelectorTerm& term : affinity) {
    bool asks = false;
    bool holds = true;
    for (const LabelRequirement& requirement : term.labels) {
      const auto label = find_label(flavor_labels, requirement.key);
      if (!label) continue;
      asks = true;
      holds = holds && requirement.holds(label);
    }
    if (!asks) return true;
    any_holds = any_holds || holds;
  }
  return any_holds;
}

Result<SchedulingTerms> read_scheduling_terms(View pod_spec) {
  SchedulingTerms terms;
  terms.node_selector = read_labels(pod_spec["nodeSelector"]);
  terms.tolerations = read_tolerations(pod_spec["tolerations"]);
  const View required =
      pod_spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  terms.has_affinity = required.is_object();
  for (const View view : required["nodeSelectorTerms"].elements()) {
    NodeSelectorTerm term;
    term.labels = TRY(read_requirements(view["matchExpressions"]));
    term.fields = TRY(read_requirements(view["matchFields"]));
    terms.affinity.push_back(std::move(term));
  }
  return terms;
}

}  // namespace muster::core
