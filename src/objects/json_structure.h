// JsonStructure: where the tokens of a JSON text begin. simdjson's first stage finds them with the
// widest instructions this machine has, and checks on the way that the text is UTF-8, that strings
// end, and that they hold no raw control characters. The grammar is the caller's work.
//
//   JsonStructure structure;
//   std::span<const std::uint32_t> tokens = TRY(structure.find(text));
//
// Assumes: used by one thread at a time; what find() returned is valid until the next call.
// Internal to this folder, and the only place that knows simdjson.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"

namespace muster::objects {

class JsonStructure {
 public:
  JsonStructure();
  ~JsonStructure();
  JsonStructure(JsonStructure&&) noexcept;
  JsonStructure& operator=(JsonStructure&&) noexcept;

  // Offsets of brackets, braces, colons, commas, and first bytes of strings and other scalars.
  // A text without any token is refused.
  Result<std::span<const std::uint32_t>> find(std::string_view text);

  // Frees the memory for texts larger than this.
  void shrink(std::size_t text_bytes_max);

 private:
  struct Stage;
  std::unique_ptr<Stage> stage_;
};

}  // namespace muster::objects
