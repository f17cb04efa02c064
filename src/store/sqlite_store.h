// A durable store: one SQLite file in a folder of its own. Acknowledged means on disk. One process
// at a time; a second one is refused. docs/internals/store.md tells the whole story.
//
//   auto store = TRY(open_sqlite_store(disk, house, "/var/lib/muster/store", {}));
//
// Assumes: opening and restoring block, so they run before the loops do, or in a job of the disk.
// After a restore every revision is larger than any that the lost store handed out, as long as it
// handed out fewer than a thousand million after the backup: watches from before have expired.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/disk.h"
#include "base/executor.h"
#include "store/store.h"
#include "store/store_options.h"

namespace muster::store {

// Errors: conflict (the folder is in use), invalid (not a store of ours, or of a newer version),
// internal (damaged: the message names the key and says what to do).
Result<std::unique_ptr<Store>> open_sqlite_store(Disk& disk, Executor& house,
                                                 const std::string& folder, StoreOptions options);

// Makes a store from a backup, in an empty folder only; answers the revision it stands at.
Result<Revision> restore_sqlite_store(Disk& disk, const std::string& backup,
                                      const std::string& folder);

}  // namespace muster::store
