// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/store_seams.h"

#include <algorithm>

namespace muster::simulator {

namespace {

constexpr std::uint64_t wrong_once_in = 150;

class FaultyWatch final : public store::Watch {
 public:
  FaultyWatch(std::unique_ptr<store::Watch> inner, WatchBug bug)
      : inner_(std::move(inner)), bug_(bug) {}

  Result<store::WatchBatch> take(std::size_t limit) override {
    store::WatchBatch batch = TRY(inner_->take(limit));
    for (std::size_t i = 0; i < batch.events.size(); ++i) {
      if (bug_ == WatchBug::loses_deletes && !batch.events[i]->is_delete()) continue;
      if (++events_ % (bug_ == WatchBug::loses_deletes ? 20 : wrong_once_in) != 0) continue;
      spoil(batch.events, i);
    }
    return batch;
  }

 private:
  void spoil(std::vector<store::EventPointer>& events, std::size_t at) const {
    const auto event = events.begin() + static_cast<std::ptrdiff_t>(at);
    if (bug_ == WatchBug::loses_deletes) events.erase(event);
    if (bug_ == WatchBug::tells_twice) events.insert(event, store::EventPointer(*event));
    if (bug_ == WatchBug::goes_back && at > 0) std::iter_swap(event, event - 1);
  }

  std::unique_ptr<store::Watch> inner_;
  WatchBug bug_;
  std::uint64_t events_ = 0;
};

}  // namespace

void ForgivingStore::put_if(std::string_view key, store::Bytes value, store::Expected expected,
                            store::WriteDone done) {
  inner_.put_if(key, std::move(value), expected,
                [this, done = std::move(done)](Result<store::Revision> written) mutable {
                  if (!written && written.error().code == ErrorCode::insufficient_storage) {
                    return done(store::Revision{inner_.revision().value + 1});
                  }
                  done(std::move(written));
                });
}

store::Revision BackwardStore::revision() const {
  const std::uint64_t revision = inner_.revision().value;
  return {revision - std::min(revision, behind_)};
}

Result<std::unique_ptr<store::Watch>> FaultyWatchStore::watch_from(store::Revision after,
                                                                   std::string_view prefix,
                                                                   Task on_ready) {
  auto inner = TRY(inner_.watch_from(after, prefix, std::move(on_ready)));
  return std::make_unique<FaultyWatch>(std::move(inner), bug_);
}

}  // namespace muster::simulator
