// SPDX-License-Identifier: Apache-2.0
#include "bench/decision_world.h"

#include "core/edit.h"
#include "objects/edit.h"
#include "objects/metadata.h"
#include "objects/yaml.h"

namespace muster::bench {

using objects::Value;
namespace resources = objects::resources;

namespace {

constexpr Instant beginning{1'735'732'800'000'000'000};

}  // namespace

double Spent::decisions_per_second() const {
  return static_cast<double>(decisions) * 1e9 / static_cast<double>(core_ns());
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
  apply(resource, object);
}

void DecisionWorld::arrive(const Value& workload, Span at, Span run_time) {
  coming_.push(
      {.at = at, .number = ++number_, .key = "", .workload = workload, .run_time = run_time});
}

void DecisionWorld::apply(const objects::Resource& resource, const Value& object) {
  const core::Event event{.revision = ++revision_, .resource = resource, .object = object};
  const MonotonicInstant start = clock_.monotonic();
  state_.apply(event);
  spent_.applying_ns += (clock_.monotonic() - start).nanoseconds;
  ++spent_.events;
}

void DecisionWorld::come(const Coming& coming) {
  if (coming.key.empty()) {
    const std::string key = objects::key_of(coming.workload).to_string();
    workloads_[key] = {.object = coming.workload, .run_time = coming.run_time};
    return apply(resources::workloads, coming.workload);
  }
  const auto known = workloads_.find(coming.key);
  if (known == workloads_.end() || known->second.admission != coming.admission) return;
  const Value object = objects::with_condition(
      known->second.object,
      {.type = "Finished", .status = "True", .reason = "Succeeded", .message = "done"}, now());
  workloads_.erase(known);
  ++finished_;
  apply(resources::workloads, object);
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
  known.object = objects::with_condition(
      object, {.type = "Requeued", .status = "True", .reason = "Preempted", .message = "evicted"},
      now());
  apply(resources::workloads, known.object);
}

void DecisionWorld::write(const core::Edit& edit) {
  if (edit.verb != core::Edit::Verb::update_status || edit.resource != resources::workloads) return;
  const std::string key = objects::key_of(edit.object).to_string();
  Known& known = workloads_[key];
  known.object = edit.object;
  apply(resources::workloads, edit.object);
  if (objects::is_true(objects::condition(edit.object, "Evicted"))) return stop(key);
  if (!objects::is_true(objects::condition(edit.object, "Admitted"))) return;
  coming_.push(
      {.at = at_ + known.run_time, .number = ++number_, .key = key, .admission = known.admission});
}

void DecisionWorld::settle() {
  while (true) {
    const MonotonicInstant start = clock_.monotonic();
    const core::Plan cycle = core::plan(state_, policy_);
    state_.assume(cycle);
    const MonotonicInstant assumed = clock_.monotonic();
    const auto lists = core::edits_of(state_, cycle);
    spent_.deciding_ns += (assumed - start).nanoseconds;
    spent_.writing_ns += (clock_.monotonic() - assumed).nanoseconds;
    ++spent_.cycles;
    for (const core::Decision& decision : cycle.decisions) {
      ++spent_.decisions;
      spent_.admissions += decision.type == core::Decision::Type::admit ? 1 : 0;
      spent_.evictions += decision.targets.size();
    }
    for (const auto& list : lists) {
      for (const core::Edit& edit : list) write(edit);
    }
    if (!cycle.decides_something() && !state_.has_work()) return;
  }
}

void DecisionWorld::run() {
  settle();
  while (!coming_.empty()) {
    at_ = coming_.top().at;
    const MonotonicInstant start = clock_.monotonic();
    state_.apply({.type = core::EventType::tick, .now = now()});
    spent_.applying_ns += (clock_.monotonic() - start).nanoseconds;
    while (!coming_.empty() && coming_.top().at == at_) {
      const Coming next = coming_.top();
      coming_.pop();
      come(next);
    }
    settle();
  }
}

}  // namespace muster::bench
