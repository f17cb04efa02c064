// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/job_index_backoff.h"

#include <charconv>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/lifecycle/job_failure_policy.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::View;

namespace {

std::int64_t count_in(View pod, std::string_view annotation) {
  const std::string_view text = objects::annotations_of(pod)[annotation].string_or("");
  std::int32_t count = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_count =
      read.ec == std::errc() && read.ptr == text.data() + text.size() && count >= 0;
  return is_count ? count : 0;
}

IndexFailures failures_before(const JobPod& pod) {
  return {.counted = count_in(pod.object, words::index_failures),
          .ignored = count_in(pod.object, words::index_ignored_failures)};
}

bool fails_its_index(const JobSpec& spec, const JobPod& pod) {
  if (!spec.has_failed(pod)) return false;
  const FailureMatch match = match_failure_policy(spec.view["podFailurePolicy"], pod.object);
  if (match.action == FailureAction::fail_index) return true;
  return match.counts() && failures_before(pod).counted >= *spec.back_off_limit_per_index;
}

// Of two pods of an index that failed: which of them did so later.
bool failed_later(const JobPod& pod, const JobPod& other) {
  return failures_before(other).all() <= failures_before(pod).all() &&
         finish_time(other) <= finish_time(pod);
}

}  // namespace

IndexSet failed_indexes(const JobSpec& spec, std::span<const JobPod> pods, IndexSet known) {
  if (!spec.back_off_limit_per_index) return {};
  for (const JobPod& pod : pods) {
    if (!pod.is_tracked || !pod.index || !spec.has_place(pod)) continue;
    if (fails_its_index(spec, pod)) known.add(*pod.index);
  }
  return known;
}

IndexBackoff::IndexBackoff(const JobSpec& spec, std::span<const JobPod> pods,
                           const IndexSet& settled)
    : spec_(spec) {
  if (!spec.back_off_limit_per_index) return;
  std::set<std::int64_t> active;
  for (const JobPod& pod : pods) {
    if (pod.is_active() && pod.index) active.insert(*pod.index);
  }
  for (const JobPod& pod : pods) {
    if (!pod.is_tracked || !pod.index || !spec.has_place(pod) || !spec.has_failed(pod)) continue;
    if (settled.has(*pod.index) || active.contains(*pod.index)) continue;
    const auto [last, is_first] = last_failed_.try_emplace(*pod.index, &pod);
    if (!is_first && failed_later(pod, *last->second)) last->second = &pod;
  }
}

bool IndexBackoff::holds(const JobPod& pod) const {
  if (!pod.index) return false;
  const auto last = last_failed_.find(*pod.index);
  return last != last_failed_.end() && last->second->uid == pod.uid;
}

std::optional<Instant> IndexBackoff::wait_until(std::int64_t index, Instant now) const {
  const auto last = last_failed_.find(index);
  if (last == last_failed_.end()) return std::nullopt;
  return back_off_end(failures_before(*last->second).all() + 1, finish_time(*last->second), now);
}

std::optional<IndexFailures> IndexBackoff::failures_of_next(std::int64_t index) const {
  if (!spec_.back_off_limit_per_index) return std::nullopt;
  const auto last = last_failed_.find(index);
  if (last == last_failed_.end()) return IndexFailures{};
  IndexFailures failures = failures_before(*last->second);
  const FailureMatch match =
      match_failure_policy(spec_.view["podFailurePolicy"], last->second->object);
  ++(match.counts() ? failures.counted : failures.ignored);
  return failures;
}

}  // namespace muster::core
