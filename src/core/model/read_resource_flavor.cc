// SPDX-License-Identifier: Apache-2.0
#include "core/model/read_resource_flavor.h"

namespace muster::core {

ResourceFlavor read_resource_flavor(objects::View object) {
  const objects::View spec = object["spec"];
  return {.node_labels = read_labels(spec["nodeLabels"]),
          .node_taints = read_taints(spec["nodeTaints"]),
          .tolerations = read_tolerations(spec["tolerations"]),
          .topology_name = std::string(spec["topologyName"].string_or(""))};
}

}  // namespace muster::core
