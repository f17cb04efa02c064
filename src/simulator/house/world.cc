// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "objects/metadata.h"
#include "simulator/house/requests.h"
#include "simulator/house/trace.h"
#include "store/limits.h"

namespace muster::simulator {

namespace resources = objects::resources;
using objects::Value;

namespace {

constexpr Span moment_span = Span::of_seconds(1);
constexpr Span stage_is_set_after = Span::of_milliseconds(900);
constexpr Span quiet_span_max = Span::of_seconds(1'800);
constexpr Span rest_span_max = Span::of_seconds(14'400);  // 4 h: two jumps of the clock
constexpr Span emptying_span_max = Span::of_seconds(300);
// Far more than a house of this size needs, and far less than what a leak would come to.
constexpr std::size_t house_tasks_max = 20'000;
constexpr std::uint64_t disk_bytes_max = std::uint64_t{256} << 20;
constexpr std::uint64_t store_watches_max = 200;
// The disk can be told to fail this often at once.
constexpr int failed_starts_max = 3;
// Queue status is told at most once a second, and settles before that; a watch that was lost in the
// trouble may come back as late as this.
constexpr Span status_settles_within = Span::of_seconds(12);

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

// Whether Events are written: a fault that costs nobody anything, in most seeds, for its speed.
bool keeps_notes(const Script& script) {
  return std::ranges::none_of(script.lines, [](const Line& line) {
    return line.verb == "policy" && line.text("notes") == "lost";
  });
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
      leaders_([this](std::string_view invariant, std::string message) {
        violate(invariant, std::move(message));
      }),
      progress_(make_progress(*this, script)),
      began_(time_.now()) {
  if (seams.disk) disk_seam_ = seams.disk(disk_);
  for (const auto make :
       {make_states, make_quota, make_gangs, make_slots, make_runs, make_reasons, make_orphans,
        make_preemptions, make_shares, make_topologies, make_bounds}) {
    checkers_.push_back(make(*this));
  }
  // Whoever may start in the shadow of a reservation comes before its turn.
  if (policy_of(script).backfill == core::Backfill::none) checkers_.push_back(make_order(*this));
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
  run_until(began_ + stage_is_set_after);
  outcome_.disk_operations_at_stage = disk_.operations();
  const MonotonicInstant end = began_ + Span::of_milliseconds(trouble_ends_milliseconds);
  while (outcome_.is_well() && !is_calm_ && time_.now() < end) step();
  if (outcome_.is_well() && !run_until_settled()) progress_->on_quiet();
  outcome_.disk_operations_at_end = disk_.operations();
  outcome_.ends = ends_of_jobs();
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

// Whoever rests until an hour of the clock waits for all that it was set back as well.
MonotonicInstant World::rested_by() const {
  Span longest;
  for (const auto& [key, workload] : all("workloads")) {
    const auto until = objects::instant_of(workload["status"]["requeueState"]["requeueAt"]);
    if (until) longest = std::max(longest, *until - clock_.wall());
  }
  return time_.now() + std::min(longest, rest_span_max);
}

bool World::run_until_settled() {
  const MonotonicInstant end = rested_by() + quiet_span_max;
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

void World::after(Span span, std::function<void()> task) {
  outside_.post_at(time_.now() + span, [this, task = std::move(task)] { due_.push_back(task); });
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

// Where nothing can be decided or written it is as if the platform were down.
std::optional<MonotonicInstant> World::up_since() const {
  if (!up_since_ || time_.now() < works_again_at_) return std::nullopt;
  return std::max(*up_since_, works_again_at_);
}

std::string World::ends_of_jobs() const {
  std::string ends;
  for (const auto& [key, job] : all("jobs")) {
    ends += fmt::format("{} succeeded={} failed={}", key.to_string(),
                        job["status"]["succeeded"].integer_or(0),
                        job["status"]["failed"].integer_or(0));
    for (const std::string_view end : {"Complete", "Failed"}) {
      if (objects::is_true(objects::condition(job, end))) ends += fmt::format(" {}", end);
    }
    ends += "; ";
  }
  return ends;
}

std::vector<Evidence::Size> World::sizes() const {
  std::vector<Size> sizes{{"tasks wait in the house", house_.pending(), house_tasks_max},
                          {"bytes are on the disk", disk_.used_bytes(), disk_bytes_max}};
  if (!process_) return sizes;
  const store::StoreStatistics store = process_->store().statistics();
  const store::StoreLimits limits;
  sizes.push_back({"writes wait", store.outstanding_writes, limits.outstanding_writes_max});
  sizes.push_back({"events are in history", store.history_events, limits.history_events_max});
  sizes.push_back({"watches are open", store.watches, store_watches_max});
  return sizes;
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
  if (line.verb == "queue-again") return make_queue_again(line);
  if (line.verb == "delete" && line.text("kind") == "resourceflavors") return delete_flavor(line);
  if (auto request = request_of(line)) return tenant_.ask(std::move(*request));
  if (line.verb == "delete-pod") return delete_pod(line);
  if (line.verb == "delete-plain-pods") return delete_plain_pods();
  if (line.verb == "delete-workload") return delete_workload(line);
  make_trouble(line);
}

void World::crash() {
  if (trace_) trace_("=== the platform is down\n");
  tenant_.disconnect();
  witness_.leave();
  process_.reset();
  house_.drop_all();
  disk_.crash(crash_policy_);
  disk_.power_off_at(0);
  up_since_.reset();
  is_fatal_ = false;
  after(down_for_, [this] { restart(); });
}

void World::restart() {
  if (process_) return;
  if (trace_) trace_("=== the platform comes up\n");
  auto started = PlatformProcess::start({.house = house_,
                                         .clock = clock_,
                                         .disk = disk_seam_ ? *disk_seam_ : disk_,
                                         .ledger = witness_.ledger(),
                                         .api_ledger = witness_.api_ledger(),
                                         .leaders = leaders_,
                                         .seams = seams_,
                                         .policy = policy_of(script_),
                                         .keeps_record = script_.seed % 4 == 0,
                                         .keeps_notes = keeps_notes(script_),
                                         .has_standby = script_.has("standby"),
                                         .on_fatal = [this](const Error&) { is_fatal_ = true; }},
                                        random_.next());
  if (!started) {
    if (!disk_.powered()) return crash();
    // A disk that fails while it starts is tried again, as whoever supervises it would.
    if (++failed_starts_ <= failed_starts_max) return after(down_for_, [this] { restart(); });
    return violate("I1", "the platform does not come back: " + started.error().to_string());
  }
  failed_starts_ = 0;
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

// Its name is taken until the last that is in it has ended.
void World::make_queue_again(const Line& line) {
  const bool is_there = !find("clusterqueues", {"", line.text("name")}).is_absent();
  if (!is_there) return tenant_.ask(*request_of(line));
  after(moment_span, [this, &line] { make_queue_again(line); });
}

// Whoever keeps it while queues name it has to have heard of it first: a flavor that is gone for
// good stops its queues for good, in Kueue too.
void World::delete_flavor(const Line& line) {
  const Value& flavor = find("resourceflavors", {"", line.text("name")});
  if (!flavor["metadata"]["finalizers"].empty()) return tenant_.ask(*request_of(line));
  after(moment_span, [this, &line] { delete_flavor(line); });
}

void World::delete_pod(const Line& line) {
  for (const auto& [key, pod] : all("pods")) {
    if (key.name_space != line.text("namespace")) continue;
    if (objects::controller_of(pod)["name"].string_or("") != line.text("name")) continue;
    return tenant_.ask(removal_of(resources::pods, key));
  }
}

// And the Workloads of groups: what was evicted waits for its successors as long as they are there.
void World::delete_plain_pods() {
  for (const auto& [key, workload] : all("workloads")) {
    if (objects::controller_of(workload)["kind"].string_or("Pod") != "Pod") continue;
    tenant_.ask(removal_of(resources::workloads, key));
  }
  for (const auto& [key, pod] : all("pods")) {
    if (!objects::controller_of(pod)) tenant_.ask(removal_of(resources::pods, key));
  }
}

void World::delete_workload(const Line& line) {
  for (const auto& [key, workload] : all("workloads")) {
    if (key.name_space != line.text("namespace")) continue;
    if (objects::controller_of(workload)["name"].string_or("") != line.text("name")) continue;
    return tenant_.ask(removal_of(resources::workloads, key));
  }
}

// The script is over: what is left is taken away, and nothing may stay behind. What the tenant
// asked for and has no answer to, for want of room on the disk say, comes first.
void World::delete_everything() {
  const MonotonicInstant end = time_.now() + emptying_span_max;
  while (outcome_.is_well() && time_.now() < end && tenant_.is_waiting()) {
    run_until(time_.now() + moment_span);
  }
  for (const auto& [key, job] : all("jobs")) tenant_.ask(removal_of(resources::jobs, key));
  delete_plain_pods();
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
