// Scratch: what one evaluation of a CEL program may use up: memory for the text and lists it
// makes, and steps. Memory is bounded by the steps, since every byte made is charged for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <re2/re2.h>

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "objects/cel/datum.h"

namespace muster::objects::cel {

class Scratch {
 public:
  explicit Scratch(std::uint64_t steps_max) : steps_max_(steps_max) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // False when that was more than what is left; the evaluation then ends.
  bool spend(std::uint64_t steps) {
    steps_ = steps < steps_max_ - steps_ ? steps_ + steps : steps_max_;
    return steps_ < steps_max_;
  }
  // For an operation that reads or makes this much text.
  bool spend_text(std::size_t bytes) { return spend(1 + bytes / 10); }
  bool exhausted() const { return steps_ == steps_max_; }
  std::uint64_t steps() const { return steps_; }

  // CEL's ==, charged for; false when the steps run out on the way.
  bool equal(const Datum& a, const Datum& b) {
    const std::uint64_t allowed = steps_max_ - steps_;
    std::uint64_t left = allowed;
    const bool same = cel::equal(a, b, left);
    spend(allowed - left);
    return same;
  }

  // Room for this many data, all without a value.
  std::span<Datum> room(std::size_t count);

  // Copies into this memory.
  Datum text(std::string_view value);
  Datum error(std::string_view message);
  Datum list(std::span<const Datum> items);
  Datum map(std::span<const Entry> entries);

  const Quantity* keep(Quantity quantity) {
    return &quantities_.emplace_front(std::move(quantity));
  }

  // Compiles a pattern that is known only now; null when it is none.
  const re2::RE2* pattern(std::string_view text);

 private:
  std::string_view keep_text(std::string_view value);

  std::uint64_t steps_max_;
  std::uint64_t steps_ = 0;
  // Most rules make little; they never reach the heap.
  alignas(std::max_align_t) std::byte first_[1024];
  std::pmr::monotonic_buffer_resource memory_{first_, sizeof(first_)};
  std::vector<std::unique_ptr<const re2::RE2>> patterns_;
  std::forward_list<Quantity> quantities_;
};

// A pattern of CEL: RE2's syntax in UTF-8, quiet about mistakes.
std::unique_ptr<const re2::RE2> compile_pattern(std::string_view text);

}  // namespace muster::objects::cel
