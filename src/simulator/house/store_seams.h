// Stores with a planted bug, each a known failure of etcd.
//
//   seams.store = [](store::Store& inner) { return std::make_unique<ForgivingStore>(inner); };
//
// Assumes: the inner store outlives them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "simulator/house/passing_store.h"
#include "store/store.h"

namespace muster::simulator {

// Says yes to a write that the disk refused (etcd 14370: acknowledged, and gone after a crash).
class ForgivingStore final : public PassingStore {
 public:
  using PassingStore::PassingStore;
  void put_if(std::string_view key, store::Bytes value, store::Expected expected,
              store::WriteDone done) override;
};

// Comes back with an older revision than it had (etcd 17780).
class BackwardStore final : public PassingStore {
 public:
  BackwardStore(store::Store& inner, std::uint64_t behind) : PassingStore(inner), behind_(behind) {}
  store::Revision revision() const override;

 private:
  std::uint64_t behind_;
};

// Watches that are wrong now and then.
enum class WatchBug : std::uint8_t {
  loses_deletes,  // an event of a compacted delete is not told (etcd 18089)
  tells_twice,    // etcd 17247
  goes_back,      // an older event comes after a newer one (etcd 15271)
};
class FaultyWatchStore final : public PassingStore {
 public:
  FaultyWatchStore(store::Store& inner, WatchBug bug) : PassingStore(inner), bug_(bug) {}
  Result<std::unique_ptr<store::Watch>> watch_from(store::Revision after, std::string_view prefix,
                                                   Task on_ready) override;

 private:
  WatchBug bug_;
};

}  // namespace muster::simulator
