// PassingStore: hands every call on to another store. For those who change one of them.
//
//   class Counting final : public PassingStore { … put_if(…) override { ++calls_; inner_.put_if(…);
//   } };
//
// Assumes: the other store outlives it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "store/store.h"

namespace muster::simulator {

class PassingStore : public store::Store {
 public:
  explicit PassingStore(store::Store& inner) : inner_(inner) {}

  void put_if(std::string_view key, store::Bytes value, store::Expected expected,
              store::WriteDone done) override {
    inner_.put_if(key, std::move(value), expected, std::move(done));
  }
  void delete_if(std::string_view key, store::Expected expected, store::WriteDone done) override {
    inner_.delete_if(key, expected, std::move(done));
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

 protected:
  store::Store& inner_;
};

}  // namespace muster::simulator
