// SPDX-License-Identifier: Apache-2.0
#include "core/model/read_admission.h"

#include <algorithm>

#include "core/model/limits.h"
#include "core/words.h"
#include "objects/builder.h"
#include "objects/convert_kueue_topology.h"

namespace muster::core {

using objects::Builder;
using objects::View;

namespace {

// Only an assignment down to hosts pins pods; others are promises about racks and blocks.
Result<> read_topology(View assignment, PodSetAssignment& into) {
  if (!assignment["levels"].is_array()) return {};
  Builder builder;
  const objects::Node root = TRY(objects::unpack_topology_assignment(builder, assignment));
  TopologyAssignment& topology = into.topology.emplace();
  for (const View level : assignment["levels"].elements()) {
    topology.levels.emplace_back(level.string_or(""));
  }
  for (const View view : View(&root)["domains"].elements()) {
    TopologyDomain& domain = topology.domains.emplace_back();
    domain.count = view["count"].integer_or(0);
    if (domain.count < 0 || domain.count > pod_set_count_max) {
      return Error::invalid("must be a count of pods", "status.admission.podSetAssignments");
    }
    for (const View value : view["values"].elements()) {
      domain.values.emplace_back(value.string_or(""));
    }
    domain.values.resize(topology.levels.size());
  }
  into.pinned = !topology.levels.empty() && topology.levels.back() == words::hostname_label;
  if (!into.pinned) return {};
  for (const TopologyDomain& domain : topology.domains) {
    into.domains.push_back({domain.values.back(), domain.count});
  }
  return {};
}

Result<PodSetAssignment> read_assignment(View view, ResourceNames& names) {
  PodSetAssignment assignment{.name = std::string(view["name"].string_or("main")),
                              .count = view["count"].integer_or(-1),
                              .flavors = {},
                              .usage = TRY(read_amounts(view["resourceUsage"], names)),
                              .domains = {}};
  for (const auto& [resource, flavor] : view["flavors"].members()) {
    assignment.flavors.emplace_back(TRY(names.intern(resource)), flavor.string_or(""));
  }
  TRY(read_topology(view["topologyAssignment"], assignment));
  const std::string_view delayed = view["delayedTopologyRequest"].string_or("");
  if (delayed == "Pending") assignment.delayed = DelayedTopology::pending;
  if (delayed == "Ready") assignment.delayed = DelayedTopology::ready;
  return assignment;
}

}  // namespace

Result<Admission> read_admission(View view, const GangPodSets& sets, ResourceNames& names) {
  std::vector<PodSetAssignment> assignments;
  for (const View entry : view["podSetAssignments"].elements()) {
    PodSetAssignment assignment = TRY(read_assignment(entry, names));
    const auto set = std::ranges::find(sets, assignment.name, &GangPodSet::name);
    if (assignment.count < 0) assignment.count = set == sets.end() ? 0 : set->count;
    assignments.push_back(std::move(assignment));
  }
  return Admission{.cluster_queue = std::string(view["clusterQueue"].string_or("")),
                   .pod_sets = SharedList(std::move(assignments))};
}

namespace {

// In the order in which they are read.
bool shows_flavors(View view, const PodSetAssignment& assignment, const ResourceNames& names) {
  if (view.size() != assignment.flavors.size()) return false;
  auto known = assignment.flavors.begin();
  for (const auto& [resource, flavor] : view.members()) {
    if (names.name(known->first) != resource || flavor.string_or("") != known->second) return false;
    ++known;
  }
  return true;
}

// In one walk: each event of an admitted workload asks this.
bool shows_assignment(View view, const PodSetAssignment& assignment, const ResourceNames& names) {
  if (assignment.topology || assignment.delayed != DelayedTopology::none) return false;
  View name;
  View count;
  View flavors;
  View usage;
  for (const auto& [key, member] : view.members()) {
    View* const into = key == "name"            ? &name
                       : key == "count"         ? &count
                       : key == "flavors"       ? &flavors
                       : key == "resourceUsage" ? &usage
                                                : nullptr;
    if (into == nullptr) return false;  // a topology, or what was never compared
    if (into->is_absent()) *into = member;
  }
  return count.integer() == assignment.count && name.string_or("main") == assignment.name &&
         shows_flavors(flavors, assignment, names) && shows_amounts(usage, assignment.usage, names);
}

}  // namespace

bool shows_admission(View view, const Admission& admission, const ResourceNames& names) {
  const View sets = view["podSetAssignments"];
  if (sets.size() != admission.pod_sets.size()) return false;
  if (view["clusterQueue"].string_or("") != admission.cluster_queue) return false;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (!shows_assignment(sets[i], admission.pod_sets[i], names)) return false;
  }
  return true;
}

}  // namespace muster::core
