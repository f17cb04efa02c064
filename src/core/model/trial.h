// Trial: a change to the arrays of the state that commits or vanishes. Every cell it touches is
// written to an undo log first; when the trial ends without commit() the cells are put back in
// reverse order. Trials nest: what an inner one committed vanishes with the outer one.
//
//   Trial whole(log);
//   {
//     Trial gang(log);
//     gang.add(free_cpu[n], -4000);
//     if (everyone_has_a_place) gang.commit();
//   }                                           // put back unless committed
//
// Assumes: the arrays do not grow while a trial is open; trials end in the reverse order of their
// beginning.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster::core {

// Adds without undefined behaviour: sums of absurd requests wrap and come back when subtracted.
constexpr void shift(std::int64_t& cell, std::int64_t delta) {
  cell = static_cast<std::int64_t>(static_cast<std::uint64_t>(cell) +
                                   static_cast<std::uint64_t>(delta));
}

class UndoLog {
 public:
  bool empty() const { return entries_.empty(); }

 private:
  friend class Trial;
  struct Entry {
    std::int64_t* cell;
    std::int64_t before;
  };
  std::vector<Entry> entries_;
  std::size_t depth_ = 0;
};

class Trial {
 public:
  explicit Trial(UndoLog& log);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  void add(std::int64_t& cell, std::int64_t delta);
  void set(std::int64_t& cell, std::int64_t value);

  // The changes stay when this trial ends. Those of the outermost one are final.
  void commit();

 private:
  UndoLog& log_;
  std::size_t mark_;
  std::size_t depth_;
  bool committed_ = false;
};

}  // namespace muster::core
