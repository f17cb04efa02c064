// Whole files, for configuration, manifests and /proc: read at once and only up to a limit. What
// the product keeps goes through Disk instead.
//
//   const std::string text = TRY(read_whole_file(path, manifest_bytes_max));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/os/descriptor.h"
#include "base/result.h"

namespace muster {

// too_large beyond the limit, not_found when absent. Reads what has no size (pipes, /proc) too.
Result<std::string> read_whole_file(const std::string& path, std::size_t bytes_max);

// Its last bytes, at most so many.
Result<std::string> read_file_end(const std::string& path, std::size_t bytes_max);

// All of standard input, as `-f -` asks for.
Result<std::string> read_standard_input(std::size_t bytes_max);

// A file without a folder, in memory, gone with its last descriptor: for what must stand on no
// disk. Other programs open it by /proc.
Result<Descriptor> make_memory_file(const std::string& name, std::string_view text);

// The file has these contents, or those it had before: written beside, synced, renamed. Readable
// by its owner alone.
Result<> write_private_file(const std::string& path, std::string_view text);

// With parents, for its owner alone; no error when it is there.
Result<> make_private_folder(const std::string& path);

// Whether somebody holds the file as SystemDisk::lock() does. False when there is no such file.
bool is_locked(const std::string& path);

// No error when it is absent.
Result<> remove_file(const std::string& path);

}  // namespace muster
