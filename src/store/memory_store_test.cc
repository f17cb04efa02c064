// SPDX-License-Identifier: Apache-2.0
#include "store/memory_store.h"

#include "tests/suites/store_suite.h"

namespace muster::store {

INSTANTIATE_TEST_SUITE_P(memory, StoreSuite,
                         testing::Values(StoreWorldCase{
                             "memory", [] { return std::make_unique<MemoryWorld>(); }}),
                         testing::PrintToStringParamName());

}  // namespace muster::store
