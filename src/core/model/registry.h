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

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "core/model/expect_memory.h"

namespace muster::core {

template <class IdType, class Row>
class Registry {
 public:
  // None when nobody speaks of it.
  IdType find(std::string_view key) const { return find(key, hash_of(key)); }
  // The same for whoever has the hash of the key (expect_place) already.
  IdType find(std::string_view key, std::uint32_t hash) const {
    if (places_.empty()) return IdType::none();
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Place& place = places_[at];
      if (place.id.is_none()) return IdType::none();
      if (place.hash == hash && slot(place.id).key == key) return place.id;
    }
  }

  IdType hold(std::string_view key) {
    const std::uint32_t hash = hash_of(key);
    const IdType known = find(key, hash);
    return known.is_none() ? hold_new(key, hash) : hold(known);
  }
  // Of a key that nobody speaks of yet.
  IdType hold_new(std::string_view key, std::uint32_t hash) {
    const IdType id = take_slot();
    slot(id).key = key;
    slot(id).holders = 1;
    enter(id, hash);
    return id;
  }

  IdType hold(IdType id) {
    ++slot(id).holders;
    return id;
  }

  void release(IdType id) {
    Slot& held = slot(id);
    CHECK(held.holders > 0);
    if (--held.holders > 0) return;
    leave(id, hash_of(held.key));
    held.row = Row();
    held.key = std::string();
    free_.push_back(id);
  }

  Row& operator[](IdType id) { return slot(id).row; }
  const Row& operator[](IdType id) const { return slot(id).row; }
  const std::string& key(IdType id) const { return slot(id).key; }

  // The row will be read soon: its memory is fetched meanwhile, first the place where its id
  // stands, then by the hash the row. The key is not compared: that would have to wait for the row.
  std::uint32_t expect_place(std::string_view key) const {
    const std::uint32_t hash = hash_of(key);
    if (!places_.empty()) expect_line(&places_[hash & mask()]);
    return hash;
  }
  void expect_hash(std::uint32_t hash) const {
    const IdType id = find_hash(hash);
    if (!id.is_none()) expect(id);
  }
  // The first row of the hash, likely the one of the key; none: there is none.
  IdType find_hash(std::uint32_t hash) const {
    if (places_.empty()) return IdType::none();
    std::size_t at = hash & mask();
    while (!places_[at].id.is_none() && places_[at].hash != hash) at = (at + 1) & mask();
    return places_[at].id;
  }
  void expect(IdType id) const { expect_memory(&slot(id), sizeof(Slot)); }

  // Rows in use, and the number of slots: ids are below it.
  std::size_t size() const { return size_; }
  std::size_t slots() const { return slots_; }
  // Changes whenever a key comes or goes.
  std::uint64_t version() const { return version_; }

  // Every row that is held, in the order of ids: not an order that may reach a decision.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (std::size_t i = 0; i < slots_; ++i) {
      const IdType id(static_cast<std::uint32_t>(i));
      if (slot(id).holders > 0) visit(id, slot(id).row);
    }
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < slots_; ++i) {
      const IdType id(static_cast<std::uint32_t>(i));
      if (slot(id).holders > 0) visit(id, slot(id).row);
    }
  }

 private:
  static constexpr std::size_t slots_in_block = 16;
  static constexpr std::size_t places_min = 16;

  struct Slot {
    std::string key = {};
    std::uint32_t holders = 0;
    Row row = {};
  };

  // Open addressing: an id stands at its hash or behind it, with no empty place between.
  struct Place {
    std::uint32_t hash = 0;
    IdType id = {};
  };

  static std::uint32_t hash_of(std::string_view key) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>()(key));
  }

  std::size_t mask() const { return places_.size() - 1; }

  Slot& slot(IdType id) {
    return (*blocks_[id.index() / slots_in_block])[id.index() % slots_in_block];
  }
  const Slot& slot(IdType id) const {
    return (*blocks_[id.index() / slots_in_block])[id.index() % slots_in_block];
  }

  void put(Place place) {
    std::size_t at = place.hash & mask();
    while (!places_[at].id.is_none()) at = (at + 1) & mask();
    places_[at] = place;
  }

  void enter(IdType id, std::uint32_t hash) {
    ++size_;
    ++version_;
    if (size_ * 3 > places_.size() * 2) {
      std::vector<Place> old(places_.empty() ? places_min : places_.size() * 2);
      old.swap(places_);
      for (const Place& place : old) {
        if (!place.id.is_none()) put(place);
      }
    }
    put({hash, id});
  }

  // Those behind it move up as long as that brings them nearer to their hash.
  void leave(IdType id, std::uint32_t hash) {
    --size_;
    ++version_;
    std::size_t gap = hash & mask();
    while (places_[gap].id != id) gap = (gap + 1) & mask();
    for (std::size_t at = (gap + 1) & mask(); !places_[at].id.is_none(); at = (at + 1) & mask()) {
      const std::size_t from_home = (at - places_[at].hash) & mask();
      const std::size_t from_gap = (at - gap) & mask();
      if (from_home < from_gap) continue;
      places_[gap] = places_[at];
      gap = at;
    }
    places_[gap] = {};
  }

  IdType take_slot() {
    if (!free_.empty()) {
      const IdType id = free_.back();
      free_.pop_back();
      return id;
    }
    if (slots_ % slots_in_block == 0) {
      blocks_.push_back(std::make_unique<std::array<Slot, slots_in_block>>());
    }
    return IdType(static_cast<std::uint32_t>(slots_++));
  }

  std::vector<std::unique_ptr<std::array<Slot, slots_in_block>>> blocks_;
  std::size_t slots_ = 0;
  std::size_t size_ = 0;
  std::uint64_t version_ = 1;
  std::vector<IdType> free_;
  std::vector<Place> places_;  // a power of two, at most two thirds full
};

}  // namespace muster::core
