// NodeColumns: what is free on every node, one column of the state per resource: placement reads
// columns from end to end. A resource that no node has and no pod takes has no column.
//
//   std::span<const std::int64_t> gpus = columns.of(gpu);   // by node id; may be shorter than ids
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/model/ids.h"
#include "core/model/trial.h"

namespace muster::core {

class NodeColumns {
 public:
  void add(ResourceId resource, NodeId node, std::int64_t delta) {
    if (delta == 0) return;
    shift(cell(resource, node), delta);
  }

  // Zero where there is no cell.
  std::int64_t at(ResourceId resource, NodeId node) const {
    const std::span<const std::int64_t> column = of(resource);
    return node.index() < column.size() ? column[node.index()] : 0;
  }

  std::span<const std::int64_t> of(ResourceId resource) const {
    if (resource.index() >= columns_.size()) return {};
    return columns_[resource.index()];
  }

  bool has_cell(ResourceId resource, NodeId node) const {
    return node.index() < of(resource).size();
  }

  // Makes room where there is none; not while a Trial is open.
  std::int64_t& cell(ResourceId resource, NodeId node) {
    if (resource.index() >= columns_.size()) columns_.resize(resource.index() + 1);
    std::vector<std::int64_t>& column = columns_[resource.index()];
    if (node.index() >= column.size()) column.resize(node.index() + 1, 0);
    return column[node.index()];
  }

 private:
  std::vector<std::vector<std::int64_t>> columns_;
};

}  // namespace muster::core
