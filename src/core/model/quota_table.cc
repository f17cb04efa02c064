// SPDX-License-Identifier: Apache-2.0
#include "core/model/quota_table.h"

#include <algorithm>

#include "base/checked.h"

namespace muster::core {

std::uint32_t QuotaTable::allocate(std::uint32_t count) {
  std::vector<std::uint32_t>& runs = free_runs_[count];
  if (!runs.empty()) {
    const std::uint32_t first = runs.back();
    runs.pop_back();
    return first;
  }
  const auto first = static_cast<std::uint32_t>(nominal.size());
  nominal.resize(nominal.size() + count, 0);
  usage.resize(usage.size() + count, 0);
  return first;
}

void QuotaTable::free(std::uint32_t first, std::uint32_t count) {
  std::fill_n(nominal.begin() + first, count, 0);
  std::fill_n(usage.begin() + first, count, 0);
  free_runs_[count].push_back(first);
}

std::int64_t QuotaTable::available(std::uint32_t cell) const {
  return std::max<std::int64_t>(0, quota_subtract(nominal[cell], usage[cell]));
}

}  // namespace muster::core
