// Any bytes, in two slices: no crash, and nothing beyond the limits.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "server/limits.h"
#include "server/spdy_frames.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  muster::server::SpdyReader reader;
  for (const std::string_view slice : {bytes.substr(0, size / 2), bytes.substr(size / 2)}) {
    const auto frames = reader.take(slice);
    if (!frames) return 0;
    for (const auto& frame : *frames) {
      CHECK(frame.bytes.size() <= muster::server::spdy_frame_bytes_max);
    }
  }
  return 0;
}
