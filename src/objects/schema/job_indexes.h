// The indexes of a job as its status and its success policy write them: growing numbers and ranges,
// each below the number of completions.
//
//   read_job_indexes("1,3-5", 6).count;        // 4
//   read_job_indexes("5-3", 6).refusal;        // non-increasing order, previous: 5, current: 3
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::objects {

struct JobIndexes {
  std::string refusal = {};  // in the peer's words; empty: they can be read
  std::int64_t count = 0;
};
JobIndexes read_job_indexes(std::string_view text, std::int64_t completions);

}  // namespace muster::objects
