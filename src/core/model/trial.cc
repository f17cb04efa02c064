// SPDX-License-Identifier: Apache-2.0
#include "core/model/trial.h"

#include "base/check.h"

namespace muster::core {

Trial::Trial(UndoLog& log) : log_(log), mark_(log.entries_.size()), depth_(++log.depth_) {}

Trial::~Trial() {
  CHECK(depth_ == log_.depth_);
  --log_.depth_;
  if (!committed_) {
    while (log_.entries_.size() > mark_) {
      const UndoLog::Entry& entry = log_.entries_.back();
      *entry.cell = entry.before;
      log_.entries_.pop_back();
    }
  }
  if (log_.depth_ == 0) log_.entries_.clear();
}

void Trial::add(std::int64_t& cell, std::int64_t delta) {
  CHECK(depth_ == log_.depth_);
  log_.entries_.push_back({&cell, cell});
  shift(cell, delta);
}

void Trial::set(std::int64_t& cell, std::int64_t value) {
  CHECK(depth_ == log_.depth_);
  log_.entries_.push_back({&cell, cell});
  cell = value;
}

void Trial::commit() {
  committed_ = true;
}

}  // namespace muster::core
