// Base64 (RFC 4648, the standard alphabet with padding), as Kubernetes carries bytes in JSON.
//
//   base64_encode("muster")                 "bXVzdGVy"
//   const std::string bytes = TRY(base64_decode(text));
//
// Reading is strict: length, padding, alphabet and the unused bits must be right; line ends are
// skipped, as Go does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace muster {

std::string base64_encode(std::string_view bytes);

Result<std::string> base64_decode(std::string_view text);

}  // namespace muster
