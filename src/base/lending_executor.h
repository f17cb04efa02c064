// LendingExecutor: an Executor that sleeps on a thread of its own, and that another thread may run
// for a while instead of waking it. Waking a thread costs both of them more than a short callback
// does, most of all where cores are virtual and sleep: who would only wait for the outcome does the
// work at once. Callbacks still run one at a time and in order, on one thread at a time.
//
//   house.post_or_run([…] { handle(request); }, [&] { return has_work_of_my_own(); });
//
// Assumes: the caller holds no lock and can go without its own thread for as long as a callback
// takes. What must stay on one thread does not belong on such an executor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/executor.h"

namespace muster {

class LendingExecutor : public Executor {
 public:
  // As post(). Where nothing runs and nothing waits, the callback runs before this returns, and so
  // does what is posted meanwhile, until `is_enough` (asked between rounds of it); its own thread
  // does what is left. Whether it did.
  virtual bool post_or_run(Task task, const std::function<bool()>& is_enough) = 0;
};

}  // namespace muster
