// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/correlation.h"

namespace muster::objects {

namespace {

constexpr std::size_t scanned_max = 16;

}  // namespace

Correlation::Correlation(const SchemaTables& tables, const NodeRecord& list, View old_list)
    : tables_(tables), list_(list) {
  if (list.list_type != ListType::map || !old_list.is_array()) return;
  old_list_ = old_list;
  if (old_list.size() <= scanned_max) return;
  index_.reserve(old_list.size());
  for (std::size_t i = 0; i < old_list.size(); ++i) index_[hash_keys(old_list[i])].push_back(i);
}

View Correlation::find(View element) const {
  if (index_.empty()) {
    for (View candidate : old_list_.elements()) {
      if (same_keys(element, candidate)) return candidate;
    }
    return {};
  }
  const auto found = index_.find(hash_keys(element));
  if (found == index_.end()) return {};
  for (const std::size_t i : found->second) {
    if (same_keys(element, old_list_[i])) return old_list_[i];
  }
  return {};
}

bool Correlation::same_keys(View a, View b) const {
  for (std::uint32_t i = 0; i < list_.key_count; ++i) {
    const std::string_view key = tables_.keys[list_.keys + i];
    if (!(a[key] == b[key])) return false;
  }
  return true;
}

std::uint64_t Correlation::hash_keys(View element) const {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < list_.key_count; ++i) {
    sum = sum * 31 + hash(element[tables_.keys[list_.keys + i]]);
  }
  return sum;
}

}  // namespace muster::objects
