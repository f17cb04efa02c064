// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/job_pods.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>
#include <tuple>

#include "base/checked.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

JobPod::Phase phase_of(View pod) {
  const std::string_view phase = pod["status"]["phase"].string_or("Pending");
  if (phase == "Succeeded") return JobPod::Phase::succeeded;
  if (phase == "Failed") return JobPod::Phase::failed;
  if (phase == "Running") return JobPod::Phase::running;
  return phase == "Unknown" ? JobPod::Phase::unknown : JobPod::Phase::pending;
}

std::optional<std::int64_t> index_of(View pod) {
  const auto text = objects::annotations_of(pod)[words::completion_index].string_or("");
  std::int64_t index = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool is_whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  if (text.empty() || !is_whole || index < 0) return std::nullopt;
  return index;
}

JobPod read_pod(const Value& object) {
  JobPod pod;
  pod.object = object;
  pod.uid = objects::uid_of(object);
  pod.name = objects::name_of(object);
  pod.phase = phase_of(object);
  pod.index = index_of(object);
  pod.is_tracked = objects::has_finalizer(object, words::job_tracking);
  pod.is_deleted = objects::is_being_deleted(object);
  pod.is_ready = objects::is_true(objects::condition(object, "Ready"));
  pod.is_bound = !object["spec"]["nodeName"].string_or("").empty();
  return pod;
}

}  // namespace

std::vector<JobPod> read_pods(std::span<const Value> pods) {
  std::vector<JobPod> read;
  read.reserve(pods.size());
  for (const Value& pod : pods) read.push_back(read_pod(pod));
  // Whatever order they came in, the same step comes out.
  std::sort(read.begin(), read.end(), [](const JobPod& a, const JobPod& b) {
    return std::tuple(a.index.value_or(-1), a.name, a.uid) <
           std::tuple(b.index.value_or(-1), b.name, b.uid);
  });
  return read;
}

namespace {

bool is_sidecar(View pod, std::string_view container) {
  for (View each : pod["spec"]["initContainers"].elements()) {
    if (each["name"].string_or("") != container) continue;
    return each["restartPolicy"].string_or("") == "Always";
  }
  return false;
}

// When all containers have ended, sidecars included: when the last one did.
std::optional<Instant> containers_ended(View pod) {
  std::optional<Instant> last;
  for (const std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
    for (View each : pod["status"][list].elements()) {
      const bool is_init = list == "initContainerStatuses";
      if (is_init && !is_sidecar(pod, each["name"].string_or(""))) continue;
      const auto ended = objects::instant_of(each["state"]["terminated"]["finishedAt"]);
      if (!ended) return std::nullopt;
      if (!last || *last < *ended) last = ended;
    }
  }
  return last;
}

}  // namespace

Instant finish_time(const JobPod& pod) {
  const View object = pod.object;
  if (const auto ended = containers_ended(object)) return *ended;
  const View ready = objects::condition(object, "Ready");
  if (objects::is_false(ready)) {
    if (const auto since = objects::instant_of(ready["lastTransitionTime"])) return *since;
  }
  const View metadata = object["metadata"];
  if (const auto until = objects::instant_of(metadata["deletionTimestamp"])) {
    const std::int64_t grace =
        saturating_multiply(metadata["deletionGracePeriodSeconds"].integer_or(0), 1'000'000'000);
    return {saturating_subtract(until->nanoseconds, grace)};
  }
  return objects::instant_of(metadata["creationTimestamp"]).value_or(Instant{});
}

std::int64_t restarts_of(const JobPod& pod) {
  std::int64_t restarts = 0;
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    for (View each : pod.object["status"][list].elements()) {
      restarts = saturating_add(restarts, each["restartCount"].integer_or(0));
    }
  }
  return restarts;
}

namespace {

// How far a pod has come; the least far goes first. Of two alike, the newer.
bool came_less_far(const JobPod* a, const JobPod* b) {
  const auto progress = [](const JobPod* pod) {
    return std::tuple(pod->is_bound, pod->phase, pod->is_ready);
  };
  if (progress(a) != progress(b)) return progress(a) < progress(b);
  const auto created = [](const JobPod* pod) {
    return pod->object["metadata"]["creationTimestamp"].string_or("");
  };
  if (restarts_of(*a) != restarts_of(*b)) return restarts_of(*a) > restarts_of(*b);
  if (created(a) != created(b)) return created(a) > created(b);
  return a->name > b->name;
}

}  // namespace

std::vector<const JobPod*> surplus_pods(std::span<const JobPod> pods,
                                        std::optional<std::int64_t> completions_if_indexed,
                                        std::int64_t count) {
  std::vector<const JobPod*> surplus;
  std::vector<const JobPod*> rest;
  std::map<std::int64_t, const JobPod*> places;
  for (const JobPod& pod : pods) {
    if (!pod.is_active()) continue;
    if (!completions_if_indexed) {
      rest.push_back(&pod);
      continue;
    }
    if (!pod.index || *pod.index >= *completions_if_indexed) {
      surplus.push_back(&pod);
      continue;
    }
    const auto [place, is_first] = places.try_emplace(*pod.index, &pod);
    if (is_first) continue;
    const JobPod* loser = &pod;
    if (came_less_far(place->second, &pod)) std::swap(place->second, loser);
    surplus.push_back(loser);
  }
  for (const auto& [index, pod] : places) rest.push_back(pod);
  std::sort(rest.begin(), rest.end(), came_less_far);
  for (const JobPod* pod : rest) {
    if (std::ssize(surplus) >= count) break;
    surplus.push_back(pod);
  }
  return surplus;
}

std::optional<Instant> back_off_end(std::int64_t failures, Instant last_failure, Instant now) {
  constexpr std::int64_t first_seconds = 10;
  constexpr std::int64_t seconds_max = 600;
  if (failures <= 0) return std::nullopt;
  std::int64_t seconds = first_seconds;
  for (std::int64_t i = 1; i < failures && seconds < seconds_max; ++i) {
    seconds = std::min(2 * seconds, seconds_max);
  }
  const Span wait = Span::of_seconds(seconds);
  const Instant end{saturating_add(last_failure.nanoseconds, wait.nanoseconds)};
  if (end <= now || last_failure > now + wait) return std::nullopt;
  return end;
}

std::optional<Instant> back_off_until(std::span<const JobPod> pods, Instant now) {
  std::optional<Instant> last_success;
  for (const JobPod& pod : pods) {
    if (pod.phase != JobPod::Phase::succeeded) continue;
    const Instant finished = finish_time(pod);
    if (!last_success || *last_success < finished) last_success = finished;
  }
  std::int64_t failures = 0;
  Instant last_failure;
  for (const JobPod& pod : pods) {
    // A pod that its job took away (untracked, deleted) did not fail.
    const bool failed = pod.is_deleted ? pod.is_tracked && pod.phase != JobPod::Phase::succeeded
                                       : pod.phase == JobPod::Phase::failed;
    if (!failed) continue;
    const Instant finished = finish_time(pod);
    if (last_success && finished <= *last_success) continue;
    if (failures++ == 0 || last_failure < finished) last_failure = finished;
  }
  return back_off_end(failures, last_failure, now);
}

}  // namespace muster::core
