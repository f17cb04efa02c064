// The life of a pod; what is told of it stands in pod_worker_status.cc.
// SPDX-License-Identifier: Apache-2.0
#include "agent/pod_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/environment.h"
#include "agent/limits.h"
#include "base/checked.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::Value;
using objects::View;
namespace resources = objects::resources;

// Before a failed write of a volume is tried again.
constexpr Span prepare_retry_span = Span::of_seconds(10);

// Whether the status tells of a run.
bool has_run(View pod) {
  for (const std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
    for (View status : pod["status"][list].elements()) {
      const View state = status["state"];
      if (state["running"] || state["terminated"] || status["lastState"]["terminated"]) return true;
    }
  }
  return false;
}

}  // namespace

PodWorker::PodWorker(PodDesk& desk, const NodeOptions& node, Value pod)
    : desk_(desk),
      node_(node),
      pod_(std::move(pod)),
      uid_(objects::uid_of(pod_)),
      taken_(desk.house.clock.wall()),
      first_look_(desk.house.clock.monotonic()),
      tokens_(desk.api, desk.house,
              [this] {
                is_stale_ = true;
                sync();
              }),
      images_(desk.images, desk.house, desk_.events, [this] { sync(); }),
      probes_(desk.runtime, desk.house, desk.events, [this] { sync(); }) {
  remember_from_status();
}

void PodWorker::adopt(PodState state) {
  stage_ = Stage::started;
  for (const ContainerState& each : state.containers) {
    Memory& memory = memory_[each.name];
    memory.restarts_before = std::max(0, memory.restarts_before - each.attempt);
    memory.back_off_level = each.attempt;
    memory.told_start = each.started != Instant{};
    memory.hooked_attempt = each.attempt;
    for (const std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
      for (View status : pod_["status"][list].elements()) {
        if (status["name"].string_or("") == each.name) probes_.remember(status, each.attempt);
      }
    }
  }
  state_ = std::move(state);
  is_stale_ = true;  // whether its volumes are as they should be, nobody knows
}

void PodWorker::on_object(Value pod) {
  // What a downward volume may show.
  const View before = pod_["metadata"];
  const View after = pod["metadata"];
  is_stale_ = is_stale_ || !(before["labels"] == after["labels"]) ||
              !(before["annotations"] == after["annotations"]);
  pod_ = std::move(pod);
  sync();
}

void PodWorker::on_state(PodState state) {
  if (stage_ != Stage::started) return;
  tell_changes(state);
  state_ = std::move(state);
  sync();
}

void PodWorker::on_gone() {
  desk_.runtime.remove(uid_);
  if (has_files_) desk_.files.discard(folder());
  if (timer_) desk_.house.executor.cancel(*timer_);
  timer_.reset();
}

void PodWorker::sync() {
  if (is_terminal(pod_.view())) {
    // Somebody declared it over (its node was thought dead) while it runs on here.
    if (stage_ == Stage::started && !is_quiet()) stop(Span{}, "over");
    if (stage_ == Stage::started && is_quiet()) close();
    finish_deletion();
    return;
  }
  check_deadline();
  check_folders();
  if (stage_ == Stage::started) notice_ends();
  const bool is_ending = is_stopping();
  if (state_ && desk_.files.are_read()) probes_.follow(pod_, *state_, is_ending);
  if (is_ending) {
    stop_for_end();
  } else if (stage_ == Stage::held) {
    try_start();
  } else if (stage_ == Stage::started) {
    begin_hooks();
    heed_probes();
    run_containers();
    refresh_volumes();
  }
  publish();
}

bool PodWorker::is_stopping() const {
  if (objects::is_being_deleted(pod_) || is_expired_ || !evicted_.empty()) return true;
  const ContainerTurn now_is = turn();
  return now_is.has_failed_init || now_is.are_mains_done;
}

bool PodWorker::is_quiet() const {
  if (stage_ != Stage::started) return stage_ == Stage::held;
  if (!state_) return false;
  return std::all_of(state_->containers.begin(), state_->containers.end(),
                     [](const ContainerState& each) { return each.is_quiet(); });
}

bool PodWorker::is_over() const {
  return is_lost_ || (is_stopping() && is_quiet());
}

void PodWorker::try_start() {
  if (is_lost_) return;
  if (!is_received(pod_)) {
    waiting_ = {.message = "waits until its node has looked whether there is room for it"};
    return;
  }
  if (!desk_.gangs.is_bound(pod_)) {
    waiting_ = {.message = fmt::format("waits until all {} pods of its gang have a node",
                                       gang_size_of(pod_))};
    return;
  }
  if (has_run(pod_) && pod_["spec"]["restartPolicy"].string_or("") == "Never") {
    is_lost_ = true;
    return;
  }
  if (!have_images() || !have_tokens()) return;
  std::vector<Value> members;
  for (const objects::ObjectKey& key : desk_.gangs.members_of(pod_)) {
    members.push_back(desk_.cache.find(resources::pods, key));
  }
  auto plan = plan_start(pod_, surroundings(), members, desk_.defaults);
  if (auto* refusal = std::get_if<StartRefusal>(&plan)) return refuse(std::move(*refusal));
  if (has_run(pod_)) {
    for (const std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
      for (View status : pod_["status"][list].elements()) {
        ++memory_[std::string(status["name"].string_or(""))].restarts_before;
      }
    }
  }
  auto& start = std::get<StartPlan>(plan);
  join_gang(start.spec, members);
  prepare(std::move(start));
}

// Its gang starts in the same moment, as far as it is this agent's; but where one of it has run, it
// comes later and waits for nobody.
void PodWorker::join_gang(PodSpec& spec, const std::vector<Value>& members) const {
  if (std::any_of(members.begin(), members.end(), [](View each) { return has_run(each); })) return;
  const auto here = std::count_if(members.begin(), members.end(), [this](View each) {
    return desk_.nodes.contains(each["spec"]["nodeName"].string_or(""));
  });
  if (here < 2) return;
  spec.gang = gang_of(pod_);
  spec.gang_members = here;
}

void PodWorker::refuse(StartRefusal refusal) {
  waiting_ = {.reason = refusal.reason, .message = refusal.message};
  if (refusal_ == refusal) return;
  const bool is_volume = refusal.event_reason == "FailedMount";
  desk_.events.warning(pod_, "", refusal.event_reason,
                       is_volume ? refusal.message : "Error: " + refusal.message);
  refusal_ = std::move(refusal);
}

void PodWorker::prepare(StartPlan plan) {
  waiting_ = {};
  refusal_.reset();
  stage_ = Stage::preparing;
  is_stale_ = false;
  volumes_ = plan.volumes;
  if (plan.volumes.empty()) return on_written(std::move(plan.spec), {});
  has_files_ = true;
  desk_.files.write(
      std::move(plan.volumes),
      lifeline_.guard([this, spec = std::move(plan.spec)](const Result<>& written) mutable {
        on_written(std::move(spec), written);
        sync();
      }));
}

// The world may have moved on since the files were asked for.
void PodWorker::on_written(PodSpec spec, const Result<>& written) {
  stage_ = Stage::held;
  if (is_stopping() || is_terminal(pod_.view())) return;
  if (!written) {
    refuse({.reason = "ContainerCreating",
            .message = "the volumes could not be written: " + written.error().message,
            .event_reason = "FailedMount"});
    stage_ = Stage::preparing;  // until the time has come
    desk_.house.executor.post_at(now() + prepare_retry_span, lifeline_.guard([this] {
      stage_ = Stage::held;
      sync();
    }));
    return;
  }
  stage_ = Stage::started;
  has_files_ = false;
  desk_.runtime.start(std::move(spec));
}

void PodWorker::remember_from_status() {
  for (const std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
    for (View status : pod_["status"][list].elements()) {
      Memory& memory = memory_[std::string(status["name"].string_or(""))];
      memory.restarts_before = saturating_cast<int>(status["restartCount"].integer_or(0));
      memory.previous = ended_container_of(status);
    }
  }
}

void PodWorker::check_deadline() {
  const auto seconds = pod_["spec"]["activeDeadlineSeconds"].integer();
  if (!seconds || is_expired_) return;
  const Instant since = objects::instant_of(pod_["status"]["startTime"]).value_or(taken_);
  const Span limit = Span::of_seconds(std::clamp<std::int64_t>(*seconds, 0, grace_seconds_max));
  const Span left = limit - (desk_.house.clock.wall() - since);
  if (left > Span{}) return wake_at(now() + left);
  is_expired_ = true;
  desk_.events.warning(pod_, "", "DeadlineExceeded",
                       "Pod was active on the node longer than the specified deadline");
}

void PodWorker::wake_at(MonotonicInstant due) {
  if (timer_ && timer_due_ <= due) return;
  if (timer_) desk_.house.executor.cancel(*timer_);
  timer_due_ = due;
  timer_ = desk_.house.executor.post_at(due, lifeline_.guard([this] {
    timer_.reset();
    sync();
  }));
}

}  // namespace muster::agent
