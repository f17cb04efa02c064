// QuotaTable: nominal quota and usage as parallel arrays, one cell for each ClusterQueue × flavor ×
// resource. The cells of a ClusterQueue lie together; a reservation touches a few of them.
//
//   if (request <= quota.available(cell)) trial.add(quota.usage[cell], request);
//
// Assumes: usage is what was granted, which may exceed a quota that was lowered later.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace muster::core {

class QuotaTable {
 public:
  std::vector<std::int64_t> nominal;  // `unlimited`: no limit
  std::vector<std::int64_t> usage;

  // A run of zeroed cells.
  std::uint32_t allocate(std::uint32_t count);
  void free(std::uint32_t first, std::uint32_t count);

  // What is left, never below zero.
  std::int64_t available(std::uint32_t cell) const;
  // The most there could ever be: one ClusterQueue alone has no more than its nominal quota.
  std::int64_t potential(std::uint32_t cell) const { return nominal[cell]; }

 private:
  std::map<std::uint32_t, std::vector<std::uint32_t>> free_runs_;  // by length
};

}  // namespace muster::core
