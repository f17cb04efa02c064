// The layout of the store's file, its version, and the way from older ones.
//
//   version 2   log(revision, previous, checksum, key, value)   append-only; value NULL: a delete
//               meta(name, value)                               "compacted": history begins after
//               every page ends in a seal (sqlite_vfs.h)
//   version 1   log(revision, key, value, deleted)              before checksums and seals
//
// A version that is too new is refused: a program that does not know it would damage it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "store/journal.h"
#include "store/sqlite_connection.h"

namespace muster::store {

// The pages of a new store. 16 KiB hold three pods of 4 to 5 KiB, of which 8 KiB would hold one and
// leave the rest empty, and cost little more than 4 KiB when a commit rewrites one page.
inline constexpr std::uint64_t page_bytes_new = 16'384;

inline constexpr std::int64_t schema_version = 2;

// Stands in the file's header, so that `file` and we can tell ours from others: "MUST".
inline constexpr std::int64_t application_id = 0x4D555354;

// Makes a new file, or brings an older one to the present version in one transaction. `path` is
// for messages.
Result<> prepare_schema(SqliteConnection& connection, const std::string& path);

// What a row's checksum is taken of: everything else in it.
std::uint32_t row_checksum(const Record& record);

}  // namespace muster::store
