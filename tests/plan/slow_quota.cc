// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/slow_quota.h"

#include <algorithm>
#include <limits>
#include <set>

namespace muster::core {

namespace {

using Number = SlowQuota::Number;
__extension__ typedef __int128 Wide;

constexpr Number infinite = std::numeric_limits<Number>::max();
constexpr Number lowest = std::numeric_limits<Number>::min();

Number clamp(Wide exact) {
  return static_cast<Number>(std::clamp<Wide>(exact, lowest, infinite));
}

Number plus(Number a, Number b) {
  if (a == infinite || b == infinite) return infinite;
  return clamp(Wide{a} + Wide{b});
}

Number minus(Number a, Number b) {
  if (a == infinite && b == infinite) return 0;
  if (a == infinite) return infinite;
  if (b == infinite) return lowest;
  return clamp(Wide{a} - Wide{b});
}

}  // namespace

bool SlowQuota::has_cycle(const std::string& name) const {
  std::set<std::string> seen;
  for (std::string at = name; !at.empty(); at = nodes.at(at).parent) {
    if (!seen.insert(at).second) return true;
  }
  return false;
}

std::vector<std::string> SlowQuota::children(const std::string& name) const {
  std::vector<std::string> found;
  for (const auto& [child, node] : nodes) {
    if (node.parent == name) found.push_back(child);
  }
  return found;
}

bool SlowQuota::names(const std::string& name, const Pair& pair) const {
  if (nodes.at(name).quotas.contains(pair)) return true;
  for (const std::string& child : children(name)) {
    if (names(child, pair)) return true;
  }
  return false;
}

std::vector<SlowQuota::Pair> SlowQuota::pairs() const {
  std::set<Pair> all;
  for (const auto& [name, node] : nodes) {
    for (const auto& [pair, quota] : node.quotas) all.insert(pair);
    for (const auto& [pair, used] : node.used) all.insert(pair);
  }
  return {all.begin(), all.end()};
}

SlowQuota::Quota SlowQuota::quota(const std::string& name, const Pair& pair) const {
  const auto found = nodes.at(name).quotas.find(pair);
  return found == nodes.at(name).quotas.end() ? Quota() : found->second;
}

std::string SlowQuota::root(const std::string& name) const {
  return nodes.at(name).parent.empty() ? name : root(nodes.at(name).parent);
}

Number SlowQuota::subtree(const std::string& name, const Pair& pair) const {
  Number sum = quota(name, pair).nominal;
  for (const std::string& child : children(name)) {
    sum = plus(sum, minus(subtree(child, pair), local_quota(child, pair)));
  }
  return sum;
}

Number SlowQuota::local_quota(const std::string& name, const Pair& pair) const {
  const auto limit = quota(name, pair).lending_limit;
  return limit ? std::max<Number>(0, minus(subtree(name, pair), *limit)) : 0;
}

Number SlowQuota::usage(const std::string& name, const Pair& pair) const {
  if (nodes.at(name).is_queue) {
    const auto found = nodes.at(name).used.find(pair);
    return found == nodes.at(name).used.end() ? 0 : found->second;
  }
  Number sum = 0;
  for (const std::string& child : children(name)) {
    sum = plus(sum, std::max<Number>(0, minus(usage(child, pair), local_quota(child, pair))));
  }
  return sum;
}

Number SlowQuota::available(const std::string& name, const Pair& pair) const {
  const std::string& parent = nodes.at(name).parent;
  if (parent.empty()) return minus(subtree(name, pair), usage(name, pair));
  const Number kept = local_quota(name, pair);
  Number above = available(parent, pair);
  if (const auto limit = quota(name, pair).borrowing_limit) {
    const Number stored = minus(subtree(name, pair), kept);
    const Number used = std::max<Number>(0, minus(usage(name, pair), kept));
    above = std::min(above, plus(minus(stored, used), *limit));
  }
  return plus(std::max<Number>(0, minus(kept, usage(name, pair))), above);
}

Number SlowQuota::potential(const std::string& name, const Pair& pair) const {
  const std::string& parent = nodes.at(name).parent;
  if (parent.empty()) return subtree(name, pair);
  const Number most = plus(local_quota(name, pair), potential(parent, pair));
  const auto limit = quota(name, pair).borrowing_limit;
  return limit ? std::min(most, plus(subtree(name, pair), *limit)) : most;
}

SlowQuota::Share SlowQuota::share(const std::string& name) const {
  Share share;
  const std::string& parent = nodes.at(name).parent;
  if (parent.empty()) return share;
  std::map<std::string, Number> borrowed;
  std::map<std::string, Number> lendable;
  for (const Pair& pair : pairs()) {
    if (names(root(name), pair)) {
      lendable[pair.second] = plus(lendable[pair.second], potential(parent, pair));
    }
    if (!names(name, pair)) continue;
    const Number beyond = minus(usage(name, pair), subtree(name, pair));
    if (beyond > 0) borrowed[pair.second] = plus(borrowed[pair.second], beyond);
  }
  share.is_borrowing = !borrowed.empty();
  for (const auto& [resource, amount] : borrowed) {
    if (lendable[resource] <= 0) continue;
    const double ratio =
        static_cast<double>(amount) * 1000.0 / static_cast<double>(lendable[resource]);
    if (ratio > share.ratio) {
      share.ratio = ratio;
      share.resource = resource;
    }
  }
  return share;
}

int SlowQuota::height(const std::string& name) const {
  int most = 0;
  for (const std::string& child : children(name)) {
    const Node& node = nodes.at(child);
    if (node.is_queue && !node.takes_part) continue;
    most = std::max(most, node.is_queue ? 1 : 1 + height(child));
  }
  return most;
}

}  // namespace muster::core
