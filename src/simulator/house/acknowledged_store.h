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

class AcknowledgedStore final : public store::Store {
 public:
  AcknowledgedStore(store::Store& inner, AckLedger& ledger) : inner_(inner), ledger_(ledger) {}

  void put_if(std::string_view key, store::Bytes value, store::Expected expected,
              store::WriteDone done) override {
    inner_.put_if(key, std::move(value), expected, noted(key, std::move(done)));
  }
  void delete_if(std::string_view key, store::Expected expected, store::WriteDone done) override {
    inner_.delete_if(key, expected, noted(key, std::move(done)));
  }
  Result<store::Entry> get(std::string_view key) const override { return inner_.get(key); }
  Result<store::ListPage> list(const store::ListRequest& request) const override {
    return inner_.list(request);
  }
  Result<std::unique_ptr<store::Watch>> watch_from(store::Revision after, std::string_view prefix,
                                                   Task on_ready) override {
    return inner_.watch_from(after, prefix, std::move(on_ready));
  }
  void compact(store::Revision revision, store::CompactDone done) override {
    inner_.compact(revision, std::move(done));
  }
  void backup(const std::string& path, store::BackupDone done) override {
    inner_.backup(path, std::move(done));
  }
  store::Revision revision() const override { return inner_.revision(); }
  store::StoreStatistics statistics() const override { return inner_.statistics(); }
  void close(Task done) override { inner_.close(std::move(done)); }

 private:
  store::WriteDone noted(std::string_view key, store::WriteDone done) {
    return [this, key = std::string(key),
            done = std::move(done)](Result<store::Revision> written) mutable {
      if (written) ledger_.acknowledge(*written, std::move(key));
      done(std::move(written));
    };
  }

  store::Store& inner_;
  AckLedger& ledger_;
};

}  // namespace muster::simulator
