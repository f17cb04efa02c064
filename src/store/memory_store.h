// A store in memory alone: for tests, for what-if copies and for the simulator. It keeps the whole
// contract except that nothing survives it; a backup is refused.
//
//   auto store = open_memory_store(house);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/executor.h"
#include "store/store.h"
#include "store/store_options.h"

namespace muster::store {

std::unique_ptr<Store> open_memory_store(Executor& house, StoreOptions options = {});

}  // namespace muster::store
