// KindChanges: tells those who follow objects of a kind that the kind is not what it was: its
// CustomResourceDefinition was changed, or is gone. Watches end then, and their clients come back.
//
//   KindChanges::Subscription ends = changes.subscribe(target.kind, [this] { … });
//   changes.announce(*old_kind);
//
// Assumes: the house thread. Each subscriber is told once, never from inside a change that the
// ObjectCache takes in; it may go while it is told. The KindChanges outlive all subscriptions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "base/executor.h"
#include "objects/kind_registry.h"

namespace muster::server {

class KindChanges {
 public:
  class Subscription {
   public:
    Subscription() = default;
    Subscription(KindChanges* changes, std::uint64_t id) : changes_(changes), id_(id) {}
    Subscription(Subscription&& other) noexcept
        : changes_(std::exchange(other.changes_, nullptr)), id_(other.id_) {}
    Subscription& operator=(Subscription&& other) noexcept {
      std::swap(changes_, other.changes_);
      std::swap(id_, other.id_);
      return *this;
    }
    ~Subscription() {
      if (changes_ != nullptr) changes_->subscribers_.erase(id_);
    }

   private:
    KindChanges* changes_ = nullptr;
    std::uint64_t id_ = 0;
  };

  // Built-in kinds do not change: nothing is kept for them.
  [[nodiscard]] Subscription subscribe(const objects::KindRegistry::Found& kind, Task on_change);

  void announce(const objects::Kind& old_kind);

 private:
  struct Subscriber {
    const objects::Kind* kind;
    Task on_change;
  };
  std::map<std::uint64_t, Subscriber> subscribers_;  // in the order in which they came
  std::uint64_t next_id_ = 1;
};

}  // namespace muster::server
