// The files of api/, as they were when this binary was built: the kinds that it knows from birth.
// Kind files are CustomResourceDefinitions; those below types/ hold what kinds share
// (api/README.md has the format).
//
//   for (const EmbeddedFile& file : api_files()) registry.add(TRY(parse_yaml(file.text)));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace muster::objects {

struct EmbeddedFile {
  std::string_view path;  // below api/, such as "core/pod.yaml"
  std::string_view text;
};

// Sorted by path. Lives as long as the program.
std::span<const EmbeddedFile> api_files();

}  // namespace muster::objects
