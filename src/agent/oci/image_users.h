// Who the program of an image is: the user that the image or the pod names, looked up in the
// image's own /etc/passwd and /etc/group, as container runtimes do. Pure.
//
//   const ImageUser user = TRY(resolve_image_user("trainer", {}, {}, passwd_text, group_text));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::agent {

struct ImageUser {
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::vector<std::uint32_t> groups = {};  // others that it is in, by the image

  friend bool operator==(const ImageUser&, const ImageUser&) = default;
};

// `named` is "", "1000", "name", "name:group"; what the pod says wins over it.
Result<ImageUser> resolve_image_user(std::string_view named, std::optional<std::uint32_t> user,
                                     std::optional<std::uint32_t> group, std::string_view users,
                                     std::string_view groups);

// The number that an image's user is, where it is one: runAsNonRoot trusts nothing else.
std::optional<std::uint32_t> numeric_image_user(std::string_view named);

}  // namespace muster::agent
