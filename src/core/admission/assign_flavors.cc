// SPDX-License-Identifier: Apache-2.0
#include "core/admission/assign_flavors.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "core/model/limits.h"

namespace muster::core {

namespace {

std::optional<std::size_t> group_of(const ClusterQueueRow& queue, ResourceId resource) {
  for (std::size_t g = 0; g < queue.spec.groups.size(); ++g) {
    if (std::ranges::find(queue.spec.groups[g].covered, resource) !=
        queue.spec.groups[g].covered.end()) {
      return g;
    }
  }
  return std::nullopt;
}

// The walk through the flavors of one pod set.
class PodSetWalk {
 public:
  PodSetWalk(const Tables& tables, const ClusterQueueRow& queue, const GangPodSet& set,
             Usage& usage)
      : tables_(tables), queue_(queue), set_(set), usage_(usage) {}

  AssignmentMode run(PodSetFlavors& into, std::vector<Reason>& reasons);

 private:
  struct Attempt {
    AssignmentMode mode = AssignmentMode::no_fit;
    FlavorId flavor;
  };

  Attempt best_flavor(std::size_t group, const Amounts& requests, std::vector<Reason>& reasons);
  AssignmentMode try_flavor(std::size_t group, const GroupFlavor& flavor_row,
                            const Amounts& requests, std::vector<Reason>& reasons);
  bool allows(FlavorId flavor, std::vector<Reason>& reasons) const;
  AssignmentMode try_pair(FlavorResourceId pair, FlavorId flavor, const Amount& request,
                          std::vector<Reason>& reasons) const;
  std::int64_t assumed_in(FlavorResourceId pair) const;
  void take(std::size_t group, FlavorId flavor, PodSetFlavors& into);
  FlavorResourceId pair_at(std::size_t group, const GroupFlavor& flavor_row,
                           ResourceId resource) const;

  const Tables& tables_;
  const ClusterQueueRow& queue_;
  const GangPodSet& set_;
  Usage& usage_;
};

std::int64_t PodSetWalk::assumed_in(FlavorResourceId pair) const {
  return usage_of(usage_, pair);
}

FlavorResourceId PodSetWalk::pair_at(std::size_t group, const GroupFlavor& flavor_row,
                                     ResourceId resource) const {
  const std::vector<ResourceId>& covered = queue_.spec.groups[group].covered;
  const auto at = std::ranges::find(covered, resource);
  return flavor_row.pairs[static_cast<std::size_t>(at - covered.begin())];
}

bool PodSetWalk::allows(FlavorId flavor, std::vector<Reason>& reasons) const {
  const FlavorRow& row = tables_.flavors[flavor];
  Reason reason{.pod_set = set_.name, .flavor = tables_.flavors.key(flavor)};
  if (!row.present) {
    reason.type = Reason::Type::flavor_not_found;
    reasons.push_back(std::move(reason));
    return false;
  }
  const Taint* taint =
      first_untolerated(row.spec.node_taints, {set_.terms.tolerations, row.spec.tolerations});
  if (taint != nullptr) {
    reason.type = Reason::Type::untolerated_taint;
    reason.name = taint->to_string();
    reasons.push_back(std::move(reason));
    return false;
  }
  if (!set_.terms.flavor_matches(row.spec.node_labels)) {
    reason.type = Reason::Type::node_affinity;
    reasons.push_back(std::move(reason));
    return false;
  }
  return true;
}

AssignmentMode PodSetWalk::try_pair(FlavorResourceId pair, FlavorId flavor, const Amount& request,
                                    std::vector<Reason>& reasons) const {
  const std::int64_t assumed = assumed_in(pair);
  const std::int64_t wanted = quota_add(assumed, request.amount);
  const std::int64_t available =
      std::max<std::int64_t>(0, tables_.quota.available(queue_.node, pair));
  if (wanted <= available) return AssignmentMode::fit;
  Reason reason{.pod_set = set_.name,
                .flavor = tables_.flavors.key(flavor),
                .resource = tables_.names.name(request.resource)};
  if (wanted > tables_.quota.potential(queue_.node, pair)) {
    reason.type = Reason::Type::exceeds_maximum;
    reason.assumed = assumed;
    reason.amount = request.amount;
    reason.limit = tables_.quota.potential(queue_.node, pair);
    reasons.push_back(std::move(reason));
    return AssignmentMode::no_fit;
  }
  reason.type = Reason::Type::quota_in_use;
  reason.amount = wanted - available;
  reasons.push_back(std::move(reason));
  return AssignmentMode::waits;
}

AssignmentMode PodSetWalk::try_flavor(std::size_t group, const GroupFlavor& flavor_row,
                                      const Amounts& requests, std::vector<Reason>& reasons) {
  if (!allows(flavor_row.flavor, reasons)) return AssignmentMode::no_fit;
  AssignmentMode worst = AssignmentMode::fit;
  for (const Amount& request : requests) {
    if (group_of(queue_, request.resource) != group) continue;
    const FlavorResourceId pair = pair_at(group, flavor_row, request.resource);
    worst = std::min(worst, try_pair(pair, flavor_row.flavor, request, reasons));
  }
  return worst;
}

// The first flavor that fits; else the first of those that only have to wait.
PodSetWalk::Attempt PodSetWalk::best_flavor(std::size_t group, const Amounts& requests,
                                            std::vector<Reason>& reasons) {
  Attempt best;
  std::vector<Reason> obstacles;
  for (const GroupFlavor& flavor_row : queue_.groups[group]) {
    const AssignmentMode mode = try_flavor(group, flavor_row, requests, obstacles);
    if (mode == AssignmentMode::fit) return {mode, flavor_row.flavor};
    if (mode > best.mode) best = {mode, flavor_row.flavor};
  }
  // What an earlier group of the pod set waits for is no matter any more when this one never fits.
  if (best.mode == AssignmentMode::no_fit) reasons.clear();
  reasons.insert(reasons.end(), obstacles.begin(), obstacles.end());
  return best;
}

void PodSetWalk::take(std::size_t group, FlavorId flavor, PodSetFlavors& into) {
  const GroupFlavor& flavor_row =
      *std::ranges::find(queue_.groups[group], flavor, &GroupFlavor::flavor);
  for (const Amount& request : into.requests) {
    if (group_of(queue_, request.resource) != group) continue;
    into.flavors.emplace_back(request.resource, flavor);
    const FlavorResourceId pair = pair_at(group, flavor_row, request.resource);
    const auto at = std::ranges::find(usage_, pair, &FlavorUsage::flavor_resource);
    if (at == usage_.end()) {
      usage_.push_back({pair, request.amount});
    } else {
      at->amount = quota_add(at->amount, request.amount);
    }
  }
}

AssignmentMode PodSetWalk::run(PodSetFlavors& into, std::vector<Reason>& reasons) {
  AssignmentMode worst = AssignmentMode::fit;
  std::vector<Reason> own;
  std::vector<std::pair<std::size_t, FlavorId>> chosen;
  for (const Amount& request : into.requests) {
    const auto group = group_of(queue_, request.resource);
    if (!group) {
      if (request.amount == 0) continue;
      reasons.push_back({.type = Reason::Type::resource_unavailable,
                         .pod_set = set_.name,
                         .resource = tables_.names.name(request.resource)});
      return AssignmentMode::no_fit;
    }
    const bool is_assigned =
        std::ranges::any_of(chosen, [&](const auto& choice) { return choice.first == *group; });
    if (is_assigned) continue;
    const Attempt attempt = best_flavor(*group, into.requests, own);
    worst = std::min(worst, attempt.mode);
    if (attempt.mode == AssignmentMode::no_fit) break;
    chosen.emplace_back(*group, attempt.flavor);
  }
  reasons.insert(reasons.end(), own.begin(), own.end());
  if (worst == AssignmentMode::no_fit) return worst;
  for (const auto& [group, flavor] : chosen) take(group, flavor, into);
  return worst;
}

}  // namespace

Result<Amounts> total_requests(const Tables& tables, const ClusterQueueRow& queue,
                               const GangPodSet& set) {
  const std::int64_t count = set.effective_count();
  Amounts total;
  for (const Amount& each : set.requests) {
    const auto product = checked_multiply(each.amount, count);
    if (!product || *product > amount_max) {
      return Error::too_large(fmt::format("pod set {} asks for more {} than Muster counts",
                                          set.name, tables.names.name(each.resource)));
    }
    add_amount(total, each.resource, *product, tables.names);
  }
  if (group_of(queue, tables.names.pods())) {
    add_amount(total, tables.names.pods(), count - amount_of(total, tables.names.pods()),
               tables.names);
  }
  return total;
}

Assignment assign_flavors(const Tables& tables, const ClusterQueueRow& queue,
                          const Workload& workload) {
  Assignment assignment;
  for (const GangPodSet& set : workload.pod_sets) {
    auto requests = total_requests(tables, queue, set);
    if (!requests) {
      assignment.mode = AssignmentMode::no_fit;
      assignment.reasons = {
          {.type = Reason::Type::invalid, .detail = requests.error().to_string()}};
      return assignment;
    }
    PodSetFlavors& flavors = assignment.pod_sets.emplace_back();
    flavors.pod_set = set.name;
    flavors.count = set.effective_count();
    flavors.requests = *std::move(requests);
    PodSetWalk walk(tables, queue, set, assignment.usage);
    assignment.mode = std::min(assignment.mode, walk.run(flavors, assignment.reasons));
    if (assignment.mode == AssignmentMode::no_fit) {
      return assignment;
    }
  }
  return assignment;
}

}  // namespace muster::core
