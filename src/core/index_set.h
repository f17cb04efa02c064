// IndexSet: the indexes of an Indexed Job that completed or failed, as sorted intervals, read and
// written in the form of status.completedIndexes.
//
//   IndexSet done = IndexSet::parse("1,3-5", completions);
//   done.add(2);
//   done.to_string();   // "1-5"
//
// Assumes: the text comes from an object that somebody else may have written: what is no interval
// is passed over, and nothing at or beyond the limit is kept.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::core {

class IndexSet {
 public:
  IndexSet() = default;
  static IndexSet parse(std::string_view text, std::int64_t limit);

  void add(std::int64_t index);
  void add_all(const IndexSet& other);

  bool has(std::int64_t index) const;
  bool empty() const { return intervals_.empty(); }
  std::int64_t count() const;

  // How many are in both.
  std::int64_t count_common(const IndexSet& other) const;

  // The lowest indexes in [0, limit) that are not in the set, at most so many.
  std::vector<std::int64_t> missing(std::int64_t limit, std::int64_t count_max) const;

  // Runs of three and more are hyphenated, as Kubernetes writes them: "1,3-5,7,8".
  std::string to_string() const;

  friend bool operator==(const IndexSet&, const IndexSet&) = default;

 private:
  struct Interval {
    std::int64_t first = 0;
    std::int64_t last = 0;  // included
    friend bool operator==(const Interval&, const Interval&) = default;
  };

  void add_interval(Interval added);

  std::vector<Interval> intervals_;  // sorted, with a gap between neighbours
};

}  // namespace muster::core
