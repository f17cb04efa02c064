// SPDX-License-Identifier: Apache-2.0
#include "core/model/scheduling_terms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

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

// Holds for no value at all.
LabelRequirement nothing_about(std::string key) {
  return {.key = std::move(key), .operation = LabelOperator::in};
}

// The expression, or the complaints about it.
LabelRequirement read_requirement(View view, std::vector<std::string>& complaints) {
  LabelRequirement requirement{.key = std::string(view["key"].string_or(""))};
  const std::string_view name = view["operator"].string_or("");
  const auto* known = std::ranges::find(operators, name, &NamedOperator::name);
  if (known == operators.end()) {
    complaints.push_back(
        fmt::format("operator: Unsupported value: \"{}\": supported values: \"In\", \"NotIn\", "
                    "\"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\"",
                    name));
    return nothing_about(std::move(requirement.key));
  }
  requirement.operation = known->operation;
  for (const View value : view["values"].elements()) {
    requirement.values.emplace_back(value.string_or(""));
  }
  complaints = objects::complaints_about(requirement);
  if (!complaints.empty()) return nothing_about(std::move(requirement.key));
  return requirement;
}

std::optional<Toleration::Operator> read_toleration_operator(std::string_view name) {
  if (name == "Equal" || name.empty()) return Toleration::Operator::equal;
  if (name == "Exists") return Toleration::Operator::exists;
  if (name == "Lt") return Toleration::Operator::less;
  if (name == "Gt") return Toleration::Operator::greater;
  return std::nullopt;
}

// Digits without a plus sign or leading zeros, as Kubernetes wants them.
std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || fmt::to_string(number) != text) return std::nullopt;
  return number;
}

bool all_hold(const std::vector<LabelRequirement>& requirements, const Labels& labels) {
  return std::ranges::all_of(requirements, [&](const LabelRequirement& requirement) {
    return requirement.holds(find_label(labels, requirement.key));
  });
}

}  // namespace

NodeSelectorTerm read_node_selector_term(View view) {
  NodeSelectorTerm term;
  for (const View expression : view["matchExpressions"].elements()) {
    std::vector<std::string> complaints;
    term.labels.push_back(read_requirement(expression, complaints));
    if (complaints.empty()) continue;
    term.broken.push_back({term.labels.size() - 1, std::move(complaints)});
  }
  for (const View expression : view["matchFields"].elements()) {
    std::vector<std::string> complaints;
    LabelRequirement field = read_requirement(expression, complaints);
    const bool is_set =
        field.operation == LabelOperator::in || field.operation == LabelOperator::not_in;
    if (!is_set || field.values.size() != 1) field = nothing_about(std::move(field.key));
    term.fields.push_back(std::move(field));
  }
  return term;
}

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

std::string Taint::to_text() const {
  if (value.empty()) return fmt::format("{}:{}", key, effect_name(effect));
  return fmt::format("{}={}:{}", key, value, effect_name(effect));
}

bool Toleration::tolerates(const Taint& taint) const {
  if (effect && *effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  if (operation == Operator::exists) return true;
  if (operation == Operator::equal) return value == taint.value;
  const auto bound = whole_number(value);
  const auto tainted = whole_number(taint.value);
  if (!bound || !tainted) return false;
  return operation == Operator::less ? *tainted < *bound : *tainted > *bound;
}

std::vector<Toleration> read_tolerations(View tolerations) {
  std::vector<Toleration> read;
  for (const View view : tolerations.elements()) {
    const std::string_view operation = view["operator"].string_or("Equal");
    const std::string_view effect = view["effect"].string_or("");
    if (!effect.empty() && !read_effect(view["effect"])) continue;
    const auto known = read_toleration_operator(operation);
    if (!known) continue;
    read.push_back({std::string(view["key"].string_or("")), *known,
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

// A term that says nothing matches no node.
bool NodeSelectorTerm::matches(const Labels& node_labels, std::string_view node_name) const {
  if (labels.empty() && fields.empty()) return false;
  return all_hold(labels, node_labels) &&
         std::ranges::all_of(fields, [&](const LabelRequirement& field) {
           return field.holds(field.key == "metadata.name" ? std::optional(node_name)
                                                           : std::nullopt);
         });
}

bool SchedulingTerms::selector_matches(const Labels& labels) const {
  return std::ranges::all_of(node_selector, [&](const auto& wanted) {
    return find_label(labels, wanted.first) == std::string_view(wanted.second);
  });
}

bool SchedulingTerms::affinity_matches(const Labels& labels, std::string_view node_name) const {
  if (!has_affinity) return true;
  return std::ranges::any_of(
      affinity, [&](const NodeSelectorTerm& term) { return term.matches(labels, node_name); });
}

std::int64_t SchedulingTerms::score(const Labels& labels, std::string_view node_name) const {
  std::int64_t sum = 0;
  for (const PreferredTerm& preference : preferred) {
    if (preference.term.matches(labels, node_name)) sum += preference.weight;
  }
  return sum;
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

std::string SchedulingTerms::flavor_complaint(const Labels& flavor_labels) const {
  std::vector<std::string> complaints;
  for (const auto& [key, value] : node_selector) {
    const auto label = find_label(flavor_labels, key);
    if (label && *label != value) return {};
  }
  for (std::size_t i = 0; i < affinity.size(); ++i) {
    std::size_t place = 0;  // among the expressions on the flavor's keys
    for (std::size_t j = 0; j < affinity[i].labels.size(); ++j) {
      if (!find_label(flavor_labels, affinity[i].labels[j].key)) continue;
      const auto broken = std::ranges::find(affinity[i].broken, j, &BrokenExpression::place);
      if (broken != affinity[i].broken.end()) {
        for (const std::string& complaint : broken->complaints) {
          complaints.push_back(
              fmt::format("nodeSelectorTerms[{}].matchExpressions[{}].{}", i, place, complaint));
        }
      }
      ++place;
    }
  }
  if (complaints.size() <= 1) return complaints.empty() ? "" : complaints.front();
  return fmt::format("[{}]", fmt::join(complaints, ", "));
}

Result<SchedulingTerms> read_scheduling_terms(View pod_spec) {
  SchedulingTerms terms;
  terms.node_selector = read_labels(pod_spec["nodeSelector"]);
  terms.tolerations = read_tolerations(pod_spec["tolerations"]);
  const View affinity = pod_spec["affinity"]["nodeAffinity"];
  const View required = affinity["requiredDuringSchedulingIgnoredDuringExecution"];
  terms.has_affinity = required.is_object();
  for (const View view : required["nodeSelectorTerms"].elements()) {
    terms.affinity.push_back(read_node_selector_term(view));
  }
  const View preferred = affinity["preferredDuringSchedulingIgnoredDuringExecution"];
  for (const View view : preferred.elements()) {
    const std::int64_t weight = view["weight"].integer_or(0);
    if (weight == 0) continue;
    PreferredTerm& preference = terms.preferred.emplace_back();
    preference.weight = weight;
    preference.term = read_node_selector_term(view["preference"]);
  }
  return terms;
}

}  // namespace muster::core
