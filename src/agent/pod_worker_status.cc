// What is told of a pod: its status, its events, its removal.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/downward.h"
#include "agent/ignored_fields.h"
#include "agent/pod_worker.h"
#include "base/duration.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using client::Verb;
using objects::Value;
using objects::View;
using Phase = ContainerState::Phase;
namespace resources = objects::resources;

// A pod that waits for less than this says nothing: its next status is on its way.
constexpr Span quiet_span = Span::of_seconds(1);

constexpr Span write_retry_span = Span::of_seconds(1);

}  // namespace

PodObservation PodWorker::observe() const {
  PodObservation seen{.state = state_,
                      .waiting = waiting_,
                      .is_over = is_over(),
                      .ignored_fields = ignored_fields(pod_, from_images()),
                      .node_address = node_.address,
                      .runtime = desk_.runtime_name,
                      .started = taken_,
                      .now = desk_.house.clock.wall()};
  if (is_expired_) {
    seen.reason = "DeadlineExceeded";
    seen.message = "Pod was active on the node longer than the specified deadline";
  }
  if (!evicted_.empty()) {
    seen.reason = "Evicted";
    seen.message = evicted_;
  }
  seen.waits = images_.waits();
  for (const auto& [name, facts] : images_.facts()) {
    seen.images[name] = {.name = facts.name, .id = facts.id};
  }
  for (const auto& [name, memory] : memory_) {
    seen.restarts[name] = memory.restarts_before;
    if (memory.previous) seen.previous[name] = *memory.previous;
  }
  if (!state_) return seen;
  for (ContainerState& each : seen.state->containers) {
    seen.restarts[each.name] += each.attempt;
    if (!probes_.has_started(each.name)) seen.unstarted.insert(each.name);
    if (!probes_.is_ready(each.name)) seen.unready.insert(each.name);
    const auto found = memory_.find(each.name);
    if (found == memory_.end()) continue;
    // It runs for others once its first hook is through.
    if (each.phase == Phase::running && found->second.is_hooking) {
      each = {.name = each.name, .reason = "ContainerCreating", .attempt = each.attempt};
    }
    if (each.phase != Phase::exited) continue;
    const Memory& memory = found->second;
    if (!memory.restart_due || *memory.restart_due <= now()) continue;
    seen.backing_off[each.name] =
        fmt::format("back-off {} restarting failed container={} pod={}_{}({})",
                    format_duration(Span::of_seconds(memory.back_off_seconds)), each.name,
                    objects::name_of(pod_), objects::namespace_of(pod_), uid_);
  }
  return seen;
}

bool PodWorker::is_worth_telling(View next) const {
  if (is_over() || pod_["status"]["containerStatuses"].size() != 0) return true;
  for (const std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
    for (View status : next["status"][list].elements()) {
      const std::string_view reason = status["state"]["waiting"]["reason"].string_or("");
      if (reason != "ContainerCreating" && reason != held_reason) return true;
    }
  }
  return now() >= first_look_ + quiet_span;
}

void PodWorker::publish() {
  if (is_writing_) return;
  const Value next = pod_with_status(pod_, observe());
  if (next["status"] == pod_["status"]) return;
  if (!is_worth_telling(next)) return wake_at(first_look_ + quiet_span);
  // What the server left out or filled in is no reason to write again.
  const bool was_accepted = sent_version_ == objects::resource_version_of(pod_);
  if (was_accepted && next["status"] == sent_["status"]) return;
  is_writing_ = true;
  desk_.api.call({.verb = Verb::update,
                  .resource = resources::pods,
                  .name_space = std::string(objects::namespace_of(pod_)),
                  .name = std::string(objects::name_of(pod_)),
                  .subresource = "status",
                  .body = next},
                 lifeline_.guard([this, next](Result<Value> answer) {
                   if (answer) {
                     sent_ = next;
                     sent_version_ = objects::resource_version_of(*answer);
                   }
                   on_published(std::move(answer));
                 }));
}

void PodWorker::on_published(Result<Value> answer) {
  is_writing_ = false;
  if (answer) {
    return see(*answer);
  }
  if (answer.error().code == ErrorCode::not_found) return;  // the watch will say so
  if (answer.error().code != ErrorCode::conflict) return wake_at(now() + write_retry_span);
  is_writing_ = true;
  desk_.api.call({.verb = Verb::get,
                  .resource = resources::pods,
                  .name_space = std::string(objects::namespace_of(pod_)),
                  .name = std::string(objects::name_of(pod_))},
                 lifeline_.guard([this](Result<Value> newest) {
                   is_writing_ = false;
                   if (!newest) {
                     if (newest.error().code == ErrorCode::not_found) return;
                     return wake_at(now() + write_retry_span);
                   }
                   see(*newest);
                 }));
}

// The watch may have been faster: the cache knows which is newer.
void PodWorker::see(const Value& answer) {
  if (objects::uid_of(answer) != uid_) return;
  desk_.cache.saw_written(resources::pods, answer);
  const Value newest = desk_.cache.find(resources::pods, objects::key_of(answer));
  if (objects::uid_of(newest) == uid_) pod_ = newest;
  sync();
}

void PodWorker::finish_deletion() {
  if (!objects::is_being_deleted(pod_) || !is_quiet() || is_removing_) return;
  is_removing_ = true;
  desk_.api.call({.verb = Verb::remove,
                  .resource = resources::pods,
                  .name_space = std::string(objects::namespace_of(pod_)),
                  .name = std::string(objects::name_of(pod_)),
                  .grace_period_seconds = 0,
                  .preconditions = {.uid = uid_}},
                 lifeline_.guard([this](Result<Value> answer) {
                   // This may be the end of the worker, and must come last.
                   const Value removed = pod_;
                   if (answer) return desk_.cache.saw_removed(resources::pods, removed, *answer);
                   const ErrorCode code = answer.error().code;
                   if (code == ErrorCode::not_found || code == ErrorCode::conflict) return;
                   is_removing_ = false;
                   wake_at(now() + write_retry_span);
                 }));
}

void PodWorker::tell_changes(const PodState& next) {
  for (const ContainerState& each : next.containers) {
    Memory& memory = memory_[each.name];
    if (each.started != Instant{} && !memory.told_start) {
      memory.told_start = true;
      tell_running(each);
    }
    const bool is_trouble = each.phase == Phase::waiting && each.is_quiet() && !each.is_held();
    if (!is_trouble || memory.told_trouble == each.reason) continue;
    memory.told_trouble = each.reason;
    const std::string_view image = container_named(pod_, each.name)["image"].string_or("");
    desk_.events.warning(pod_, each.name, "Failed",
                         each.reason == "ErrImagePull"
                             ? fmt::format("Failed to pull image \"{}\": {}", image, each.message)
                             : each.message);
    desk_.events.warning(pod_, each.name, "Failed", "Error: " + each.reason);
  }
}

void PodWorker::tell_running(const ContainerState& state) {
  const std::string_view image = container_named(pod_, state.name)["image"].string_or("");
  if (!images_.take_pulled(state.name)) {
    desk_.events.normal(pod_, state.name, "Pulled",
                        fmt::format("Container image \"{}\" already present on machine", image));
  }
  desk_.events.normal(pod_, state.name, "Created", "Container created");
  if (state.reason == "StartError") {
    desk_.events.warning(pod_, state.name, "Failed", "Error: " + state.message);
  } else {
    desk_.events.normal(pod_, state.name, "Started", "Container started");
  }
}

}  // namespace muster::agent
