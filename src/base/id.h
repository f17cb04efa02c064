// Id<Tag>: a dense index that cannot be mixed up with another kind's index. Explicit in, explicit
// out. Ids never order anything that a user sees: they depend on arrival.
//
//   using NodeId = Id<struct NodeTag>;
//   NodeId id{7};   nodes_[id.index()];
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace muster {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;  // none
  constexpr explicit Id(std::uint32_t index) : index_(index) {}

  static constexpr Id none() { return Id(); }

  constexpr bool is_none() const { return index_ == none_index; }
  constexpr std::size_t index() const { return index_; }
  constexpr std::uint32_t value() const { return index_; }

  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  static constexpr std::uint32_t none_index = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t index_ = none_index;
};

}  // namespace muster

template <class Tag>
struct std::hash<muster::Id<Tag>> {
  std::size_t operator()(muster::Id<Tag> id) const noexcept { return id.index(); }
};
