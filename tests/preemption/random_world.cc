// SPDX-License-Identifier: Apache-2.0
#include "tests/preemption/random_world.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "objects/json.h"

namespace muster::core::slow {
namespace {

namespace resources = objects::resources;

constexpr std::int64_t flavor_count = 2;
const std::vector<std::string> resource_names = {"x.io/a", "x.io/b"};

Pair pair_of(std::int64_t flavor, const std::string& resource) {
  return fmt::format("f{}/{}", flavor, resource);
}

std::optional<std::int64_t> limit(Dice& dice, std::int64_t most) {
  if (dice.below(3) != 0) return std::nullopt;
  return dice.below(most);
}

void add_quotas(Dice& dice, Node& node, std::int64_t most) {
  const std::int64_t flavors = 1 + dice.below(flavor_count);
  const std::int64_t first = dice.below(flavor_count);
  for (std::int64_t i = 0; i < flavors; ++i) {
    for (const std::string& resource : resource_names) {
      Quota& quota = node.quotas[pair_of((first + i) % flavor_count, resource)];
      quota.nominal = dice.below(most);
      if (node.parent.empty()) continue;
      quota.borrowing_limit = limit(dice, 8);
      quota.lending_limit = limit(dice, quota.nominal + 1);
    }
  }
}

Held random_workload(Dice& dice, const SlowWorld& world, std::int64_t number) {
  Held held;
  held.queue = fmt::format("q{}", dice.below(5));
  held.priority = dice.below(4);
  held.created = dice.below(4);
  held.reserved = 10 + dice.below(3);
  held.uid = fmt::format("u{}", dice.below(10) * 100 + number);
  held.is_evicted = dice.below(8) == 0;
  const auto& quotas = world.nodes.at(held.queue).quotas;
  for (const std::string& resource : resource_names) {
    std::vector<Pair> pairs;
    for (const auto& [pair, quota] : quotas) {
      if (pair.ends_with(resource)) pairs.push_back(pair);
    }
    if (pairs.empty() || dice.below(4) == 0) continue;
    const auto at = static_cast<std::size_t>(dice.below(static_cast<std::int64_t>(pairs.size())));
    held.usage[pairs[at]] = 1 + dice.below(4);
  }
  return held;
}

std::string moment(std::int64_t minute) {
  return fmt::format("2025-01-01T00:{:02}:00Z", minute);
}

std::string quota_text(const Pair& pair, const Quota& quota) {
  std::string text = fmt::format(R"({{"name":"{}","nominalQuota":"{}")",
                                 pair.substr(pair.find('/') + 1), quota.nominal);
  if (quota.borrowing_limit)
    text += fmt::format(R"(,"borrowingLimit":"{}")", *quota.borrowing_limit);
  if (quota.lending_limit) text += fmt::format(R"(,"lendingLimit":"{}")", *quota.lending_limit);
  return text + "}";
}

std::string groups_text(const Node& node) {
  if (node.quotas.empty()) return "[]";
  std::map<std::string, std::vector<std::string>> by_flavor;
  for (const auto& [pair, quota] : node.quotas) {
    by_flavor[pair.substr(0, pair.find('/'))].push_back(quota_text(pair, quota));
  }
  std::vector<std::string> flavors;
  for (const auto& [flavor, quotas] : by_flavor) {
    flavors.push_back(
        fmt::format(R"({{"name":"{}","resources":[{}]}})", flavor, fmt::join(quotas, ",")));
  }
  return fmt::format(R"([{{"coveredResources":["{}"],"flavors":[{}]}}])",
                     fmt::join(resource_names, "\",\""), fmt::join(flavors, ","));
}

std::string_view allowed_text(Allowed allowed) {
  switch (allowed) {
    case Allowed::never:
      return "Never";
    case Allowed::lower:
      return "LowerPriority";
    case Allowed::lower_or_newer_equal:
      return "LowerOrNewerEqualPriority";
    case Allowed::any:
      return "Any";
  }
  return "";
}

std::string preemption_text(const Node& node) {
  std::string borrow = R"({"policy":"Never"})";
  if (node.borrows_while_reclaiming) {
    borrow = node.threshold
                 ? fmt::format(R"({{"policy":"LowerPriority","maxPriorityThreshold":{}}})",
                               *node.threshold)
                 : std::string(R"({"policy":"LowerPriority"})");
  }
  return fmt::format(
      R"({{"withinClusterQueue":"{}","reclaimWithinCohort":"{}","borrowWithinCohort":{}}})",
      allowed_text(node.within_queue), allowed_text(node.reclaim), borrow);
}

made::Made node_object(const std::string& name, const Node& node) {
  const std::string meta = fmt::format(R"("metadata":{{"name":"{}","uid":"{}"}})", name, name);
  const std::string weight = fmt::format(R"("fairSharing":{{"weight":"{}"}})", node.weight);
  if (!node.is_queue) {
    const std::string parent =
        node.parent.empty() ? "" : fmt::format(R"("parentName":"{}",)", node.parent);
    return {resources::cohorts,
            objects::parse_json(fmt::format(R"({{{},"spec":{{{}{},"resourceGroups":{}}}}})", meta,
                                            parent, weight, groups_text(node)))
                .must()};
  }
  const std::string cohort =
      node.parent.empty() ? "" : fmt::format(R"("cohortName":"{}",)", node.parent);
  return {resources::cluster_queues,
          objects::parse_json(fmt::format(
                                  R"({{{},"spec":{{"namespaceSelector":{{}},{}{},"preemption":{},
                      "resourceGroups":{}}}}})",
                                  meta, cohort, weight, preemption_text(node), groups_text(node)))
              .must()};
}

std::string workload_text(const std::string& name, const std::string& uid, std::int64_t created,
                          const std::string& queue, std::int64_t priority, const Amounts& usage,
                          const std::string& status) {
  std::map<std::string, std::int64_t> sums;  // of a resource, whatever the flavor
  for (const auto& [pair, amount] : usage) sums[pair.substr(pair.find('/') + 1)] += amount;
  std::vector<std::string> requests;
  for (const auto& [resource, amount] : sums) {
    requests.push_back(fmt::format(R"("{}":"{}")", resource, amount));
  }
  return fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"a","uid":"{}","creationTimestamp":"{}"}},
          "spec":{{"queueName":"{}","priority":{},"podSets":[{{"name":"main","count":1,
            "template":{{"spec":{{"containers":[{{"name":"c",
              "resources":{{"requests":{{{}}}}}}}]}}}}}}]}},
          "status":{}}})",
      name, uid, moment(created), queue, priority, fmt::join(requests, ","), status);
}

made::Made held_object(const std::string& name, const Held& held) {
  constexpr std::string_view condition =
      R"({{"type":"{}","status":"True","reason":"Made","message":"","lastTransitionTime":"{}"}})";
  std::vector<std::string> conditions = {
      fmt::format(condition, "QuotaReserved", moment(held.reserved)),
      fmt::format(condition, "Admitted", moment(held.reserved))};
  if (held.is_evicted) conditions.push_back(fmt::format(condition, "Evicted", moment(20)));
  std::vector<std::string> flavors;
  std::vector<std::string> amounts;
  for (const auto& [pair, amount] : held.usage) {
    const std::string resource = pair.substr(pair.find('/') + 1);
    flavors.push_back(fmt::format(R"("{}":"{}")", resource, pair.substr(0, pair.find('/'))));
    amounts.push_back(fmt::format(R"("{}":"{}")", resource, amount));
  }
  const std::string status = fmt::format(
      R"({{"conditions":[{}],"admission":{{"clusterQueue":"{}","podSetAssignments":[{{"name":"main",
          "count":1,"flavors":{{{}}},"resourceUsage":{{{}}}}}]}}}})",
      fmt::join(conditions, ","), held.queue, fmt::join(flavors, ","), fmt::join(amounts, ","));
  return {resources::workloads,
          objects::parse_json(workload_text(name, held.uid, held.created, held.queue, held.priority,
                                            held.usage, status))
              .must()};
}

}  // namespace

SlowWorld random_world(Dice& dice) {
  SlowWorld world;
  for (std::int64_t i = 0; i < 5; ++i) {
    Node node;
    // Nobody stands deeper than the third cohort.
    if (i >= 1 && dice.below(4) != 0) node.parent = fmt::format("c{}", (i - 1) / 2);
    node.weight = static_cast<double>(dice.below(4));
    if (dice.below(3) == 0) add_quotas(dice, node, 6);
    world.nodes[fmt::format("c{}", i)] = node;
  }
  for (std::int64_t i = 0; i < 5; ++i) {
    Node node{.is_queue = true};
    if (dice.below(8) != 0) node.parent = fmt::format("c{}", dice.below(5));
    node.weight = static_cast<double>(dice.below(4));
    add_quotas(dice, node, 8);
    node.within_queue = static_cast<Allowed>(dice.below(5) % 3);
    node.reclaim = static_cast<Allowed>(std::min<std::int64_t>(dice.below(6), 3));
    node.borrows_while_reclaiming = node.reclaim != Allowed::never && dice.below(2) == 0;
    if (dice.below(2) == 0) node.threshold = dice.below(4);
    world.nodes[fmt::format("q{}", i)] = node;
  }
  const std::int64_t count = 4 + dice.below(14);
  for (std::int64_t i = 0; i < count; ++i) {
    const Held held = random_workload(dice, world, i);
    if (!held.usage.empty()) world.workloads[fmt::format("w{}", i)] = held;
  }
  return world;
}

Preemptor random_preemptor(Dice& dice, const SlowWorld& world) {
  Preemptor preemptor;
  preemptor.queue = fmt::format("q{}", dice.below(5));
  preemptor.priority = 1 + dice.below(5);
  preemptor.created = dice.below(4);
  for (const auto& [pair, quota] : world.nodes.at(preemptor.queue).quotas) {
    if (dice.below(2) == 0) preemptor.usage[pair] = 1 + dice.below(quota.nominal + 2);
  }
  for (const auto& [pair, amount] : preemptor.usage) {
    if (amount > world.available(preemptor.queue, pair)) preemptor.contested.push_back(pair);
  }
  return preemptor;
}

Rules random_rules(Dice& dice) {
  Rules rules;
  rules.fair_sharing = dice.below(2) == 0;
  rules.within_nominal = dice.below(2) == 0;
  switch (dice.below(4)) {
    case 0:
      rules.strategies = {Strategy::final_share};
      break;
    case 1:
      rules.strategies = {Strategy::initial_share};
      break;
    default:
      break;
  }
  return rules;
}

std::vector<made::Made> objects_of(const SlowWorld& world, const Preemptor& preemptor) {
  std::vector<made::Made> objects = {made::name_space("a")};
  for (std::int64_t i = 0; i < flavor_count; ++i) {
    objects.push_back(made::flavor(fmt::format("f{}", i)));
  }
  for (const auto& [name, node] : world.nodes) {
    objects.push_back(node_object(name, node));
    if (node.is_queue) objects.push_back(made::local_queue(name, name));
  }
  for (const auto& [name, held] : world.workloads) objects.push_back(held_object(name, held));
  objects.push_back(
      {resources::workloads,
       objects::parse_json(workload_text(std::string(preemptor_name), "incoming", preemptor.created,
                                         preemptor.queue, preemptor.priority, preemptor.usage,
                                         R"({"conditions":[]})"))
           .must()});
  return objects;
}

}  // namespace muster::core::slow
