// SPDX-License-Identifier: Apache-2.0
// The contract of the store on both disks.
#include "tests/suites/store_suite.h"
#include "tests/suites/store_suite_disks.h"
#include "tests/suites/store_suite_durable.h"

namespace muster::store {

INSTANTIATE_TEST_SUITE_P(
    sqlite, StoreSuite,
    testing::Values(
        StoreWorldCase{"system_disk", [] { return std::make_unique<SystemDiskWorld>(); }},
        StoreWorldCase{"virtual_disk", [] { return std::make_unique<VirtualDiskWorld>(); }}),
    testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(
    sqlite, StoreDurableSuite,
    testing::Values(
        StoreWorldCase{"system_disk", [] { return std::make_unique<SystemDiskWorld>(); }},
        StoreWorldCase{"virtual_disk", [] { return std::make_unique<VirtualDiskWorld>(); }}),
    testing::PrintToStringParamName());

}  // namespace muster::store
