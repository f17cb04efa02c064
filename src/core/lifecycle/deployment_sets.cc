// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/deployment_sets.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/checked.h"
#include "core/draft.h"
#include "core/lifecycle/replica_pods.h"
#include "objects/json.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

constexpr std::size_t hash_length = 10;

Value bare_template(const Value& owner) {
  return Draft(owner.part(owner["spec"]["template"]))
      .drop({"metadata", "labels", template_hash_label})
      .value();
}

std::int64_t wanted_of(View object) {
  return std::max<std::int64_t>(object["spec"]["replicas"].integer_or(1), 0);
}

std::int64_t available_of(View set) {
  return std::max<std::int64_t>(set["status"]["availableReplicas"].integer_or(0), 0);
}

// `25%` of the number, or a number.
std::int64_t share_of(View value, std::int64_t whole, bool rounds_up) {
  if (value.is_integer()) return std::max<std::int64_t>(value.integer_or(0), 0);
  std::string_view text = value.string_or("25%");
  if (!text.ends_with('%')) return 0;
  text.remove_suffix(1);
  std::int64_t percent = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (read.ec != std::errc() || percent < 0) return 0;
  const std::int64_t product = saturating_multiply(percent, whole);
  return rounds_up ? saturating_add(product, 99) / 100 : product / 100;
}

// Pods that were never well go first: nobody misses them.
void shrink_unhealthy(std::span<const Value> older, std::int64_t& budget,
                      std::vector<ScaleChange>& changes) {
  for (const Value& set : older) {
    const std::int64_t unhealthy = wanted_of(set) - std::min(available_of(set), wanted_of(set));
    const std::int64_t less = std::min(unhealthy, budget);
    if (less <= 0) continue;
    budget -= less;
    changes.push_back({set, wanted_of(set) - less});
  }
}

std::int64_t after(std::span<const ScaleChange> changes, const Value& set) {
  for (const ScaleChange& each : changes) {
    if (objects::uid_of(each.set) == objects::uid_of(set)) return each.replicas;
  }
  return wanted_of(set);
}

void set_replicas(std::vector<ScaleChange>& changes, const Value& set, std::int64_t replicas) {
  for (ScaleChange& each : changes) {
    if (objects::uid_of(each.set) != objects::uid_of(set)) continue;
    each.replicas = replicas;
    return;
  }
  changes.push_back({set, replicas});
}

std::vector<ScaleChange> shrink_older(const Value& deployment, const DeploymentSets& sets) {
  std::vector<ScaleChange> changes;
  const std::int64_t minimum =
      std::max<std::int64_t>(wanted_of(deployment) - rollout_bounds(deployment).unavailable, 0);
  const std::int64_t new_unavailable =
      wanted_of(sets.newest) - std::min(available_of(sets.newest), wanted_of(sets.newest));
  std::int64_t budget = sets.sum_of_spec() - minimum - new_unavailable;
  if (budget <= 0) return changes;
  shrink_unhealthy(sets.older, budget, changes);
  std::int64_t spare = sets.sum_of_status("availableReplicas") - minimum;
  for (const Value& set : sets.older) {
    const std::int64_t now = after(changes, set);
    const std::int64_t less = std::min(now, spare);
    if (less <= 0) continue;
    spare -= less;
    set_replicas(changes, set, now - less);
  }
  return changes;
}

}  // namespace

std::int64_t DeploymentSets::sum_of_spec() const {
  std::int64_t sum = newest.is_absent() ? 0 : wanted_of(newest);
  for (const Value& each : older) sum = saturating_add(sum, wanted_of(each));
  return sum;
}

std::int64_t DeploymentSets::sum_of_status(std::string_view field) const {
  std::int64_t sum = newest["status"][field].integer_or(0);
  for (const Value& each : older) sum = saturating_add(sum, each["status"][field].integer_or(0));
  return sum;
}

std::int64_t revision_of(View set) {
  const std::string_view text = objects::annotations_of(set)[revision_annotation].string_or("0");
  std::int64_t revision = 0;
  std::from_chars(text.data(), text.data() + text.size(), revision);
  return std::max<std::int64_t>(revision, 0);
}

std::string template_hash(const Value& deployment) {
  return suffix_following(objects::to_json(bare_template(deployment)), hash_length);
}

DeploymentSets find_sets(const Value& deployment, std::span<const Value> owned) {
  DeploymentSets sets;
  sets.older.assign(owned.begin(), owned.end());
  std::sort(sets.older.begin(), sets.older.end(), [](const Value& a, const Value& b) {
    const auto age = [](View set) {
      return std::tuple(set["metadata"]["creationTimestamp"].string_or(""), objects::name_of(set));
    };
    return age(a) < age(b);
  });
  const Value wanted = bare_template(deployment);
  const auto found = std::find_if(sets.older.begin(), sets.older.end(), [&](const Value& set) {
    return bare_template(set) == wanted.view();
  });
  if (found != sets.older.end()) {
    sets.newest = *found;
    sets.older.erase(found);
  }
  return sets;
}

RolloutBounds rollout_bounds(const Value& deployment) {
  const View strategy = deployment["spec"]["strategy"];
  if (strategy["type"].string_or("RollingUpdate") != "RollingUpdate") return {};
  const std::int64_t wanted = wanted_of(deployment);
  RolloutBounds bounds;
  bounds.surge = share_of(strategy["rollingUpdate"]["maxSurge"], wanted, true);
  bounds.unavailable =
      std::min(share_of(strategy["rollingUpdate"]["maxUnavailable"], wanted, false), wanted);
  if (bounds.surge == 0 && bounds.unavailable == 0) bounds.unavailable = 1;
  return bounds;
}

std::vector<ScaleChange> next_scale(const Value& deployment, const DeploymentSets& sets) {
  const std::int64_t wanted = wanted_of(deployment);
  if (deployment["spec"]["strategy"]["type"].string_or("") == "Recreate") {
    std::vector<ScaleChange> changes;
    for (const Value& set : sets.older) {
      if (wanted_of(set) > 0) changes.push_back({set, 0});
    }
    if (!changes.empty() || sets.newest.is_absent()) return changes;
    if (wanted_of(sets.newest) != wanted) changes.push_back({sets.newest, wanted});
    return changes;
  }
  if (sets.newest.is_absent()) return {};
  const std::int64_t now = wanted_of(sets.newest);
  if (now > wanted) return {{sets.newest, wanted}};
  if (now < wanted) {
    const std::int64_t room =
        saturating_add(wanted, rollout_bounds(deployment).surge) - sets.sum_of_spec();
    const std::int64_t more = std::min(room, wanted - now);
    if (more > 0) return {{sets.newest, now + more}};
  }
  return shrink_older(deployment, sets);
}

}  // namespace muster::core
