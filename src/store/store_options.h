// What is chosen when a store is opened, for every driver.
//
//   open_sqlite_store(disk, house, folder, {.on_fatal = [](const Error& e) { exit_hard(e.message);
//   }})
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error.h"
#include "base/in_parallel.h"
#include "base/unique_function.h"
#include "store/limits.h"

namespace muster::store {

struct StoreOptions {
  StoreLimits limits = {};
  InParallel in_parallel = one_by_one;  // for reading the log

  // Called once when the store stops for good (a failed sync). The process should end then.
  UniqueFunction<void(const Error&)> on_fatal = {};
};

}  // namespace muster::store
