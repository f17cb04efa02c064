// SPDX-License-Identifier: Apache-2.0
#include "core/model/read_topology.h"

#include <fmt/format.h>

#include <utility>

#include "core/model/limits.h"
#include "objects/builder.h"
#include "objects/convert_kueue_topology.h"

namespace muster::core {

using objects::Builder;
using objects::View;

Result<Topology> read_topology(View object) {
  Topology topology;
  for (const View level : object["spec"]["levels"].elements()) {
    topology.levels.emplace_back(level["nodeLabel"].string_or(""));
  }
  if (topology.levels.empty() || topology.levels.size() > topology_levels_max) {
    return Error::invalid(fmt::format("must have 1 to {} levels", topology_levels_max),
                          "spec.levels");
  }
  return topology;
}

objects::Value to_value(const TopologyAssignment& assignment, bool by_prefix) {
  Builder builder;
  std::vector<objects::Node> levels;
  for (const std::string& level : assignment.levels) levels.push_back(builder.text(level));
  std::vector<objects::Node> domains;
  domains.reserve(assignment.domains.size());
  for (const TopologyDomain& domain : assignment.domains) {
    std::vector<objects::Node> values;
    for (const std::string& value : domain.values) values.push_back(builder.text(value));
    const objects::Node::Member members[] = {
        {Builder::literal("values"), builder.array(values)},
        {Builder::literal("count"), Builder::integer(domain.count)}};
    domains.push_back(builder.object(members));
  }
  const objects::Node::Member members[] = {{Builder::literal("levels"), builder.array(levels)},
                                           {Builder::literal("domains"), builder.array(domains)}};
  const objects::Node plain = builder.object(members);
  // It cannot fail: every domain has a value for each level.
  const objects::Node packed =
      objects::pack_topology_assignment(builder, View(&plain), by_prefix).must();
  return std::move(builder).finish(packed);
}

}  // namespace muster::core
