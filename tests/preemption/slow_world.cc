// SPDX-License-Identifier: Apache-2.0
#include "tests/preemption/slow_world.h"

#include <algorithm>
#include <set>

namespace muster::core::slow {

namespace {

std::int64_t amount(const Amounts& amounts, const Pair& pair) {
  const auto found = amounts.find(pair);
  return found == amounts.end() ? 0 : found->second;
}

std::set<Pair> pairs_below(const SlowWorld& world, const std::string& node) {
  std::set<Pair> pairs;
  for (const auto& [pair, quota] : world.nodes.at(node).quotas) pairs.insert(pair);
  for (const bool queues : {false, true}) {
    for (const std::string& child : world.children(node, queues)) {
      pairs.merge(pairs_below(world, child));
    }
  }
  return pairs;
}

}  // namespace

int compare(const Share& a, const Share& b) {
  const bool a_is_endless = a.weight == 0 && a.ratio > 0;
  const bool b_is_endless = b.weight == 0 && b.ratio > 0;
  double left = a.ratio;
  double right = b.ratio;
  if (a_is_endless != b_is_endless) return a_is_endless ? 1 : -1;
  if (!a_is_endless) {
    left = a.ratio == 0 ? 0 : a.ratio / a.weight;
    right = b.ratio == 0 ? 0 : b.ratio / b.weight;
  }
  return left < right ? -1 : left > right ? 1 : 0;
}

std::vector<std::string> SlowWorld::children(const std::string& node, bool queues) const {
  std::vector<std::string> found;
  for (const auto& [name, each] : nodes) {
    if (each.parent == node && each.is_queue == queues) found.push_back(name);
  }
  return found;
}

std::vector<std::string> SlowWorld::path(const std::string& node) const {
  std::vector<std::string> found;
  for (std::string at = nodes.at(node).parent; !at.empty(); at = nodes.at(at).parent) {
    found.push_back(at);
  }
  return found;
}

std::string SlowWorld::root(const std::string& node) const {
  const auto above = path(node);
  return above.empty() ? node : above.back();
}

std::int64_t SlowWorld::nominal(const std::string& node, const Pair& pair) const {
  const auto& quotas = nodes.at(node).quotas;
  const auto found = quotas.find(pair);
  return found == quotas.end() ? 0 : found->second.nominal;
}

std::int64_t SlowWorld::subtree(const std::string& node, const Pair& pair) const {
  std::int64_t sum = nominal(node, pair);
  for (const bool queues : {false, true}) {
    for (const std::string& child : children(node, queues)) {
      sum += subtree(child, pair) - local_quota(child, pair);
    }
  }
  return sum;
}

std::int64_t SlowWorld::local_quota(const std::string& node, const Pair& pair) const {
  const auto& quotas = nodes.at(node).quotas;
  const auto found = quotas.find(pair);
  if (found == quotas.end() || !found->second.lending_limit) return 0;
  return std::max<std::int64_t>(0, subtree(node, pair) - *found->second.lending_limit);
}

std::int64_t SlowWorld::usage(const std::string& node, const Pair& pair) const {
  std::int64_t sum = 0;
  if (nodes.at(node).is_queue) {
    for (const auto& [name, held] : workloads) {
      if (held.queue == node) sum += amount(held.usage, pair);
    }
    const auto more = extra.find(node);
    return more == extra.end() ? sum : sum + amount(more->second, pair);
  }
  for (const bool queues : {false, true}) {
    for (const std::string& child : children(node, queues)) {
      sum += std::max<std::int64_t>(0, usage(child, pair) - local_quota(child, pair));
    }
  }
  return sum;
}

std::int64_t SlowWorld::local_available(const std::string& node, const Pair& pair) const {
  return std::max<std::int64_t>(0, local_quota(node, pair) - usage(node, pair));
}

std::int64_t SlowWorld::available(const std::string& node, const Pair& pair) const {
  const std::string& parent = nodes.at(node).parent;
  if (parent.empty()) return subtree(node, pair) - usage(node, pair);
  std::int64_t from_parent = available(parent, pair);
  const auto& quotas = nodes.at(node).quotas;
  const auto found = quotas.find(pair);
  if (found != quotas.end() && found->second.borrowing_limit) {
    const std::int64_t local = local_quota(node, pair);
    const std::int64_t stored = subtree(node, pair) - local;
    const std::int64_t used = std::max<std::int64_t>(0, usage(node, pair) - local);
    from_parent = std::min(from_parent, stored - used + *found->second.borrowing_limit);
  }
  return local_available(node, pair) + from_parent;
}

std::int64_t SlowWorld::potential(const std::string& node, const Pair& pair) const {
  const std::string& parent = nodes.at(node).parent;
  if (parent.empty()) return subtree(node, pair);
  std::int64_t most = local_quota(node, pair) + potential(parent, pair);
  const auto& quotas = nodes.at(node).quotas;
  const auto found = quotas.find(pair);
  if (found != quotas.end() && found->second.borrowing_limit) {
    most = std::min(most, subtree(node, pair) + *found->second.borrowing_limit);
  }
  return most;
}

int SlowWorld::height(const std::string& node) const {
  int most = children(node, true).empty() ? 0 : 1;
  for (const std::string& child : children(node, false)) most = std::max(most, height(child) + 1);
  return most;
}

Share SlowWorld::share(const std::string& node) const {
  Share found{.weight = nodes.at(node).weight};
  const std::string& parent = nodes.at(node).parent;
  if (parent.empty()) return found;
  std::map<std::string, std::int64_t> borrowed;
  std::map<std::string, std::int64_t> lendable;
  for (const Pair& pair : pairs_below(*this, node)) {
    const std::int64_t over = usage(node, pair) - subtree(node, pair);
    if (over > 0) borrowed[pair.substr(pair.find('/') + 1)] += over;
  }
  for (const Pair& pair : pairs_below(*this, root(node))) {
    lendable[pair.substr(pair.find('/') + 1)] += potential(parent, pair);
  }
  found.is_borrowing = !borrowed.empty();
  for (const auto& [resource, over] : borrowed) {
    if (lendable[resource] <= 0) continue;
    found.ratio = std::max(
        found.ratio, static_cast<double>(over) * 1000.0 / static_cast<double>(lendable[resource]));
  }
  return found;
}

}  // namespace muster::core::slow
