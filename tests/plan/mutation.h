// Mutation: an object with a few places made strange: absent, null, of another type, absurdly
// large, negative, or a copy of another place. Where, and what with, the bytes say, so that a
// fuzzer can steer.
//
//   Mutation mutation(bytes);
//   Value strange = mutation.of(object);
//
// Assumes: when the bytes are used up, everything stays as it is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "objects/builder.h"
#include "objects/value.h"

namespace muster::tests {

class Mutation {
 public:
  explicit Mutation(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  // As many changes as the next byte says, up to three.
  objects::Value of(const objects::Value& object);

  bool is_used_up() const { return at_ >= bytes_.size(); }

  // Below `end`; 0 when the bytes are used up.
  std::size_t next(std::size_t end);

 private:
  objects::Node changed(objects::Builder& builder, objects::View view, std::size_t& countdown,
                        objects::View root);
  objects::Node strange(objects::Builder& builder, objects::View view, objects::View root);

  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

}  // namespace muster::tests
