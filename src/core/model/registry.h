// Registry: rows under dense ids, found by name. A row is there as long as somebody holds it: the
// object itself, or another object that names it before it comes or after it went. So a reference
// between objects is an id from the first moment, whatever came first, and names that nobody speaks
// of any more take no room.
//
//   FlavorId id = flavors.hold("h100");   // a row, empty until the ResourceFlavor comes
//   flavors[id].present                   // whether it did
//   flavors.release(id);
//
// Assumes: every hold() is released once. Rows stay where they are while others come and go.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"

namespace muster::core {

template <class IdType, class Row>
class Registry {
 public:
  // None when nobody speaks of it.
  IdType find(std::string_view key) const {
    const auto found = ids_.find(key);
    return found == ids_.end() ? IdType::none() : found->second;
  }

  IdType hold(std::string_view key) {
    const IdType known = find(key);
    if (!known.is_none()) return hold(known);
    const IdType id = take_slot();
    slots_[id.index()].key = std::string(key);
    slots_[id.index()].holders = 1;
    ids_.emplace(slots_[id.index()].key, id);
    return id;
  }

  IdType hold(IdType id) {
    ++slots_[id.index()].holders;
    return id;
  }

  void release(IdType id) {
    Slot& slot = slots_[id.index()];
    CHECK(slot.holders > 0);
    if (--slot.holders > 0) return;
    ids_.erase(slot.key);
    slot.row = Row();
    slot.key.clear();
    free_.push_back(id);
  }

  Row& operator[](IdType id) { return slots_[id.index()].row; }
  const Row& operator[](IdType id) const { return slots_[id.index()].row; }
  const std::string& key(IdType id) const { return slots_[id.index()].key; }

  // Rows in use, and the number of slots: ids are below it.
  std::size_t size() const { return ids_.size(); }
  std::size_t slots() const { return slots_.size(); }

  // Every row that is held, in the order of ids: not an order that may reach a decision.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].holders > 0) visit(IdType(static_cast<std::uint32_t>(i)), slots_[i].row);
    }
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].holders > 0) visit(IdType(static_cast<std::uint32_t>(i)), slots_[i].row);
    }
  }

 private:
  struct Slot {
    Row row = {};
    std::string key = {};
    std::uint32_t holders = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  IdType take_slot() {
    if (!free_.empty()) {
      const IdType id = free_.back();
      free_.pop_back();
      return id;
    }
    slots_.emplace_back();
    return IdType(static_cast<std::uint32_t>(slots_.size() - 1));
  }

  std::deque<Slot> slots_;
  std::vector<IdType> free_;
  std::unordered_map<std::string, IdType, Hash, std::equal_to<>> ids_;
};

}  // namespace muster::core
