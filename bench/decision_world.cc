// SPDX-License-Identifier: Apache-2.0
#include "bench/decision_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/os/cpu_time.h"
#include "core/edit.h"
#include "objects/edit.h"
#include "objects/metadata.h"
#include "objects/yaml.h"

namespace muster::bench {

using objects::Value;
namespace resources = objects::resources;

namespace {

constexpr Instant beginning{1'735'732'800'000'000'000};

// glibc puts small pieces of memory that were given back in order when somebody asks for a large
// one. The world's pieces are many (every text it writes); the core is not to pay for them.
void tidy_heap() {
  const std::vector<char> large(std::size_t{1} << 16U);
  if (large.empty()) fmt::print("never");
}

}  // namespace

double Spent::decisions_per_second() const {
  return static_cast<double>(decisions) * 1e9 / static_cast<double>(core_ns());
}

double Spent::decided_per_second() const {
  return static_cast<double>(decisions) * 1e9 / static_cast<double>(deciding_ns());
}

DecisionWorld::DecisionWorld(core::Policy policy) : policy_(std::move(policy)) {
  state_.apply({.type = core::EventType::tick, .now = now()});
}

Instant DecisionWorld::now() const {
  return beginning + at_;
}

void DecisionWorld::add(const objects::Resource& resource, std::string_view yaml) {
  add(resource, objects::parse_yaml_document(yaml).must());
}

void DecisionWorld::add(const objects::Resource& resource, const Value& object) {
  if (resource == resources::workloads) {
    workloads_[objects::key_of(object).to_string()].object = object;
  }
  happens(resource, object);
  apply_all();
}

void DecisionWorld::arrive(const Value& workload, Span at, Span run_time) {
  coming_.push(
      {.at = at, .number = ++number_, .key = "", .workload = workload, .run_time = run_time});
}

namespace {

// What reading the clock twice measures of itself.
std::int64_t clock_cost_ns() {
  static const std::int64_t cost = [] {
    std::array<std::int64_t, 1001> costs{};
    for (std::int64_t& each : costs) {
      const Span start = thread_cpu_time();
      each = (thread_cpu_time() - start).nanoseconds;
    }
    std::ranges::sort(costs);
    return costs[costs.size() / 2];
  }();
  return cost;
}

std::int64_t nanoseconds_between(Span start, Span end) {
  return std::max<std::int64_t>((end - start).nanoseconds - clock_cost_ns(), 0);
}

}  // namespace

void DecisionWorld::happens(const objects::Resource& resource, const Value& object) {
  happened_.push_back({.revision = ++revision_, .resource = resource, .object = object});
}

// Together, so that reading the clock costs little beside what it measures.
void DecisionWorld::apply_all() {
  tidy_heap();
  const Span start = thread_cpu_time();
  state_.apply(happened_);
  spent_.applying_ns += nanoseconds_between(start, thread_cpu_time());
  spent_.events += happened_.size();
  happened_.clear();
  past_.clear();
}

void DecisionWorld::come(const Coming& coming) {
  if (coming.key.empty()) {
    const std::string key = objects::key_of(coming.workload).to_string();
    workloads_[key] = {.object = coming.workload, .run_time = coming.run_time, .came = coming.at};
    return happens(resources::workloads, coming.workload);
  }
  const auto known = workloads_.find(coming.key);
  if (known == workloads_.end() || known->second.admission != coming.admission) return;
  const Value object = objects::with_condition(
      known->second.object,
      {.type = "Finished", .status = "True", .reason = "Succeeded", .message = "done"}, now());
  past_.push_back(std::move(known->second.object));
  workloads_.erase(known);
  ++finished_;
  happens(resources::workloads, object);
}

// Its pods are gone as soon as it is told to stop.
void DecisionWorld::stop(const std::string& key) {
  Known& known = workloads_[key];
  ++known.admission;
  Value object = objects::without(known.object, {"status", "admission"}).must();
  object = objects::with_condition(
      object,
      {.type = "QuotaReserved", .status = "False", .reason = "Pending", .message = "evicted"},
      now());
  object = objects::with_condition(
      object,
      {.type = "Admitted", .status = "False", .reason = "NoReservation", .message = "evicted"},
      now());
  past_.push_back(known.object);
  known.object = objects::with_condition(
      object, {.type = "Requeued", .status = "True", .reason = "Preempted", .message = "evicted"},
      now());
  happens(resources::workloads, known.object);
}

void DecisionWorld::write(const core::Edit& edit) {
  if (edit.verb != core::Edit::Verb::update_status || edit.resource != resources::workloads) return;
  const std::string key = objects::key_of(edit.object).to_string();
  Known& known = workloads_[key];
  past_.push_back(std::exchange(known.object, edit.object));
  happens(resources::workloads, edit.object);
  if (objects::is_true(objects::condition(edit.object, "Evicted"))) return stop(key);
  if (!objects::is_true(objects::condition(edit.object, "Admitted"))) return;
  if (first_admission_ && !known.was_admitted) {
    first_admission_(std::string(objects::name_of(edit.object)), at_ - known.came);
  }
  known.was_admitted = true;
  coming_.push(
      {.at = at_ + known.run_time, .number = ++number_, .key = key, .admission = known.admission});
}

void DecisionWorld::settle() {
  while (true) {
    tidy_heap();
    const Span start = thread_cpu_time();
    const core::Plan cycle = core::plan(state_, policy_);
    const Span planned = thread_cpu_time();
    state_.assume(cycle);
    const Span assumed = thread_cpu_time();
    const auto lists = core::edits_of(state_, cycle);
    spent_.writing_ns += nanoseconds_between(assumed, thread_cpu_time());
    spent_.planning_ns += nanoseconds_between(start, planned);
    spent_.assuming_ns += nanoseconds_between(planned, assumed);
    ++spent_.cycles;
    for (const core::Decision& decision : cycle.decisions) {
      ++spent_.decisions;
      spent_.admissions += decision.type == core::Decision::Type::admit ? 1 : 0;
      spent_.evictions += decision.targets.size();
    }
    for (const auto& list : lists) {
      for (const core::Edit& edit : list) write(edit);
    }
    apply_all();
    if (cycle.decisions.empty() && cycle.actions.empty()) return;
  }
}

void DecisionWorld::run() {
  settle();
  while (!coming_.empty()) {
    at_ = coming_.top().at;
    happened_.push_back({.type = core::EventType::tick, .now = now()});
    while (!coming_.empty() && coming_.top().at == at_) {
      const Coming next = coming_.top();
      coming_.pop();
      come(next);
    }
    apply_all();
    settle();
  }
}

}  // namespace muster::bench
