// SPDX-License-Identifier: Apache-2.0
#include "core/placement/gang_claims.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace muster::core {

namespace {

bool has_claims(const GangPart& part) {
  return part.count > 0 && part.claims != nullptr && !part.claims->empty();
}

std::int64_t count_nodes(const Tables& tables) {
  std::int64_t count = 0;
  tables.nodes.for_each([&](NodeId, const NodeRow& row) { count += row.present ? 1 : 0; });
  return count;
}

}  // namespace

GangClaims::GangClaims(Tables& tables, std::span<const GangPart> parts)
    : tables_(tables), parts_(parts) {
  if (!tables.claims.are_told() || std::ranges::none_of(parts, has_claims)) return;
  make_filters();
  for (std::size_t i = 0; i < parts.size() && !failure_; ++i) {
    if (!filters_[i] || filters_[i]->objection().empty()) continue;
    failure_ = NoPlace{.pod_set = std::string(parts[i].pod_set),
                       .wanted = parts[i].count,
                       .nodes = count_nodes(tables),
                       .exclusions = {},
                       .objection = filters_[i]->objection()};
  }
  if (failure_) return;
  for (const Group& group : groups()) {
    if (!failure_) keep_together(group);
  }
}

void GangClaims::make_filters() {
  std::map<std::string_view, std::int64_t> pods;
  for (const GangPart& part : parts_) {
    if (!has_claims(part)) continue;
    for (const std::string& name : *part.claims) pods[name] += part.count;
  }
  filters_.resize(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!has_claims(parts_[i])) continue;
    std::vector<std::int64_t> counts;
    for (const std::string& name : *parts_[i].claims) counts.push_back(pods[name]);
    filters_[i].emplace(tables_.claims, parts_[i].kind.name_space, *parts_[i].claims, counts);
  }
}

// Two parts that share such a claim with a third stand with both.
std::vector<GangClaims::Group> GangClaims::groups() const {
  std::vector<Group> found;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!filters_[i] || filters_[i]->binding_claims().empty()) continue;
    Group group{{i}, filters_[i]->binding_claims().front()};
    for (auto other = found.begin(); other != found.end();) {
      const bool is_joined = std::ranges::any_of(other->parts, [&](std::size_t j) {
        return std::ranges::any_of(filters_[j]->binding_claims(), [&](const std::string& claim) {
          const auto& mine = filters_[i]->binding_claims();
          return std::ranges::find(mine, claim) != mine.end();
        });
      });
      if (!is_joined) {
        ++other;
        continue;
      }
      group.parts.insert(group.parts.begin(), other->parts.begin(), other->parts.end());
      group.claim = other->claim;
      other = found.erase(other);
    }
    found.push_back(std::move(group));
  }
  return found;
}

void GangClaims::keep_together(const Group& group) {
  NoPlace why{.pod_set = std::string(parts_[group.parts.front()].pod_set), .exclusions = {}};
  why.claim = group.claim;
  for (const std::size_t i : group.parts) why.wanted += parts_[i].count;
  for (const NodeId node : tables_.nodes_by_name()) {
    if (!tables_.nodes[node].present) continue;
    ++why.nodes;
    const std::int64_t fit = fit_on(node, group, why);
    why.fit = std::max(why.fit, fit);
    if (fit < why.wanted) continue;
    for (const std::size_t i : group.parts) filters_[i]->keep_to(node);
    return;
  }
  failure_ = std::move(why);
}

// How many of the group's pods the node takes, one part after the other.
std::int64_t GangClaims::fit_on(NodeId node, const Group& group, NoPlace& why) const {
  const NodeRow& row = tables_.nodes[node];
  const std::string& name = tables_.nodes.key(node);
  std::map<ResourceId, std::int64_t> taken;
  std::int64_t total = 0;
  for (const std::size_t i : group.parts) {
    const GangPart& part = parts_[i];
    auto refusal = refuses(row, name, part.wish);
    if (!refusal) refusal = filters_[i]->refuses(node, row, name);
    if (refusal) {
      why.exclusions.add(*refusal);
      return total;
    }
    std::int64_t fit = part.count;
    const auto limit = [&](ResourceId resource, std::int64_t each) {
      const std::int64_t left = tables_.free.at(resource, node) - taken[resource];
      fit = std::min(fit, std::max<std::int64_t>(left, 0) / each);
    };
    for (const Amount& request : *part.requests) {
      if (request.amount > 0 && request.resource != tables_.names.pods()) {
        limit(request.resource, request.amount);
      }
    }
    limit(tables_.names.pods(), 1);
    for (const Amount& request : *part.requests) taken[request.resource] += request.amount * fit;
    taken[tables_.names.pods()] += fit;
    total += fit;
    if (fit < part.count) return total;
  }
  return total;
}

}  // namespace muster::core
