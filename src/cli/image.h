// `muster image`: the images of this machine (agent/oci/image_store.h), which pods run from. Works
// beside a platform that runs and without one.
//
//   muster image import trainer.tar --name trainer:v1
//   muster image list -o json
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command_line.h"

namespace muster::cli {

struct ImageOptions {
  std::string data;
  std::string path;  // of what is imported
  std::string name;
  std::string authfile;  // for a registry; "-": standard input
  std::string format = "text";
};

int image_import(const ImageOptions& options, const Output& output);
int image_pull(const ImageOptions& options, const Output& output);
int image_list(const ImageOptions& options, const Output& output);
int image_remove(const ImageOptions& options, const Output& output);

}  // namespace muster::cli
