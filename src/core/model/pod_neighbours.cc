// SPDX-License-Identifier: Apache-2.0
#include "core/model/pod_neighbours.h"

namespace muster::core {

using objects::LabelSelector;
using objects::View;

namespace {

constexpr std::string_view every_address = "0.0.0.0";

Result<std::vector<NeighbourTerm>> read_terms(View affinity) {
  std::vector<NeighbourTerm> terms;
  for (const View view : affinity["requiredDuringSchedulingIgnoredDuringExecution"].elements()) {
    NeighbourTerm& term = terms.emplace_back();
    term.pods = TRY(LabelSelector::of(view["labelSelector"]));
    for (const View name : view["namespaces"].elements()) {
      term.namespaces.emplace_back(name.string_or(""));
    }
    term.has_namespace_selector = view["namespaceSelector"].is_object();
    if (term.has_namespace_selector) {
      term.namespace_selector = TRY(LabelSelector::of(view["namespaceSelector"]));
    }
    term.topology_key = view["topologyKey"].string_or("");
  }
  return terms;
}

// What is only preferred is not looked at.
Result<std::vector<SpreadTerm>> read_spreads(View constraints) {
  std::vector<SpreadTerm> terms;
  for (const View view : constraints.elements()) {
    if (view["whenUnsatisfiable"].string_or("") != "DoNotSchedule") continue;
    SpreadTerm& term = terms.emplace_back();
    term.pods = TRY(LabelSelector::of(view["labelSelector"]));
    for (const View key : view["matchLabelKeys"].elements()) {
      term.same_labels.emplace_back(key.string_or(""));
    }
    term.topology_key = view["topologyKey"].string_or("");
    term.maximum_skew = view["maxSkew"].integer_or(1);
    term.minimum_domains = view["minDomains"].integer_or(1);
    term.honors_affinity = view["nodeAffinityPolicy"].string_or("Honor") == "Honor";
    term.honors_taints = view["nodeTaintsPolicy"].string_or("Ignore") == "Honor";
  }
  return terms;
}

void read_ports(View containers, bool is_host_network, std::vector<HostPort>& ports) {
  for (const View container : containers.elements()) {
    for (const View view : container["ports"].elements()) {
      std::int64_t port = view["hostPort"].integer_or(0);
      if (port == 0 && is_host_network) port = view["containerPort"].integer_or(0);
      if (port <= 0) continue;
      const std::string_view address = view["hostIP"].string_or("");
      ports.push_back({std::string(view["protocol"].string_or("TCP")),
                       std::string(address.empty() ? every_address : address), port});
    }
  }
}

}  // namespace

bool HostPort::clashes_with(const HostPort& other) const {
  if (port != other.port || protocol != other.protocol) return false;
  return address == other.address || address == every_address || other.address == every_address;
}

Result<PodNeighbours> read_pod_neighbours(View pod_spec) {
  PodNeighbours neighbours;
  neighbours.wanted = TRY(read_terms(pod_spec["affinity"]["podAffinity"]));
  neighbours.unwanted = TRY(read_terms(pod_spec["affinity"]["podAntiAffinity"]));
  neighbours.spreads = TRY(read_spreads(pod_spec["topologySpreadConstraints"]));
  const bool is_host_network = pod_spec["hostNetwork"].boolean_or(false);
  read_ports(pod_spec["containers"], is_host_network, neighbours.ports);
  return neighbours;
}

}  // namespace muster::core
