// SPDX-License-Identifier: Apache-2.0
#include "core/admission/assign_flavors.h"

#include <algorithm>

#include "base/checked.h"
#include "core/admission/flavor_match.h"
#include "core/admission/pod_set_requests.h"
#include "core/admission/topology_requests.h"

namespace muster::core {

namespace {

class Assigner {
 public:
  Assigner(const AssignmentQuestion& question, std::span<const std::int64_t> counts,
           Assignment& assignment)
      : question_(question), drafts_(assignment.pod_sets), assignment_(assignment) {
    open(counts);
  }

  void run();

 private:
  void open(std::span<const std::int64_t> counts);
  void open_set(const PodSetRequests& requests, std::uint32_t index);
  bool has_groups() const;
  std::vector<PodSetGroup> groups() const;
  bool assign_all();
  bool assign(PodSetGroup& group, std::uint32_t number);
  void sum_requests(PodSetGroup& group) const;
  FlavorAssignments find_flavors(const PodSetGroup& group);
  FlavorAssignments flavors_for(const PodSetFlavors& set,
                                std::span<const FlavorAssignment> group) const;
  void append(std::uint32_t index);
  void take(const PodSetFlavors& set, const FlavorAssignment& flavor);
  void untell(std::size_t first, std::size_t end);
  void hand_over();
  void place();
  bool try_places(std::span<const TopologyPodSet> requests);
  void set_pod_set_mode(const TopologyPodSet& request, AssignmentMode mode);
  void sort_usage();

  const AssignmentQuestion& question_;
  std::vector<PodSetFlavors>& drafts_;      // by place in the spec, until they are handed over
  ShortList<std::uint32_t, 4> order_ = {};  // in which they were assigned
  std::string error_;                       // with which the search for a group broke off
  Assignment& assignment_;
};

void Assigner::open(std::span<const std::int64_t> counts) {
  assignment_.tried.moment = question_.request.moment;
  if (question_.slice != nullptr) assignment_.replaced_slice = question_.slice->workload;
  const std::size_t size =
      std::min(pod_set_count(question_.workload), question_.workload.pod_sets.size());
  drafts_.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    PodSetRequests requests = pod_set_requests(question_.workload, i);
    if (!counts.empty()) scale(requests, counts[i]);
    open_set(requests, static_cast<std::uint32_t>(i));
  }
}

// A workload that holds quota already (it comes for a place) keeps its flavors.
void Assigner::open_set(const PodSetRequests& requests, std::uint32_t index) {
  const ResourceNames& names = question_.tables.names;
  PodSetFlavors& set = drafts_.emplace_back();
  set.pod_set = requests.name;
  set.index = index;
  set.count = requests.count;
  set.requests = requests.requests;
  if (resource_group_of(question_.queue, names.pods())) {
    const std::int64_t counted = amount_of(set.requests, names.pods());
    add_amount(set.requests, names.pods(), requests.count - counted, names);
  }
  if (requests.admitted == nullptr || !question_.enabled(Gate::topology_aware_scheduling)) return;
  for (const auto& [resource, name] : requests.admitted->flavors) {
    const FlavorId flavor = question_.tables.flavors.find(name);
    if (flavor.is_none()) continue;
    set.flavors.push_back(
        {.resource = resource,
         .flavor = flavor,
         .flavor_resource = question_.tables.flavor_resources.find(flavor, resource)});
  }
  set.topology = requests.admitted->topology;
  set.delayed_topology = requests.admitted->delayed;
}

bool Assigner::has_groups() const {
  return std::ranges::any_of(question_.workload.pod_sets,
                             [](const GangPodSet& set) { return !set.topology.group.empty(); });
}

// Pod sets of one podSetGroupName, wherever they stand, with the first of them. A name that is a
// number means the pod set at that place too: Kueue's keys are such.
std::vector<PodSetGroup> Assigner::groups() const {
  const auto key_of = [&](std::size_t index) {
    const std::string& group = question_.workload.pod_sets[index].topology.group;
    return group.empty() ? std::to_string(index) : group;
  };
  std::vector<PodSetGroup> groups;
  groups.reserve(drafts_.size());
  std::vector<std::string> keys;
  for (std::uint32_t i = 0; i < drafts_.size(); ++i) {
    const std::string key = key_of(i);
    const auto known = std::ranges::find(keys, key);
    if (known != keys.end()) {
      groups[static_cast<std::size_t>(known - keys.begin())].pod_sets.push_back(i);
      continue;
    }
    keys.push_back(key);
    groups.push_back({.pod_sets = {i}, .requests = {}});
  }
  return groups;
}

void Assigner::sum_requests(PodSetGroup& group) const {
  const ResourceNames& names = question_.tables.names;
  group.requests = drafts_[group.pod_sets[0]].requests;
  for (std::size_t i = 1; i < group.pod_sets.size(); ++i) {
    for (const Amount& each : drafts_[group.pod_sets[i]].requests) {
      const auto at = std::ranges::find(group.requests, each.resource, &Amount::resource);
      if (at == group.requests.end()) {
        group.requests.push_back(each);
      } else {
        at->amount = saturating_add(at->amount, each.amount);
      }
    }
  }
  if (group.requests.size() < 2) return;
  std::ranges::sort(group.requests, [&](const Amount& a, const Amount& b) {
    return names.comes_before(a.resource, b.resource);
  });
}

void Assigner::untell(std::size_t first, std::size_t end) {
  for (std::size_t i = first; i < end; ++i) assignment_.obstacles[i].is_told = false;
}

// Flavors for everything the group asks for; none when some resource group has none for it, and
// then only that one's obstacles are told.
FlavorAssignments Assigner::find_flavors(const PodSetGroup& group) {
  const bool ignores_undeclared =
      question_.enabled(Gate::quota_check_strategy) &&
      question_.policy.kueue.resources.quota_check == QuotaCheckStrategy::ignore_undeclared;
  const std::size_t group_begin = assignment_.obstacles.size();
  FlavorAssignments flavors;
  for (const std::uint32_t index : group.pod_sets) {
    for (const FlavorAssignment& each : drafts_[index].flavors) flavors.push_back(each);
  }
  FlavorSearch search(question_, assignment_);
  for (const Amount& request : group.requests) {
    const bool is_declared = resource_group_of(question_.queue, request.resource).has_value();
    if (!is_declared && (request.amount == 0 || ignores_undeclared)) continue;
    const auto assigned = std::ranges::find(flavors, request.resource, &FlavorAssignment::resource);
    if (assigned != flavors.end()) continue;
    const std::size_t begin = assignment_.obstacles.size();
    FlavorChoice choice = search.run(group, request.resource);
    if (choice.flavors.empty()) {
      untell(group_begin, begin);
      error_ = std::move(choice.error);
      return {};
    }
    if (choice.mode == FlavorMode::fit) untell(begin, assignment_.obstacles.size());
    for (FlavorAssignment& each : choice.flavors) {
      const auto is_same = [&](const FlavorAssignment& old) {
        return old.resource == each.resource;
      };
      flavors.erase(std::remove_if(flavors.begin(), flavors.end(), is_same), flavors.end());
      flavors.push_back(each);
    }
  }
  return flavors;
}

// A pod set that asks for nothing goes where its group goes, if that is a topology.
FlavorAssignments Assigner::flavors_for(const PodSetFlavors& set,
                                        std::span<const FlavorAssignment> group) const {
  FlavorAssignments flavors;
  if (set.requests.empty()) {
    if (question_.workload.pod_sets[set.index].topology.group.empty()) return flavors;
    for (const FlavorAssignment& each : group) {
      if (has_topology(question_.tables, each.flavor)) flavors.push_back(each);
    }
    return flavors;
  }
  flavors.reserve(set.requests.size());
  for (const Amount& request : set.requests) {
    const auto at = std::ranges::find(group, request.resource, &FlavorAssignment::resource);
    if (at != group.end()) flavors.push_back(*at);
  }
  return flavors;
}

void Assigner::take(const PodSetFlavors& set, const FlavorAssignment& flavor) {
  std::int64_t amount = amount_of(set.requests, flavor.resource);
  if (question_.slice != nullptr) {
    amount = saturating_subtract(amount, question_.slice->requested(set.pod_set, flavor.resource));
  }
  const auto at =
      std::ranges::find(assignment_.usage, flavor.flavor_resource, &FlavorUsage::flavor_resource);
  if (at == assignment_.usage.end()) {
    assignment_.usage.push_back({flavor.flavor_resource, amount});
  } else {
    at->amount = quota_add(at->amount, amount);
  }
}

void Assigner::append(std::uint32_t index) {
  const PodSetFlavors& set = drafts_[index];
  const auto position = static_cast<std::uint32_t>(order_.size());
  for (const FlavorAssignment& each : set.flavors) {
    assignment_.borrow = std::max(assignment_.borrow, each.borrow);
    assignment_.tried.entries.push_back({position, each.resource, each.tried});
    take(set, each);
  }
  order_.push_back(index);
}

// False: some pod set of the group has no flavors, and those behind it are not looked at.
bool Assigner::assign(PodSetGroup& group, std::uint32_t number) {
  sum_requests(group);
  const auto obstacles = static_cast<std::uint32_t>(assignment_.obstacles.size());
  const auto attempts = static_cast<std::uint32_t>(assignment_.attempts.size());
  const FlavorAssignments flavors = find_flavors(group);
  const Stretch met{obstacles,
                    static_cast<std::uint32_t>(assignment_.obstacles.size()) - obstacles};
  const Stretch tried{attempts, static_cast<std::uint32_t>(assignment_.attempts.size()) - attempts};
  bool succeeds = true;
  for (const std::uint32_t index : group.pod_sets) {
    PodSetFlavors& set = drafts_[index];
    set.group = number;
    set.flavors = flavors_for(set, flavors);
    set.obstacles = met;
    set.attempts = tried;
    set.error = error_;
    succeeds = succeeds && set.error.empty() && (set.requests.empty() || !set.flavors.empty());
    append(index);
  }
  return succeeds;
}

// In the order of the groups, up to the first that does not succeed.
bool Assigner::assign_all() {
  std::uint32_t number = 0;
  if (has_groups()) {
    for (PodSetGroup& group : groups()) {
      if (!assign(group, number++)) return false;
    }
    return true;
  }
  for (; number < drafts_.size(); ++number) {
    PodSetGroup group{.pod_sets = {number}, .requests = {}};
    if (!assign(group, number)) return false;
  }
  return true;
}

// Mostly they stand as they were assigned.
void Assigner::hand_over() {
  bool is_in_place = true;
  for (std::uint32_t i = 0; i < order_.size(); ++i) is_in_place = is_in_place && order_[i] == i;
  if (is_in_place) {
    drafts_.resize(order_.size());
    return;
  }
  std::vector<PodSetFlavors> ordered;
  ordered.reserve(order_.size());
  for (const std::uint32_t index : order_) ordered.push_back(std::move(drafts_[index]));
  drafts_ = std::move(ordered);
}

// Pod sets of one group share their flavors, and so the mode of them.
void Assigner::set_pod_set_mode(const TopologyPodSet& request, AssignmentMode mode) {
  assignment_.mode = mode;
  const auto asked = std::ranges::find(
      assignment_.pod_sets, static_cast<std::uint32_t>(request.pod_set), &PodSetFlavors::index);
  for (PodSetFlavors& set : assignment_.pod_sets) {
    if (set.group != asked->group) continue;
    for (FlavorAssignment& each : set.flavors) {
      const auto shared =
          std::ranges::find(asked->flavors, each.resource, &FlavorAssignment::resource);
      if (shared != asked->flavors.end()) each.mode = mode;
    }
  }
}

// With what is free now; where there is no place, evictions may make one.
bool Assigner::try_places(std::span<const TopologyPodSet> requests) {
  TopologyResult found =
      assign_topology(question_.tables, question_.policy, question_.workload, requests, {});
  if (!found.failure) {
    give_places(assignment_, requests, std::move(found));
    return true;
  }
  const TopologyPodSet& failed = requests[found.failed_pod_set];
  const auto set = std::ranges::find(
      assignment_.pod_sets, static_cast<std::uint32_t>(failed.pod_set), &PodSetFlavors::index);
  set->topology_failure = std::move(found.failure);
  set->topology_failure->pod_set = set->pod_set;
  set_pod_set_mode(failed, AssignmentMode::preempt);
  return false;
}

void Assigner::place() {
  const std::vector<TopologyPodSet> requests = topology_requests(question_, assignment_);
  if (requests.empty()) return;
  if (assignment_.mode == AssignmentMode::fit && try_places(requests)) return;
  // Nobody is evicted to replace a failed node.
  if (assignment_.mode != AssignmentMode::preempt ||
      !question_.workload.extras->unhealthy_nodes.empty()) {
    return;
  }
  const TopologyResult found =
      assign_topology(question_.tables, question_.policy, question_.workload, requests,
                      {.simulate_empty = true, .is_question = true});
  if (!found.failure) {
    for (const TopologyPodSet& request : requests) {
      set_pod_set_mode(request, AssignmentMode::preempt);
    }
    return;
  }
  const TopologyPodSet& failed = requests[found.failed_pod_set];
  const auto set = std::ranges::find(
      assignment_.pod_sets, static_cast<std::uint32_t>(failed.pod_set), &PodSetFlavors::index);
  for (std::uint32_t i = 0; i < set->attempts.count; ++i) {
    FlavorAttempt& attempt = assignment_.attempts[set->attempts.first + i];
    if (attempt.flavor != failed.flavor) continue;
    attempt.mode = FlavorMode::no_fit;
    attempt.cause = NoFitCause::topology_placement_failed;
    break;
  }
  set_pod_set_mode(failed, AssignmentMode::no_fit);
}

void Assigner::sort_usage() {
  if (assignment_.usage.size() < 2) return;
  const FlavorResources& pairs = question_.tables.flavor_resources;
  const auto key = [&](const FlavorUsage& each) -> std::pair<std::string_view, std::string_view> {
    return {question_.tables.flavors.key(pairs.flavor(each.flavor_resource)),
            question_.tables.names.name(pairs.resource(each.flavor_resource))};
  };
  std::ranges::sort(assignment_.usage,
                    [&](const FlavorUsage& a, const FlavorUsage& b) { return key(a) < key(b); });
}

void Assigner::run() {
  const bool succeeds = assign_all();
  hand_over();
  assignment_.mode = worst_mode(assignment_);
  const bool may_be_placed = succeeds && assignment_.mode != AssignmentMode::no_fit &&
                             question_.enabled(Gate::topology_aware_scheduling);
  if (may_be_placed) place();
  assignment_.cause = no_fit_cause(assignment_);
  sort_usage();
}

}  // namespace

void assign_flavors(const AssignmentQuestion& question, std::span<const std::int64_t> counts,
                    Assignment& assignment) {
  Assigner(question, counts, assignment).run();
}

}  // namespace muster::core
