// SPDX-License-Identifier: Apache-2.0
#include "core/index_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <system_error>

namespace muster::core {

namespace {

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || value < 0) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

IndexSet IndexSet::parse(std::string_view text, std::int64_t limit) {
  IndexSet set;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t hyphen = part.find('-');
    const auto first = number_of(part.substr(0, hyphen));
    const auto last = hyphen == part.npos ? first : number_of(part.substr(hyphen + 1));
    if (!first || !last || *first >= limit || *last < *first) continue;
    set.add_interval({*first, std::min(*last, limit - 1)});
  }
  return set;
}

void IndexSet::add(std::int64_t index) {
  add_interval({index, index});
}

void IndexSet::add_all(const IndexSet& other) {
  for (const Interval& each : other.intervals_) add_interval(each);
}

void IndexSet::add_interval(Interval added) {
  // Those that overlap or touch it become one with it.
  const auto begin =
      std::partition_point(intervals_.begin(), intervals_.end(),
                           [&](const Interval& each) { return each.last < added.first - 1; });
  const auto end = std::partition_point(
      begin, intervals_.end(), [&](const Interval& each) { return each.first <= added.last + 1; });
  if (begin != end) {
    added.first = std::min(added.first, begin->first);
    added.last = std::max(added.last, std::prev(end)->last);
  }
  intervals_.insert(intervals_.erase(begin, end), added);
}

bool IndexSet::has(std::int64_t index) const {
  const auto place = std::partition_point(intervals_.begin(), intervals_.end(),
                                          [&](const Interval& each) { return each.last < index; });
  return place != intervals_.end() && place->first <= index;
}

std::int64_t IndexSet::count() const {
  std::int64_t total = 0;
  for (const Interval& each : intervals_) total += each.last - each.first + 1;
  return total;
}

std::int64_t IndexSet::count_common(const IndexSet& other) const {
  std::int64_t total = 0;
  auto mine = intervals_.begin();
  auto theirs = other.intervals_.begin();
  while (mine != intervals_.end() && theirs != other.intervals_.end()) {
    const std::int64_t first = std::max(mine->first, theirs->first);
    const std::int64_t last = std::min(mine->last, theirs->last);
    total += std::max<std::int64_t>(last - first + 1, 0);
    if (mine->last < theirs->last) {
      ++mine;
    } else {
      ++theirs;
    }
  }
  return total;
}

std::vector<std::int64_t> IndexSet::missing(std::int64_t limit, std::int64_t count_max) const {
  std::vector<std::int64_t> result;
  const auto take_until = [&](std::int64_t from, std::int64_t until) {
    for (; from < until && std::ssize(result) < count_max; ++from) result.push_back(from);
  };
  std::int64_t from = 0;
  for (const Interval& each : intervals_) {
    take_until(from, std::min(each.first, limit));
    from = each.last + 1;
  }
  take_until(from, limit);
  return result;
}

std::string IndexSet::to_string() const {
  std::string text;
  for (const auto& [first, last] : intervals_) {
    if (!text.empty()) text.push_back(',');
    fmt::format_to(std::back_inserter(text), "{}", first);
    if (last > first) {
      fmt::format_to(std::back_inserter(text), "{}{}", last == first + 1 ? ',' : '-', last);
    }
  }
  return text;
}

}  // namespace muster::core
