// Witness: the durable truth, read from the store itself with no network in between. It follows
// every event by revision, across crashes, keeps the newest state of the kinds that checkers look
// at, and is itself the checker of the store: no acknowledged write is lost, none is changed or
// reordered, revisions only grow.
//
//   witness.follow(store);            // at first, and again after every restart
//   witness.drain();                  // after every step: hands new events to the listener
//
// Assumes: it is drained before the store is destroyed or not at all. What was durable but not yet
// told when a crash came is told after the restart, from the store's own history.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "simulator/house/acknowledged_store.h"
#include "simulator/house/api_ledger.h"
#include "simulator/house/checkers/checker.h"
#include "store/store.h"

namespace muster::simulator {

class Witness {
 public:
  using Listener = std::function<void(const Change&)>;
  using Violate = std::function<void(std::string_view invariant, std::string message)>;

  Witness(Listener listener, Violate violate);

  AckLedger& ledger() { return ledger_; }
  ApiLedger& api_ledger() { return api_ledger_; }

  void follow(store::Store& store);
  void drain();
  void leave();

  const Evidence::Objects& all(std::string_view plural) const;

  std::uint64_t revision() const { return ledger_.seen; }
  std::uint64_t events() const { return events_; }

  // Equal for two runs that ended in the same state by the same number of writes.
  std::uint64_t fingerprint() const;

 private:
  struct Known {
    std::uint64_t revision = 0;
    store::Bytes value;
  };

  void read_new();
  void see(const store::Event& event);
  void tell(std::string_view key, const store::Event& event);
  void compare();

  Listener listener_;
  Violate violate_;
  AckLedger ledger_;
  ApiLedger api_ledger_;
  store::Store* store_ = nullptr;
  std::unique_ptr<store::Watch> watch_;
  std::map<std::string, Known, std::less<>> known_;
  std::map<std::string, Evidence::Objects, std::less<>> objects_;  // by plural
  std::uint64_t events_ = 0;
  std::uint64_t wakes_ = 0;
};

}  // namespace muster::simulator
