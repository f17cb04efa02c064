// CRC-32C (Castagnoli), the checksum of every row of the log. With the processor's instruction
// where it has one, else by table; both give the same value everywhere.
//
//   crc32c("123456789") == 0xE3069283
//   crc32c("6789", crc32c("12345")) == crc32c("123456789")
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace muster::store {

// Goes on from the checksum of the bytes before.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

// The same without the instruction.
std::uint32_t crc32c_by_table(std::string_view bytes, std::uint32_t before = 0);

}  // namespace muster::store
