// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "objects/metadata.h"
#include "simulator/house/requests.h"
#include "simulator/house/trace.h"

namespace muster::simulator {

namespace resources = objects::resources;
using objects::ObjectKey;

namespace {

constexpr Span moment_span = Span::of_seconds(1);
constexpr Span quiet_span_max = Span::of_seconds(1'800);
constexpr Span emptying_span_max = Span::of_seconds(300);
// Queue status is told at most once a second, and settles before that.
constexpr Span status_settles_within = Span::of_seconds(5);

Survival survival_of(const std::string& text) {
  if (text == "none") return Survival::none;
  return text == "all" ? Survival::all : Survival::any;
}

core::Policy policy_of(const Script& script) {
  core::Policy policy;
  for (const Line& line : script.lines) {
    if (line.verb != "policy") continue;
    if (line.text("backfill") == "reserve") policy.backfill = core::Backfill::reserve;
    if (line.text("preemption-cost") == "ties") policy.preemption_cost = core::PreemptionCost::ties;
    if (line.text("preemption-cost") == "first") {
      policy.preemption_cost = core::PreemptionCost::first;
    }
  }
  return policy;
}

}  // namespace

World::World(const Script& script, const Seams& seams)
    : script_(script),
      seams_(seams),
      random_(script.seed),
      time_(random_.next()),
      clock_(time_),
      house_(time_),
      outside_(time_),
      disk_(time_, random_.next()),
      witness_([this](const Change& change) { on_change(change); },
               [this](std::string_view invariant, std::string message) {
                 violate(invariant, std::move(message));
               }),
      progress_(make_progress(*this, script)),
      began_(time_.now()) {
  if (seams.disk) disk_seam_ = seams.disk(disk_);
  for (const auto make :
       {make_states, make_quota, make_gangs, make_slots, make_runs, make_reasons, make_orphans}) {
    checkers_.push_back(make(*this));
  }
}

World::~World() {
  tenant_.disconnect();
  witness_.leave();
  process_.reset();
  house_.drop_all();
}

void World::on_change(const Change& change) {
  if (trace_) trace_(trace_line(time_.now() - began_, change));
  for (const auto& each : checkers_) each->on_change(change);
  progress_->on_change(change);
}

Outcome World::run() {
  set_the_stage();
  run_until(began_ + Span::of_milliseconds(trouble_ends_milliseconds));
  if (outcome_.is_well() && !run_until_settled()) progress_->on_quiet();
  if (outcome_.is_well()) {
    delete_everything();
    for (const auto& each : checkers_) each->on_empty();
  }
  outcome_.simulated = time_.now() - began_;
  if (outcome_.is_well()) outcome_.step = time_.steps();
  outcome_.fingerprint = witness_.fingerprint();
  outcome_.writes = witness_.revision();
  return outcome_;
}

void World::set_the_stage() {
  for (const Line& line : script_.lines) {
    if (line.verb != "machine") continue;
    machines_.push_back(std::make_unique<Machine>(time_, clock_, line.text("name"),
                                                  nodes_of(line, machines_.size())));
    machines_.back()->on_start = [this](const agent::PodSpec& spec) {
      witness_.drain();
      for (const auto& each : checkers_) each->on_start(spec);
    };
  }
  restart();
  for (const Line& line : script_.lines) {
    outside_.post_at(began_ + Span::of_milliseconds(line.at_milliseconds),
                     [this, &line] { due_.push_back([this, &line] { perform(line); }); });
  }
  outside_.post_at(began_ + moment_span, [this] { moment(); });
}

void World::run_until(MonotonicInstant end) {
  while (outcome_.is_well() && time_.now() < end) step();
}

bool World::run_until_settled() {
  const MonotonicInstant end = time_.now() + quiet_span_max;
  while (outcome_.is_well() && time_.now() < end) {
    if (is_calm_ && progress_->missing().empty()) return true;
    run_until(time_.now() + moment_span);
  }
  return !outcome_.is_well();
}

void World::step() {
  time_.step();
  witness_.drain();
  if (process_ && (is_fatal_ || !disk_.powered())) crash();
  for (const auto& task : std::exchange(due_, {})) task();
}

void World::moment() {
  for (const auto& each : checkers_) each->on_moment();
  outside_.post_at(time_.now() + moment_span, [this] { moment(); });
}

void World::violate(std::string_view invariant, std::string message) {
  if (!outcome_.is_well()) return;
  outcome_.invariant = invariant;
  outcome_.message = std::move(message);
  outcome_.step = time_.steps();
}

void World::for_each_running(const std::function<void(const Running&)>& visit) const {
  for (const auto& each : machines_) {
    for (const auto& [uid, task] : each->at_work()) {
      visit({task.node, task.pod, task.state, each->runtime().runs_of(uid)});
    }
  }
}

std::size_t World::pods_kept() const {
  std::size_t count = 0;
  for (const auto& each : machines_) count += each->runtime().pods().size();
  return count;
}

Machine* World::machine(std::string_view name) {
  const auto found = std::ranges::find_if(
      machines_, [&](const std::unique_ptr<Machine>& each) { return each->name == name; });
  return found == machines_.end() ? nullptr : found->get();
}

void World::perform(const Line& line) {
  if (trace_) trace_("=== " + line.to_text() + "\n");
  if (auto request = request_of(line)) return tenant_.ask(std::move(*request));
  if (line.verb == "faults") return set_faults(line);
  if (line.verb == "crash") return prepare_crash(line);
  if (line.verb == "machine-dies") return machine_dies(line);
  if (line.verb == "delete-pod") return delete_pod(line);
  if (line.verb == "delete-workload") return delete_workload(line);
  if (line.verb == "clock-jump") clock_.jump_wall(Span::of_milliseconds(line.number("by")));
  if (line.verb == "calm") calm();
  if (line.verb == "cut" && process_) {
    process_->cut(line.text("who"), Span::of_milliseconds(line.number("for")));
  }
}

void World::set_faults(const Line& line) {
  const auto rate = [&](std::string_view name) {
    return static_cast<std::uint64_t>(line.number(name));
  };
  faults_ = {.call_lost_in = rate("call-lost-in"),
             .answer_lost_in = rate("answer-lost-in"),
             .conflict_in = rate("conflict-in"),
             .event_twice_in = rate("event-twice-in"),
             .watch_closed_in = rate("watch-closed-in"),
             .delay_max = Span::of_milliseconds(line.number("delay-max"))};
  disk_.set_speed({.jitter_max = Span::of_milliseconds(line.number("disk-jitter-max"))});
  if (process_) process_->set_faults(faults_);
}

// At once, or in the middle of a write to come.
void World::prepare_crash(const Line& line) {
  const Survival survival = survival_of(line.text("unsynced"));
  crash_policy_ = {.contents = survival, .names = survival};
  down_for_ = Span::of_milliseconds(line.number("down"));
  const std::int64_t writes = line.number("after-writes");
  if (writes > 0) {
    disk_.power_off_at(disk_.operations() + static_cast<std::uint64_t>(writes));
  } else if (process_) {
    crash();
  }
}

void World::crash() {
  tenant_.disconnect();
  witness_.leave();
  process_.reset();
  house_.drop_all();
  disk_.crash(crash_policy_);
  disk_.power_off_at(0);
  up_since_.reset();
  is_fatal_ = false;
  outside_.post_at(time_.now() + down_for_, [this] { due_.push_back([this] { restart(); }); });
}

void World::restart() {
  if (process_) return;
  auto started = PlatformProcess::start({.house = house_,
                                         .clock = clock_,
                                         .disk = disk_seam_ ? *disk_seam_ : disk_,
                                         .ledger = witness_.ledger(),
                                         .seams = seams_,
                                         .policy = policy_of(script_),
                                         .keeps_record = script_.seed % 4 == 0,
                                         .on_fatal = [this](const Error&) { is_fatal_ = true; }},
                                        random_.next());
  if (!started) {
    if (!disk_.powered()) return crash();
    return violate("I1", "the platform does not come back: " + started.error().to_string());
  }
  ++outcome_.lives;
  process_ = std::move(*started);
  process_->set_faults(faults_);
  up_since_ = time_.now();
  witness_.follow(process_->store());
  for (const auto& each : machines_) {
    if (each->is_on) process_->start_agent(*each);
  }
  tenant_.connect(process_->tenant(), house_, clock_);
}

void World::machine_dies(const Line& line) {
  Machine* dying = machine(line.text("name"));
  if (dying == nullptr || !dying->is_on || is_calm_) return;
  if (process_) process_->stop_agent(*dying);
  dying->power_off();
  outside_.post_at(time_.now() + Span::of_milliseconds(line.number("for")),
                   [this, dying] { due_.push_back([this, dying] { machine_returns(*dying); }); });
}

void World::machine_returns(Machine& machine) {
  if (machine.is_on) return;
  machine.power_on();
  if (process_) process_->start_agent(machine);
}

void World::delete_pod(const Line& line) {
  for (const auto& [key, pod] : all("pods")) {
    if (key.name_space != line.text("namespace")) continue;
    if (objects::controller_of(pod)["name"].string_or("") != line.text("name")) continue;
    return tenant_.ask(removal_of(resources::pods, key));
  }
}

void World::delete_workload(const Line& line) {
  for (const auto& [key, workload] : all("workloads")) {
    if (key.name_space != line.text("namespace")) continue;
    if (objects::controller_of(workload)["name"].string_or("") != line.text("name")) continue;
    return tenant_.ask(removal_of(resources::workloads, key));
  }
}

void World::calm() {
  is_calm_ = true;
  faults_ = {};
  disk_.set_speed({});
  disk_.power_off_at(0);
  if (process_) process_->set_faults({});
  for (const auto& each : machines_) machine_returns(*each);
}

// The script is over: what is left is taken away, and nothing may stay behind.
void World::delete_everything() {
  for (const auto& [key, job] : all("jobs")) tenant_.ask(removal_of(resources::jobs, key));
  const MonotonicInstant end = time_.now() + emptying_span_max;
  const auto is_empty = [this] {
    return !tenant_.is_waiting() && all("pods").empty() && all("workloads").empty() &&
           all("jobs").empty() && pods_kept() == 0;
  };
  while (outcome_.is_well() && time_.now() < end && !is_empty()) {
    run_until(time_.now() + moment_span);
  }
  run_until(time_.now() + status_settles_within);
}

}  // namespace muster::simulator
