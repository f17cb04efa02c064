// WatchHub: hands every durable event to the watchers whose prefix matches. A late watcher reads
// the ledger's history where it lies; a live one has a buffer of shared events with a limit. The
// cost of an event is one look-up per distinct length of prefix plus its actual receivers.
//
//   hub.publish(events);     // the ledger has applied them
//   hub.notify();            // calls on_ready of those who have something new
//
// Assumes: the house thread, as the store. The ledger outlives the hub; watches may outlive both.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "store/ledger.h"
#include "store/limits.h"
#include "store/store.h"

namespace muster::store {

struct WatchState;

class WatchHub {
 public:
  WatchHub(const Ledger& ledger, const StoreLimits& limits) : ledger_(ledger), limits_(limits) {}
  WatchHub(const WatchHub&) = delete;
  WatchHub& operator=(const WatchHub&) = delete;
  ~WatchHub();

  Result<std::unique_ptr<Watch>> open(Revision after, std::string_view prefix, Task on_ready);

  void publish(std::span<const EventPointer> events);

  // Ends every watch with this error.
  void fail_all(const Error& error);

  // Calls out: what it calls may open and close watches and write to the store.
  bool has_ready() const { return !ready_.empty(); }
  void notify();

  std::size_t watches() const { return watches_; }
  std::uint64_t cut_off() const { return cut_off_; }

 private:
  friend struct WatchState;
  friend class HubWatch;

  struct PrefixHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Group = std::vector<std::shared_ptr<WatchState>>;
  using Groups = std::unordered_map<std::string, Group, PrefixHash, std::equal_to<>>;

  Result<WatchBatch> take(WatchState& state, std::size_t limit);
  Result<WatchBatch> take_history(WatchState& state, std::size_t limit);
  void deliver(WatchState& state, const EventPointer& event, std::size_t bytes);
  void wake(WatchState& state);
  void close(WatchState& state);

  const Ledger& ledger_;
  const StoreLimits limits_;
  std::map<std::size_t, Groups> by_length_;
  std::vector<std::shared_ptr<WatchState>> ready_;
  std::size_t watches_ = 0;
  std::uint64_t opened_ = 0;
  std::uint64_t cut_off_ = 0;
};

}  // namespace muster::store
