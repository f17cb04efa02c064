// The end of a pod and of single containers: hooks, graces, and who goes before whom.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/downward.h"
#include "agent/limits.h"
#include "agent/pod_worker.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::View;
using Phase = ContainerState::Phase;

// kubelet's: what a container has left after its hook took all of its time.
constexpr Span grace_min = Span::of_seconds(2);

// And what a pod has whose folders have grown too large.
constexpr Span eviction_grace = Span::of_seconds(1);

Span grace_of(std::int64_t seconds) {
  return Span::of_seconds(std::clamp<std::int64_t>(seconds, 0, grace_seconds_max));
}

}  // namespace

Span PodWorker::own_grace() const {
  return grace_of(pod_["spec"]["terminationGracePeriodSeconds"].integer_or(30));
}

// Sidecars go last, and hooks come before signals; otherwise the runtime ends all at once.
bool PodWorker::ends_in_order() const {
  if (!desk_.files.are_read()) {
    return std::any_of(
        state_->containers.begin(), state_->containers.end(), [this](const ContainerState& each) {
          return role_of(pod_, each.name) == ContainerRole::sidecar && !each.is_quiet();
        });
  }
  return std::any_of(state_->containers.begin(), state_->containers.end(),
                     [this](const ContainerState& each) {
                       return role_of(pod_, each.name) == ContainerRole::sidecar ||
                              container_named(pod_, each.name)["lifecycle"]["preStop"];
                     });
}

void PodWorker::stop_for_end() {
  if (stage_ != Stage::started || !state_) return;
  if (is_quiet()) return close();
  const View metadata = pod_["metadata"];
  const auto deleted = objects::instant_of(metadata["deletionTimestamp"]);
  if (!deleted) {
    const std::string why = is_expired_        ? "DeadlineExceeded"
                            : evicted_.empty() ? "ended"
                                               : evicted_;
    stop(evicted_.empty() ? own_grace() : eviction_grace, why);
  } else {
    // The timestamp says when its grace ends, cut to the second: a pod gets all of it rather than
    // less. The wall may have jumped since.
    const Span grace = grace_of(metadata["deletionGracePeriodSeconds"].integer_or(0));
    const Instant end = *deleted + Span::of_seconds(1);
    stop(std::clamp(end - desk_.house.clock.wall(), Span{}, grace),
         std::string(metadata["deletionTimestamp"].string_or("")));
  }
  if (stop_at_) go_on_stopping();
}

void PodWorker::stop(Span grace, const std::string& why) {
  if (stopped_for_ == why) return;
  const bool is_first = stopped_for_.empty();
  stopped_for_ = why;
  if (state_ && ends_in_order()) {
    const MonotonicInstant end = now() + grace;
    stop_at_ = stop_at_ ? std::min(*stop_at_, end) : end;
    return go_on_stopping();
  }
  if (is_first && state_) {
    for (const ContainerState& each : state_->containers) {
      if (each.phase != Phase::running) continue;
      desk_.events.normal(pod_, each.name, "Killing",
                          fmt::format("Stopping container {}", each.name));
    }
  }
  desk_.runtime.stop(uid_, grace);
}

// Main containers and what initializes them at once, then one sidecar after the other.
void PodWorker::go_on_stopping() {
  const Span left = std::max(Span{}, *stop_at_ - now());
  bool is_first_group_quiet = true;
  for (const ContainerState& each : state_->containers) {
    if (role_of(pod_, each.name) == ContainerRole::sidecar || each.is_quiet()) continue;
    is_first_group_quiet = false;
    end_container(each, left, fmt::format("Stopping container {}", each.name));
  }
  if (!is_first_group_quiet && left > Span{}) return wake_at(*stop_at_);
  for (auto each = state_->containers.rbegin(); each != state_->containers.rend(); ++each) {
    if (role_of(pod_, each->name) != ContainerRole::sidecar || each->is_quiet()) continue;
    end_container(*each, left, fmt::format("Stopping container {}", each->name));
    if (left > Span{}) return wake_at(*stop_at_);
  }
}

void PodWorker::end_container(const ContainerState& state, Span grace, const std::string& message) {
  Memory& memory = memory_[state.name];
  const MonotonicInstant end = now() + grace;
  if (memory.ending_attempt == state.attempt) {
    if (end >= memory.end_at) return;
    memory.end_at = end;
    if (!memory.is_saying_goodbye || grace <= Span{}) {
      desk_.runtime.stop_container(uid_, state.name, grace);
    }
    return;
  }
  memory.ending_attempt = state.attempt;
  memory.end_at = end;
  desk_.events.normal(pod_, state.name, "Killing", message);
  const bool has_hook =
      static_cast<bool>(container_named(pod_, state.name)["lifecycle"]["preStop"]);
  const bool is_asked =
      has_hook && grace > Span{} && state.phase == Phase::running && desk_.files.are_read();
  if (is_asked) return say_goodbye(state, grace);
  desk_.runtime.stop_container(uid_, state.name, grace);
}

// A hook that takes too long is no failure: its time is over, and so is the container's.
void PodWorker::say_goodbye(const ContainerState& state, Span grace) {
  memory_[state.name].is_saying_goodbye = true;
  run_hook(container_named(pod_, state.name)["lifecycle"]["preStop"], state, grace,
           lifeline_.guard([this, state](bool well) {
             Memory& memory = memory_[state.name];
             memory.is_saying_goodbye = false;
             if (!well && now() < memory.end_at) {
               desk_.events.warning(pod_, state.name, "FailedPreStopHook", "PreStopHook failed");
             }
             const Span rest = std::max(grace_min, memory.end_at - now());
             desk_.runtime.stop_container(uid_, state.name, rest);
           }));
}

// Nothing runs; what is held never will.
void PodWorker::close() {
  if (is_closed_) return;
  is_closed_ = true;
  // Devices and images that it held are free from then on.
  if (desk_.files.are_read()) return desk_.runtime.stop(uid_, Span{});
  const auto& all = state_->containers;
  if (std::any_of(all.begin(), all.end(), [](const auto& each) { return each.is_held(); })) {
    desk_.runtime.stop(uid_, Span{});
  }
}

}  // namespace muster::agent
