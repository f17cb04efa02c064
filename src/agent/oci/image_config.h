// What an image says of itself: how it is made (its manifest) and how it is run (its
// configuration), read from the JSON of the OCI image format, which Docker's is a form of. Pure.
//
//   const ImageManifest manifest = TRY(parse_image_manifest(bytes));   // …config's digest
//   const ImageConfig config = TRY(parse_image_config(bytes));         // …config.entrypoint
//
// Assumes: the bytes may be anything. What is of another type than it should be reads as absent;
// what is no image is refused.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace muster::agent {

// A manifest or a configuration, and what a list in one of them may hold.
inline constexpr std::size_t image_document_bytes_max = std::size_t{4} << 20;
inline constexpr std::size_t image_entries_max = 10'000;

struct ImageManifest {
  std::string config_digest;
  std::int64_t bytes = 0;  // of its layers and its configuration, as they are transferred
};

struct ImageConfig {
  std::vector<std::string> entrypoint = {};
  std::vector<std::string> command = {};
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::string working_folder = {};
  std::string user = {};         // "", "1000", "1000:100", "name:group"
  std::string stop_signal = {};  // "SIGQUIT", "3"

  friend bool operator==(const ImageConfig&, const ImageConfig&) = default;
};

Result<ImageManifest> parse_image_manifest(std::string_view text);
Result<ImageConfig> parse_image_config(std::string_view text);

// An index of an OCI layout: its manifests, and how it calls them.
struct LayoutEntry {
  std::string digest;
  std::string name = {};  // as its annotations have it; empty: none
};
Result<std::vector<LayoutEntry>> parse_layout_index(std::string_view text);

// The manifest.json of an archive of `docker save`: the tags of its images, in order.
Result<std::vector<std::string>> parse_archive_tags(std::string_view text);

}  // namespace muster::agent
