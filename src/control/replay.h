// replay: runs a record again. The same events and the same refusals into an empty state give the
// same plans, entry by entry; where they do not, a decision depended on something that is no event.
//
//   ReplayReport report = replay(TRY(read_record(disk, folder)));
//   report.differing.empty()
//
// A record that a ring has cut is replayed from each `start` in it. What was assumed but not yet
// written at such a moment is not in the snapshot, so that the first cycles after a cut may differ.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "control/record.h"

namespace muster::control {

struct ReplayReport {
  std::size_t events = 0;
  std::size_t cycles = 0;
  std::size_t skipped = 0;             // entries after a gap
  std::vector<std::size_t> differing;  // indexes of cycles whose plan is another one now
};

ReplayReport replay(std::span<const RecordEntry> entries);

}  // namespace muster::control
