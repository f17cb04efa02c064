// Fetching images: skopeo copies one from wherever it is into a layout of its own, umoci unpacks
// its layers, and the store takes it over. Blocks: for the command line, which the node starts in
// a process of its own when a pod's image is to be pulled (`muster image pull`).
//
//   const StoredImage image = TRY(pull_image(store, name, authfile, now));
//   for (const StoredImage& image : TRY(import_images(store, "busybox.tar", {}, now))) …
//
// Assumes: both programs are Debian's; that one is missing is an error which says what to install.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/oci/image_name.h"
#include "agent/oci/image_store.h"
#include "base/instant.h"
#include "base/result.h"

namespace muster::agent {

// Nothing is copied when what the registry has under the name is here already. `authfile`: a file
// with docker's configuration; empty: where skopeo finds one by itself.
Result<StoredImage> pull_image(ImageStore& store, const ImageName& name,
                               const std::string& authfile, Instant now);

// From a folder in the OCI layout or an archive of one, or from what `docker save` wrote. Under
// the names that it has for its images, or under the one that is given.
Result<std::vector<StoredImage>> import_images(ImageStore& store, const std::string& path,
                                               const std::optional<ImageName>& name, Instant now);

// What a program like skopeo wants to say with the last line of its log.
std::string last_complaint(std::string_view text);

// "apt-get install …" for programs that are missing.
Error missing_program(std::string_view program, std::string_view purpose);

}  // namespace muster::agent
