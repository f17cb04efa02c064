// Which of a pod's containers runs: first runs, restarts after their pauses, hooks and probes.
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

// kubelet's: the first restart comes at once, the next after 10 s, 20 s … 5 min; a run of ten
// minutes makes up for earlier failures.
constexpr std::int64_t back_off_seconds_min = 10;
constexpr std::int64_t back_off_seconds_max = 300;
constexpr Span back_off_forgotten_after = Span::of_seconds(600);

Span back_off_span(int level) {
  if (level == 0) return {};
  const std::int64_t doubled = back_off_seconds_min << std::min(level - 1, 10);
  return Span::of_seconds(std::min(doubled, back_off_seconds_max));
}

}  // namespace

bool PodWorker::has_started(const std::string& container) const {
  const auto memory = memory_.find(container);
  if (memory != memory_.end() && memory->second.is_hooking) return false;
  return probes_.has_started(container);
}

ContainerTurn PodWorker::turn() const {
  if (stage_ != Stage::started || !state_) return {};
  return turn_of(pod_, *state_, [this](const std::string& name) { return has_started(name); });
}

bool PodWorker::have_images() {
  const auto find_secret = [this](const std::string& name) {
    return desk_.cache.find(secret_resource, {std::string(objects::namespace_of(pod_)), name});
  };
  if (images_.ensure(pod_, find_secret)) return true;
  waiting_ = {};
  if (const auto due = images_.due()) wake_at(*due);
  return false;
}

// Containers that run from images: what was found for them says so, and after a restart of the
// agent their status does.
std::set<std::string> PodWorker::from_images() const {
  std::set<std::string> names;
  for (const auto& [name, facts] : images_.facts()) names.insert(name);
  for (View status : pod_["status"]["containerStatuses"].elements()) {
    if (status["imageID"].string_or("").find("sha256:") == std::string_view::npos) continue;
    names.emplace(status["name"].string_or(""));
  }
  return names;
}

void PodWorker::notice_ends() {
  if (!state_) return;
  const Instant wall = desk_.house.clock.wall();
  for (const ContainerState& each : state_->containers) {
    Memory& memory = memory_[each.name];
    const bool is_new = each.phase == Phase::exited && memory.ended_attempt != each.attempt;
    if (!is_new) continue;
    memory.ended_attempt = each.attempt;
    memory.restart_due.reset();
    if (!is_restarted(pod_, each)) continue;
    if (each.finished - each.started >= back_off_forgotten_after) memory.back_off_level = 0;
    const Span pause = back_off_span(memory.back_off_level);
    ++memory.back_off_level;
    memory.back_off_seconds = pause.nanoseconds / Span::of_seconds(1).nanoseconds;
    // After a restart of the agent a part of the pause is over; the wall may have jumped.
    memory.restart_due = now() + pause - std::clamp(wall - each.finished, Span{}, pause);
    if (*memory.restart_due <= now()) continue;
    desk_.events.warning(
        pod_, each.name, "BackOff",
        fmt::format("Back-off restarting failed container {} in pod {}_{}({})", each.name,
                    objects::name_of(pod_), objects::namespace_of(pod_), uid_));
  }
}

// Held containers whose turn has come, and ended ones whose pause is over.
void PodWorker::run_containers() {
  if (!state_) return;
  for (const std::string& name : turn().run) {
    if (memory_[name].told_run) continue;
    memory_[name].told_run = true;
    desk_.runtime.run(uid_, name);
  }
  for (const ContainerState& each : state_->containers) {
    if (each.phase == Phase::exited) run_due(each);
  }
}

void PodWorker::run_due(const ContainerState& ended) {
  Memory& memory = memory_[ended.name];
  if (!memory.restart_due) return;
  if (*memory.restart_due > now()) return wake_at(*memory.restart_due);
  memory.restart_due.reset();
  memory.previous = ended;
  memory.told_start = false;
  desk_.runtime.run(uid_, ended.name);
}

// ---- Hooks -------------------------------------------------------------------------------------

// Once for each run, as soon as it runs. One that fails ends the container.
void PodWorker::begin_hooks() {
  if (!state_ || !desk_.files.are_read()) return;
  for (const ContainerState& each : state_->containers) {
    Memory& memory = memory_[each.name];
    if (each.phase != Phase::running || memory.hooked_attempt == each.attempt) continue;
    memory.hooked_attempt = each.attempt;
    const View hook = container_named(pod_, each.name)["lifecycle"]["postStart"];
    if (!hook) continue;
    memory.is_hooking = true;
    run_hook(
        hook, each, Span::of_seconds(grace_seconds_max), lifeline_.guard([this, each](bool well) {
          memory_[each.name].is_hooking = false;
          if (!well) {
            desk_.events.warning(pod_, each.name, "FailedPostStartHook", "PostStartHook failed");
            end_container(each, own_grace(), "FailedPostStartHook");
          }
          sync();
        }));
  }
}

void PodWorker::run_hook(View hook, const ContainerState& state, Span limit,
                         UniqueFunction<void(bool)> done) {
  if (const auto seconds = hook["sleep"]["seconds"].integer()) {
    const Span pause = Span::of_seconds(std::clamp<std::int64_t>(*seconds, 0, grace_seconds_max));
    desk_.house.executor.post_at(now() + std::min(pause, limit),
                                 [done = std::move(done)]() mutable { done(true); });
    return;
  }
  auto act = act_of(hook, container_named(pod_, state.name), address_of(pod_), state.process_id);
  if (!act) {
    desk_.house.executor.post([done = std::move(done)]() mutable { done(false); });
    return;
  }
  act->timeout = limit;
  // What the answer is does not matter, only that there is one.
  const bool is_http = act->kind == ContainerAct::Kind::http;
  desk_.runtime.act(uid_, state.name, std::move(*act),
                    [done = std::move(done), is_http](const ActOutcome& outcome) mutable {
                      const bool is_answer =
                          is_http && outcome.message.starts_with("HTTP probe failed");
                      done(outcome.verdict == ActOutcome::Verdict::success ||
                           outcome.verdict == ActOutcome::Verdict::warning || is_answer);
                    });
}

// ---- Probes ------------------------------------------------------------------------------------

void PodWorker::heed_probes() {
  if (!state_) return;
  for (const ContainerState& each : state_->containers) {
    const auto failure = probes_.take_failure(each.name);
    if (!failure || each.phase != Phase::running) continue;
    ContainerState ended = each;
    ended.exit_code = 1;  // whatever it will be, it is none of success
    const Span grace = failure->grace_seconds ? Span::of_seconds(std::clamp<std::int64_t>(
                                                    *failure->grace_seconds, 0, grace_seconds_max))
                                              : own_grace();
    end_container(each, grace,
                  fmt::format("Container {} failed {} probe{}", each.name,
                              failure->kind == ProbeKind::startup ? "startup" : "liveness",
                              is_restarted(pod_, ended) ? ", will be restarted" : ""));
  }
}

}  // namespace muster::agent
