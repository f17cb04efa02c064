// Correlation: finds the old element of a list that a new one continues: the one with the same
// keys. Lists that are replaced as a whole have no such thing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "objects/schema/tables.h"
#include "objects/value.h"

namespace muster::objects {

class Correlation {
 public:
  Correlation(const SchemaTables& tables, const NodeRecord& list, View old_list);

  // Absent where there is none.
  View find(View element) const;

 private:
  bool same_keys(View a, View b) const;
  std::uint64_t hash_keys(View element) const;

  const SchemaTables& tables_;
  const NodeRecord& list_;
  View old_list_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> index_;  // of long lists only
};

}  // namespace muster::objects
