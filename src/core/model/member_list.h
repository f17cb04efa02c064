// MemberList: the rows that belong to another row (the workloads of a queue), in no order. Each
// keeps its own place in the list, so that coming and going cost the same however many there are.
//
//   queue.reserving.add(id, [&](WorkloadId each) -> auto& { return workloads[each].place; });
//   for (const WorkloadId id : queue.reserving) …
//
// Assumes: a row that is in no such list has the place `nowhere`. The order follows from the order
// of events alone, and must reach no decision.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/model/expect_memory.h"

namespace muster::core {

template <class IdType>
class MemberList {
 public:
  static constexpr std::uint32_t nowhere = UINT32_MAX;

  auto begin() const { return ids_.begin(); }
  auto end() const { return ids_.end(); }
  std::size_t size() const { return ids_.size(); }
  bool empty() const { return ids_.empty(); }

  // One will be added or removed soon: the place of it, `nowhere` for a new one.
  void expect(std::uint32_t place = nowhere) const {
    expect_line(ids_.data() + ids_.size());
    if (place < ids_.size()) expect_line(&ids_[place]);
  }

  // `place_of(id)` is where that row keeps its place.
  template <class PlaceOf>
  void add(IdType id, PlaceOf&& place_of) {
    place_of(id) = static_cast<std::uint32_t>(ids_.size());
    ids_.push_back(id);
  }

  template <class PlaceOf>
  void remove(IdType id, PlaceOf&& place_of) {
    const std::uint32_t at = place_of(id);
    const IdType last = ids_.back();
    ids_[at] = last;
    place_of(last) = at;
    ids_.pop_back();
    place_of(id) = nowhere;
  }

 private:
  std::vector<IdType> ids_;
};

}  // namespace muster::core
