// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "simulator/house/world.h"

namespace muster::simulator {

namespace {

Survival survival_of(const std::string& text) {
  if (text == "none") return Survival::none;
  return text == "all" ? Survival::all : Survival::any;
}

Span span_of(const Line& line) {
  return Span::of_milliseconds(line.number("for"));
}

}  // namespace

void World::make_trouble(const Line& line) {
  const std::string& verb = line.verb;
  if (verb == "faults") return set_faults(line);
  if (verb == "crash") return prepare_crash(line);
  if (verb == "machine-dies") return machine_dies(line);
  if (verb == "clock-jump") return clock_.jump_wall(Span::of_milliseconds(line.number("by")));
  if (verb == "calm") return calm();
  if (verb == "shim-dies") return shim_dies(line);
  if (verb == "agent-dies") return agent_dies(line);
  if (verb == "disk-full") return fill_disk(line);
  if (verb == "disk-fails") return break_disk(line);
  if (!process_) return;
  if (verb == "cut") {
    if (line.text("who") == "control" || line.text("who") == "standby") hold_up(span_of(line));
    return process_->cut(line.text("who"), span_of(line));
  }
  if (verb == "control-dies") return control_dies(line);
  if (verb == "compact") return compact(line);
  if (verb != "slow") return;
  process_->slow(line.text("name"), Span::of_milliseconds(line.number("delay")));
  after(span_of(line), [this] {
    if (process_) process_->set_faults(faults_);
  });
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

void World::machine_dies(const Line& line) {
  Machine* dying = machine(line.text("name"));
  if (dying == nullptr || !dying->is_on || is_calm_) return;
  if (process_) process_->stop_agent(*dying);
  dying->power_off();
  after(span_of(line), [this, dying] { machine_returns(*dying); });
}

void World::machine_returns(Machine& machine) {
  if (machine.is_on) return;
  machine.power_on();
  if (process_) process_->start_agent(machine);
}

void World::calm() {
  is_calm_ = true;
  faults_ = {};
  disk_.set_speed({});
  disk_.power_off_at(0);
  disk_.set_capacity(std::nullopt);
  if (process_) process_->set_faults({});
  for (const auto& each : machines_) machine_returns(*each);
}

// What owned the processes of a pod is gone, and they with it.
void World::shim_dies(const Line& line) {
  Machine* machine_of_it = machine(line.text("name"));
  if (machine_of_it == nullptr || machine_of_it->at_work().empty()) return;
  const auto& at_work = machine_of_it->at_work();
  const auto which = line.number("which") % static_cast<std::int64_t>(at_work.size());
  const std::string uid = std::next(at_work.begin(), which)->first;
  machine_of_it->end_by_force(uid);
}

// The machine and what runs on it live on.
void World::agent_dies(const Line& line) {
  Machine* alone = machine(line.text("name"));
  if (alone == nullptr || !alone->is_on || !process_) return;
  process_->stop_agent(*alone);
  after(span_of(line), [this, alone] {
    if (process_ && alone->is_on && !process_->has_agent(*alone)) process_->start_agent(*alone);
  });
}

// The one that is named, or the only one; at once, or after a while, new ones begin in its place.
void World::control_dies(const Line& line) {
  const std::string who = line.text("who").empty() ? "control" : line.text("who");
  hold_up(span_of(line));
  process_->stop_control(who);
  if (line.number("for") == 0) return control_returns(who);
  after(span_of(line), [this, who] { control_returns(who); });
}

// What the dead one sent has arrived by then: the product leaves it the time (a Lease ages for
// longer than its holder may write), and nobody could decide rightly beside writes nobody knows of.
void World::control_returns(const std::string& who) {
  constexpr Span look_again_after = Span::of_milliseconds(10);
  if (!process_) return;
  if (!process_->is_heard_from(who)) return process_->start_control(who);
  after(look_again_after, [this, who] { control_returns(who); });
}

// No controller is heard, or none leads, or nothing can be written; of two the first one back waits
// for the lease of the other to age.
void World::hold_up(Span span) {
  constexpr Span followed_within = Span::of_seconds(20);
  works_again_at_ = std::max(works_again_at_, time_.now() + span + followed_within);
}

void World::fill_disk(const Line& line) {
  hold_up(span_of(line));
  disk_.set_capacity(disk_.used_bytes() + static_cast<std::uint64_t>(line.number("room")));
  after(span_of(line), [this] { disk_.set_capacity(std::nullopt); });
}

void World::break_disk(const Line& line) {
  const auto after_so_many = static_cast<std::uint64_t>(line.number("after"));
  if (line.text("what") == "sync") {
    disk_.fail_sync(after_so_many);
  } else {
    disk_.fail_write(after_so_many);
  }
}

// Whoever lags behind by more is told 410 and has to list again.
void World::compact(const Line& line) {
  const std::uint64_t revision = process_->store().revision().value;
  const auto kept = static_cast<std::uint64_t>(line.number("keeps"));
  if (revision <= kept) return;
  process_->store().compact({revision - kept}, [this](const Result<>& done) {
    if (!done && trace_) trace_("=== not compacted: " + done.error().to_string() + "\n");
  });
}

}  // namespace muster::simulator
