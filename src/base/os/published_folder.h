// Files that their readers see change all at once, as a kubelet's volumes do:
//
//   folder/..2/token          the files, in a folder that is never changed
//   folder/..data   → ..2     replaced by one rename
//   folder/token    → ..data/token
//
//   TRY(publish_files(folder, {{.path = "token", .bytes = text, .mode = 0644}}));
//
// Assumes: one writer; paths are relative, go nowhere else, and their first part does not begin
// with two dots. What lies there already and is the same stays, with its times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace muster {

struct PublishedFile {
  std::string path;
  std::string bytes;
  std::uint32_t mode = 0644;

  friend bool operator==(const PublishedFile&, const PublishedFile&) = default;
};

// The folder exists.
Result<> publish_files(const std::string& folder, std::span<const PublishedFile> files);

}  // namespace muster
