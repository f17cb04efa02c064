// AcknowledgedStore: a Store that notes down what it promised: every write that was answered with
// a revision. What is on this list and not among the durable events after a crash was lost.
//
//   AcknowledgedStore store(*sqlite, ledger);
//
// Assumes: the ledger outlives the store; so do the answers that are still under way, because the
// house forgets them first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "simulator/house/passing_store.h"
#include "store/store.h"

namespace muster::simulator {

// Revisions that somebody was told of and that the witness has not seen as events yet.
struct AckLedger {
  std::map<std::uint64_t, std::string> unseen;  // the key that each of them wrote
  std::uint64_t seen = 0;                       // by the witness, up to here
  std::uint64_t acknowledged = 0;               // in all

  void acknowledge(store::Revision revision, std::string key) {
    ++acknowledged;
    if (revision.value > seen) unseen.emplace(revision.value, std::move(key));
  }
};

class AcknowledgedStore final : public PassingStore {
 public:
  AcknowledgedStore(store::Store& inner, AckLedger& ledger)
      : PassingStore(inner), ledger_(ledger) {}

  void put_if(std::string_view key, store::Bytes value, store::Expected expected,
              store::WriteDone done) override {
    inner_.put_if(key, std::move(value), expected, noted(key, std::move(done)));
  }
  void delete_if(std::string_view key, store::Expected expected, store::WriteDone done) override {
    inner_.delete_if(key, expected, noted(key, std::move(done)));
  }

 private:
  store::WriteDone noted(std::string_view key, store::WriteDone done) {
    return [this, key = std::string(key),
            done = std::move(done)](Result<store::Revision> written) mutable {
      if (written) ledger_.acknowledge(*written, std::move(key));
      done(std::move(written));
    };
  }

  AckLedger& ledger_;
};

}  // namespace muster::simulator
