// SPDX-License-Identifier: Apache-2.0
#include "core/placement/node_filter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace muster::core {

namespace {

const Taint unschedulable_taint{"node.kubernetes.io/unschedulable", "", TaintEffect::no_schedule};

bool tolerated(const Taint& taint, const NodeWish& wish) {
  const auto tolerates = [&](const Toleration& toleration) { return toleration.tolerates(taint); };
  if (std::ranges::any_of(wish.terms->tolerations, tolerates)) return true;
  return std::ranges::any_of(wish.flavors, [&](const ResourceFlavor* flavor) {
    return std::ranges::any_of(flavor->tolerations, tolerates);
  });
}

const Taint* untolerated(const NodeRow& node, const NodeWish& wish) {
  for (const Taint& taint : node.spec.taints) {
    if (taint.effect != TaintEffect::prefer_no_schedule && !tolerated(taint, wish)) return &taint;
  }
  return nullptr;
}

bool has_labels_of(const ResourceFlavor& flavor, const Labels& labels) {
  return std::ranges::all_of(flavor.node_labels, [&](const auto& wanted) {
    return find_label(labels, wanted.first) == std::string_view(wanted.second);
  });
}

}  // namespace

bool has_asked_labels(const NodeRow& node, std::string_view name, const NodeWish& wish) {
  const auto matches = [&](const ResourceFlavor* flavor) {
    return has_labels_of(*flavor, node.spec.labels);
  };
  return wish.terms->selector_matches(node.spec.labels) &&
         std::ranges::all_of(wish.flavors, matches) &&
         wish.terms->affinity_matches(node.spec.labels, name);
}

bool has_untolerated_taint(const NodeRow& node, const NodeWish& wish) {
  return untolerated(node, wish) != nullptr;
}

std::int64_t count_discouraging_taints(const NodeRow& node, const NodeWish& wish) {
  return std::ranges::count_if(node.spec.taints, [&](const Taint& taint) {
    return taint.effect == TaintEffect::prefer_no_schedule && !tolerated(taint, wish);
  });
}

std::optional<Refusal> refuses(const NodeRow& node, std::string_view name, const NodeWish& wish) {
  if (!node.invalid.empty() || !node.spec.is_ready) {
    return Refusal{"notReady", "node(s) were not ready"};
  }
  if (node.spec.is_unschedulable && !tolerated(unschedulable_taint, wish)) {
    return Refusal{"unschedulable", "node(s) were unschedulable"};
  }
  if (const Taint* taint = untolerated(node, wish)) {
    const std::string value = taint->value.empty() ? "" : "=" + taint->value;
    return Refusal{fmt::format("taint \"{}{}\"", taint->key, value),
                   fmt::format("node(s) had untolerated taint(s)")};
  }
  if (!wish.terms->selector_matches(node.spec.labels)) {
    return Refusal{"nodeSelector", "node(s) didn't match Pod's node affinity/selector"};
  }
  for (const ResourceFlavor* flavor : wish.flavors) {
    if (!has_labels_of(*flavor, node.spec.labels)) {
      return Refusal{"nodeSelector", "node(s) didn't match Pod's node affinity/selector"};
    }
  }
  if (!wish.terms->affinity_matches(node.spec.labels, name)) {
    return Refusal{"affinity", "node(s) didn't match Pod's node affinity/selector"};
  }
  return std::nullopt;
}

std::string Exclusions::tally() const {
  std::map<std::string, std::int64_t> sums;
  for (const auto& [refusal, count] : counts_) sums[refusal.tally] += count;
  std::vector<std::string> parts;
  parts.reserve(sums.size());
  for (const auto& [what, count] : sums) parts.push_back(fmt::format("{}: {}", what, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string Exclusions::sentence() const {
  std::map<std::string, std::int64_t> sums;
  for (const auto& [refusal, count] : counts_) sums[refusal.sentence] += count;
  std::vector<std::string> parts;
  parts.reserve(sums.size());
  for (const auto& [what, count] : sums) parts.push_back(fmt::format("{} {}", count, what));
  std::ranges::sort(parts);
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace muster::core
