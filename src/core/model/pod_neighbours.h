// PodNeighbours: what a pod says about the pods it wants beside it and those it does not: required
// affinity and anti-affinity between pods, how evenly pods must be spread, and ports of the host
// that only one pod can have.
//
//   PodNeighbours wants = TRY(read_pod_neighbours(metadata, spec));
//   wants.empty()      // nearly always
//
// Assumes: preferences are not looked at. A selector that is absent matches no pod.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/model/scheduling_terms.h"
#include "objects/label_selector.h"
#include "objects/value.h"

namespace muster::core {

// Pods with these labels in these namespaces, counted over nodes with the same value of a label.
struct NeighbourTerm {
  objects::LabelSelector pods;
  std::vector<std::string> namespaces;  // empty and no selector: the pod's own
  bool has_namespace_selector = false;
  objects::LabelSelector namespace_selector = {};
  std::string topology_key;
};

// Pods with these labels in its own namespace, which may differ in number by maximum_skew between
// any two of the places that a label tells apart.
struct SpreadTerm {
  objects::LabelSelector pods;
  std::vector<std::string> same_labels;  // whose values must be those of the pod itself
  std::string topology_key;
  std::int64_t maximum_skew = 1;
  std::int64_t minimum_domains = 1;
  bool honors_affinity = true;  // nodes that its selectors leave out are no places
  bool honors_taints = false;
};

struct HostPort {
  std::string protocol;
  std::string address;  // 0.0.0.0: all of the host's
  std::int64_t port = 0;

  bool clashes_with(const HostPort& other) const;
};

struct PodNeighbours {
  std::vector<NeighbourTerm> wanted;
  std::vector<NeighbourTerm> unwanted;
  std::vector<SpreadTerm> spreads;
  std::vector<HostPort> ports;

  bool empty() const { return !seeks_company() && unwanted.empty() && ports.empty(); }
  // Whether a pod more somewhere may help it.
  bool seeks_company() const { return !wanted.empty() || !spreads.empty(); }
};

Result<PodNeighbours> read_pod_neighbours(objects::View pod_spec);

}  // namespace muster::core
