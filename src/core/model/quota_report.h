// The quota of every node and its share, as rows for people and documents: one for each
// ClusterQueue and Cohort × flavor × resource that it has quota of, gets from below, or that is in
// use there.
//
//   for (const QuotaRow& row : quota_rows(tables)) print(row.node, row.usage);
//
// Assumes: queues that take no part and cohorts in a cycle have no rows, as in Kueue's snapshot.
// Sorted by node (queues, then cohorts), flavor and resource, all by name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/tables.h"

namespace muster::core {

struct QuotaRow {
  std::string node;  // `ClusterQueue/team-a`, `Cohort/research`
  std::string flavor;
  std::string resource;
  std::int64_t nominal = 0;
  std::int64_t subtree = 0;
  std::int64_t usage = 0;
  std::int64_t available = 0;  // of a queue never below zero, of a cohort as it is
  std::int64_t potential = 0;
};

struct ShareRow {
  std::string node;
  std::string dominant_resource;  // empty: borrows nothing
  std::int64_t share = 0;
  std::optional<std::int64_t> weighted_share = {};  // nothing: infinite
  std::string weight;
};

std::vector<QuotaRow> quota_rows(const Tables& tables);
std::vector<ShareRow> share_rows(const Tables& tables);

// `40`, `1536Mi`, `Unlimited`.
std::string quota_text(std::string_view resource, std::int64_t amount);

}  // namespace muster::core
