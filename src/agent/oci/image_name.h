// ImageName: what a pod or a person calls an image, in full, as Docker reads it: `busybox` is
// docker.io/library/busybox:latest. Pure.
//
//   const ImageName name = TRY(parse_image_name("busybox"));
//   name.to_string()      // "docker.io/library/busybox:latest"
//   name.repository       // "docker.io/library/busybox"
//
// Assumes: errors are bad_request in the words of Docker's reference parser, which people know.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::agent {

struct ImageName {
  std::string repository;   // with its registry
  std::string tag = {};     // empty where a digest alone names it
  std::string digest = {};  // "sha256:…", where one was given

  std::string registry() const { return repository.substr(0, repository.find('/')); }

  // Under which it is stored: the digest says more than the tag.
  std::string to_string() const;

  friend bool operator==(const ImageName&, const ImageName&) = default;
};

Result<ImageName> parse_image_name(std::string_view text);

// "sha256:" and sixty-four hexadecimal digits.
bool is_sha256_digest(std::string_view text);

}  // namespace muster::agent
