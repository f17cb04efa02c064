// A write-ahead log that breaks in the middle. SQLite ends the log at the first frame that does
// not match its checksum, because that is what a crash during a write looks like. But each commit
// is synced before the next begins, so at most one commit can lie behind such a place, torn, among
// remains of older logs: where two follow each other, something that was acknowledged is damaged,
// and going on would forget it silently.
//
//   TRY(check_log(disk, "data/store.db"));     // before SQLite opens it
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/disk.h"
#include "base/result.h"

namespace muster::store {

// The log of this main file: internal when commits were lost to damage; no log is fine.
Result<> check_log(Disk& disk, const std::string& main_path);

}  // namespace muster::store
