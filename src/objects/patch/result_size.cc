// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/result_size.h"

#include <fmt/format.h>

#include "objects/json.h"

namespace muster::objects {

namespace {

// One byte of text becomes at most "\u001f"; a node of 16 bytes at most 25 characters.
constexpr std::size_t json_bytes_per_byte_max = 6;

}  // namespace

Result<Value> within_limits(Value patched, const PatchLimits& limits) {
  if (patched.memory() <= limits.result_bytes_max / json_bytes_per_byte_max) return patched;
  const std::size_t bytes = to_json(patched).size();
  if (bytes <= limits.result_bytes_max) return patched;
  return Error::too_large(
      fmt::format("the patched object has {} bytes, more than {}", bytes, limits.result_bytes_max));
}

}  // namespace muster::objects
