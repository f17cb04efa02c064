// AssignmentPool: the memory of the assignments of one cycle, which the next cycle uses again.
// There is one for every head, each of several pieces; the heap would hand out other, cold ones
// each time.
//
//   AssignmentRef assignment = pool.take();       // empty
//   assignment.edit().mode = AssignmentMode::fit;
//   assignment->mode
//   pool.take_all_back();                         // before the next cycle
//
// Assumes: nobody reads through a reference after take_all_back(). A Plan shares the pool of its
// cycle, so that its decisions can be read as long as it is there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/admission/assignment.h"

namespace muster::core {

class AssignmentPool {
 public:
  AssignmentRef take();
  // Beyond `kept_max` the memory goes back to the heap.
  void take_all_back();

 private:
  static constexpr std::size_t kept_max = 2048;

  std::vector<std::unique_ptr<Assignment>> assignments_;
  std::size_t taken_ = 0;
};

// Makes it the pool for the next cycle: the same where no Plan refers to it any more, or a new one.
void renew(std::shared_ptr<AssignmentPool>& pool);

}  // namespace muster::core
