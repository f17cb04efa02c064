// LastTried: how far the search through the flavors of a queue came, so that the next attempt goes
// on behind it. One entry per pod set and resource that got a flavor: the index of the last flavor
// that was looked at, or all_tried when there was none behind it.
//
//   if (is_outdated(last, {.cycle = 8, .generation = 3, .shape = shape}, true)) last = {};
//   for (std::size_t i = last.next_flavor(0, cpu); i < flavors.size(); ++i) …
//
// Assumes: pod sets are counted in the order of the assignment that wrote the record.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/model/ids.h"
#include "core/model/short_list.h"

namespace muster::core {

inline constexpr std::int32_t all_tried = -1;

// When a search was made, and for what. A shape of zero is unknown and equals every other.
struct SearchMoment {
  std::int64_t cycle = 0;
  std::int64_t generation = 0;  // of the queue's allocatable resources
  std::uint64_t shape = 0;      // of the workload: what scheduling sees of it

  friend bool operator==(const SearchMoment&, const SearchMoment&) = default;
};

struct LastTried {
  struct Entry {
    std::uint32_t pod_set = 0;
    ResourceId resource;
    std::int32_t index = all_tried;

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  ShortList<Entry, 2> entries;
  SearchMoment moment;

  // Whether some search ended before the last flavor: the workload is tried again at once.
  bool has_pending_flavors() const;

  // The flavor to begin with.
  std::size_t next_flavor(std::size_t pod_set, ResourceId resource) const;

  friend bool operator==(const LastTried&, const LastTried&) = default;
};

// Whether the record says nothing about the present any more. `preserves_progress`: the gate
// FlavorFungibilityPreserveScanProgress, with which the record of this or the previous cycle counts
// for the same shape, whatever was freed since.
bool is_outdated(const LastTried& last, const SearchMoment& now, bool preserves_progress);

}  // namespace muster::core
