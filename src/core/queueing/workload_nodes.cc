// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/workload_nodes.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "core/draft.h"
#include "core/words.h"
#include "objects/builder.h"
#include "objects/convert_kueue_topology.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

bool has_topology(View assignment, std::span<const Value> flavors) {
  for (const auto& [resource, name] : assignment["flavors"].members()) {
    const std::string_view wanted = name.string_or("");
    for (const Value& flavor : flavors) {
      if (objects::name_of(flavor) != wanted) continue;
      if (!flavor["spec"]["topologyName"].string_or("").empty()) return true;
    }
  }
  return false;
}

void add_nodes(View topology, std::set<std::string>& nodes) {
  const View levels = topology["levels"];
  if (levels.empty() || levels[levels.size() - 1].string_or("") != words::hostname_label) return;
  objects::Builder builder;
  const auto unpacked = objects::unpack_topology_assignment(builder, topology);
  if (!unpacked) return;
  const objects::Node root = *unpacked;
  const View plain(&root);
  for (View domain : plain["domains"].elements()) {
    const View values = domain["values"];
    if (!values.empty()) nodes.emplace(values[values.size() - 1].string_or(""));
  }
}

}  // namespace

std::set<std::string> topology_nodes(const Value& workload, std::span<const Value> flavors) {
  std::set<std::string> nodes;
  for (View each : workload["status"]["admission"]["podSetAssignments"].elements()) {
    if (has_topology(each, flavors)) add_nodes(each["topologyAssignment"], nodes);
  }
  return nodes;
}

Value with_unhealthy(const Value& workload, const std::set<std::string>& failed) {
  std::vector<Value> list;
  list.reserve(failed.size());
  for (const std::string& name : failed) {
    list.push_back(Value::object({{"name", Value::string(name)}}));
  }
  const Value wanted = list_of(list);
  const View present = workload["status"]["unhealthyNodes"];
  if (list.empty() ? present.empty() : present == wanted.view()) return workload;
  return Draft(workload).set_or_drop({"status", "unhealthyNodes"}, wanted).value();
}

}  // namespace muster::core
