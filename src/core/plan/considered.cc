// SPDX-License-Identifier: Apache-2.0
#include "core/plan/considered.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "core/model/tables.h"

namespace muster::core {

namespace {

std::string_view mode_text(FlavorMode mode) {
  switch (mode) {
    case FlavorMode::no_fit:
      return "NoFit";
    case FlavorMode::no_candidates:
      return "preemptionMode=NoCandidates";
    case FlavorMode::preempt:
      return "preemptionMode=Preempt";
    case FlavorMode::reclaim:
      return "preemptionMode=Reclaim";
    case FlavorMode::fit:
      return "Fit";
  }
  return "";
}

std::string attempt_text(const Tables& tables, const Assignment& assignment,
                         const PodSetFlavors& set, const FlavorAttempt& attempt) {
  std::set<std::string> reasons;
  for (std::uint32_t i = 0; i < attempt.obstacle_count; ++i) {
    const Obstacle& obstacle = assignment.obstacles[attempt.first_obstacle + i];
    reasons.insert(reason_of(tables, set.pod_set, obstacle).to_string());
  }
  return fmt::format("{}({}{}{}{})", tables.flavors.key(attempt.flavor), mode_text(attempt.mode),
                     attempt.borrow > 0 ? fmt::format(";borrow={}", attempt.borrow) : "",
                     reasons.empty() ? "" : ";", fmt::join(reasons, ";"));
}

}  // namespace

std::string considered_flavors(const Tables& tables, const Assignment& assignment) {
  std::vector<std::string> sets;
  for (const PodSetFlavors& set : assignment.pod_sets) {
    std::map<std::string_view, std::string> flavors;  // in the order of their names
    for (std::uint32_t i = 0; i < set.attempts.count; ++i) {
      const FlavorAttempt& attempt = assignment.attempts[set.attempts.first + i];
      if (attempt.mode == FlavorMode::fit && attempt.borrow == 0) continue;
      flavors.emplace(tables.flavors.key(attempt.flavor),
                      attempt_text(tables, assignment, set, attempt));
    }
    std::vector<std::string_view> texts;
    texts.reserve(flavors.size());
    for (const auto& [name, text] : flavors) texts.push_back(text);
    if (!texts.empty()) sets.push_back(fmt::format("{}: {}", set.pod_set, fmt::join(texts, ", ")));
  }
  return fmt::format("{}", fmt::join(sets, " | "));
}

}  // namespace muster::core
