// SPDX-License-Identifier: Apache-2.0
#include "core/preemption/make_room.h"

#include <algorithm>

namespace muster::core {
namespace {

// The targets so far, of which the first `out_` are out of the state.
class Row {
 public:
  Row(Search& search, TargetSource& source) : search_(search), source_(source) {}

  std::size_t size() const { return targets_.size(); }

  // One more, if there is one.
  bool extend() {
    const auto target = source_.next();
    if (!target) return false;
    targets_.push_back(*target);
    search_.take_out(target->workload);
    search_.note(target->workload, "NotEnough");
    ++out_;
    return true;
  }

  void set_out(std::size_t count) {
    while (out_ > count) search_.put_back(targets_[--out_].workload);
    while (out_ < count) search_.take_out(targets_[out_++].workload);
  }

  std::vector<Target> finish() {
    for (std::size_t i = out_; i < targets_.size(); ++i) {
      search_.note(targets_[i].workload, "NotNeeded");
    }
    targets_.resize(out_);
    return std::move(targets_);
  }

 private:
  Search& search_;
  TargetSource& source_;
  std::vector<Target> targets_;
  std::size_t out_ = 0;
};

// `low` are too few, `high` are enough: the fewest that are enough.
void halve(Search& search, Row& row, std::size_t low, std::size_t high) {
  while (low + 1 < high) {
    const std::size_t middle = low + (high - low) / 2;
    row.set_out(middle);
    (search.has_place() ? high : low) = middle;
  }
  row.set_out(high);
}

}  // namespace

std::optional<std::vector<Target>> take_until_fit(Search& search, TargetSource& source) {
  Row row(search, source);
  do {
    if (!row.extend()) return std::nullopt;
  } while (!source.has_quota());
  if (search.has_place()) return row.finish();
  std::size_t step = 1;
  for (;;) {
    const std::size_t low = row.size();
    std::size_t added = 0;
    while (added < step && row.extend()) ++added;
    if (added == 0) return std::nullopt;
    if (search.has_place()) {
      halve(search, row, low, row.size());
      return row.finish();
    }
    if (search.place_is_monotone()) step *= 2;
  }
}

void put_back_unneeded(Search& search, std::vector<Target>& targets, bool may_borrow) {
  for (std::size_t i = targets.size() - 1; i-- > 0;) {
    search.put_back(targets[i].workload);
    if (search.has_quota(may_borrow) && search.still_has_place()) {
      search.note(targets[i].workload, "PutBack");
      targets[i] = targets.back();
      targets.pop_back();
    } else {
      search.take_out(targets[i].workload);
    }
  }
}

}  // namespace muster::core
