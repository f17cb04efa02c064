// Dice: a run of numbers that chance has thrown before a property begins, so that a failure shrinks
// to a short run. An empty run throws zeros.
//
//   Dice dice(*rc::gen::container<std::vector<std::uint32_t>>(…));
//   while (!dice.is_empty()) step(dice.below(6));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace muster::core {

class Dice {
 public:
  explicit Dice(std::vector<std::uint32_t> thrown) : thrown_(std::move(thrown)) {}

  bool is_empty() const { return next_ >= thrown_.size(); }

  std::int64_t below(std::int64_t sides) {
    return is_empty() ? 0 : static_cast<std::int64_t>(thrown_[next_++]) % sides;
  }

 private:
  std::vector<std::uint32_t> thrown_;
  std::size_t next_ = 0;
};

}  // namespace muster::core
