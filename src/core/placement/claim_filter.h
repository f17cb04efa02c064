// ClaimFilter: where pods may stand because of the claims that they use: a volume reaches only some
// nodes; a claim that one node may write at a time (ReadWriteOnce) is used on one; one that a
// single pod may use (ReadWriteOncePod) keeps all others waiting. The words are kube-scheduler's,
// where it has any.
//
//   ClaimFilter filter(tables.claims, "team-a", set.claims, pods);
//   if (!filter.objection().empty()) …            // no node will do
//   if (const auto refusal = filter.refuses(node, row, name)) …
//
// Assumes: asked in one cycle, in which claims do not change.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/claims.h"
#include "core/model/rows.h"
#include "core/placement/node_filter.h"

namespace muster::core {

class ClaimFilter {
 public:
  // `pods`: how many use each claim of the gang, in the order of the names.
  ClaimFilter(const Claims& claims, std::string_view name_space, const ClaimNames& names,
              const std::vector<std::int64_t>& pods);

  // Why no node at all will do; empty: some may.
  const std::string& objection() const { return objection_; }

  // Claims that keep several of the pods on one node; empty: they may spread.
  const std::vector<std::string>& binding_claims() const { return binding_; }

  std::optional<Refusal> refuses(NodeId node, const NodeRow& row, std::string_view name) const;

  // From now on this node only.
  void keep_to(NodeId node) { only_ = node; }

 private:
  struct Used {
    const std::string* name = nullptr;
    std::string key;
    const Claim* claim = nullptr;
  };

  void look_at(const Used& used, std::int64_t pods);
  std::optional<Refusal> refuses(const Used& used, NodeId node, const NodeRow& row,
                                 std::string_view name) const;

  const Claims& claims_;
  std::vector<Used> used_;
  std::string objection_;
  std::vector<std::string> binding_;
  NodeId only_;
};

}  // namespace muster::core
