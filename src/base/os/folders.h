// Small files and folders for those who are not on the house thread and need no Disk: a process of
// its own (a shim), a thread that talks to the kernel, start-up. Modes are 0600 and 0700.
//
//   TRY(make_folders(folder));
//   TRY(replace_file(folder + "/state", text, Durable::yes));   // whole or not at all
//   auto lock = TRY(lock_file(folder + "/lock"));               // conflict while somebody holds it
//
// Assumes: a lock belongs to the open file: a child that inherits the descriptor holds it too, and
// it ends when the last of them is closed, however their processes died.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/descriptor.h"
#include "base/result.h"

namespace muster {

enum class Durable : std::uint8_t { no, yes };

// With parents; those that exist stay as they are.
Result<> make_folders(const std::string& path);

// Readers see the old text or the new one, also after the writer was killed in between; durable,
// also after the machine was.
Result<> replace_file(const std::string& path, std::string_view text, Durable durable);

bool path_exists(const std::string& path);

// Names, sorted. not_found when there is no such folder.
Result<std::vector<std::string>> names_in_folder(const std::string& path);

// The folder and all below it; follows no link. Nothing to do when it is absent.
Result<> remove_folder_tree(const std::string& path);

// What the files below the folder take on the disk; follows no link, and passes over what goes
// meanwhile.
std::uint64_t folder_tree_bytes(const std::string& path);

// Opened for appending; made when absent.
Result<Descriptor> open_for_append(const std::string& path);
Result<Descriptor> open_folder(const std::string& path);  // to name what lies in it
Result<Descriptor> open_null();  // reads as empty, swallows what is written
Result<> append_text(const Descriptor& file, std::string_view text);
Result<std::uint64_t> file_bytes(const Descriptor& file);

// Memory in the place of a folder, at most so many bytes of it; 0: half of the machine's. Needs the
// rights of root.
Result<> mount_memory(const std::string& folder, std::int64_t bytes_max);

// Takes memory away from each folder in this one that is such a place.
void unmount_memory_in(const std::string& folder);

Result<> set_group(const std::string& path, std::uint32_t group);

// Permission bits of a file or folder; follows links.
Result<> set_mode(const std::string& path, std::uint32_t mode);

Result<> rename_file(const std::string& from, const std::string& to);

// conflict while another open file holds it.
Result<Descriptor> lock_file(const std::string& path);

// Absolute, without links and dots. not_found when it leads nowhere.
Result<std::string> canonical_path(const std::string& path);

}  // namespace muster
