// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/timestamp.h"
#include "cli/plan/document_object.h"
#include "cli/plan/limits.h"
#include "cli/plan/plan_decisions.h"
#include "cli/plan/plan_figures.h"
#include "cli/plan/plan_objects.h"
#include "cli/plan/plan_policy.h"
#include "cli/plan/plan_world.h"
#include "core/plan/explanation.h"
#include "core/plan/plan.h"
#include "core/queueing/shape.h"
#include "core/queueing/workload_status.h"
#include "objects/metadata.h"

namespace muster::cli {

using objects::Builder;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

constexpr Instant usual_now{946'684'800'000'000'000};  // 2000-01-01T00:00:00Z

std::string seconds_text(Instant instant) {
  const auto timestamp = Timestamp::of(instant);
  return format_time(*Timestamp::of_unix(timestamp.seconds(), 0));
}

// Kueue's rule for who is looked at again after its admission: a delayed topology, a failed node.
bool needs_second_pass(View workload) {
  if (core::is_finished(workload) || core::is_evicted(workload) ||
      !core::has_reservation(workload)) {
    return false;
  }
  const View status = workload["status"];
  const View assignments = status["admission"]["podSetAssignments"];
  bool is_delayed = false;
  for (const View each : assignments.elements()) {
    is_delayed = is_delayed || (!each["topologyAssignment"] &&
                                each["delayedTopologyRequest"].string_or("") == "Pending");
  }
  bool are_checks_ready = !status["admissionChecks"].empty();
  for (const View check : status["admissionChecks"].elements()) {
    are_checks_ready = are_checks_ready && check["state"].string_or("") == "Ready";
  }
  const bool waits = is_delayed && are_checks_ready && !core::is_admitted(workload);
  return waits || (!status["unhealthyNodes"].empty() && core::is_admitted(workload));
}

class PlanRun {
 public:
  PlanRun(const PlanInput& input, const core::Policy& policy,
          const core::Configuration& configuration, Instant now)
      : input_(input), policy_(policy), world_(configuration, now, policy.resource_quotas) {
    world_.state().hold_retries(true);
  }

  PlanWorld& world() { return world_; }

  void run_cycles(std::int64_t count, bool until_idle) {
    if (until_idle) count = plan_idle_cycles_max;
    for (std::int64_t i = 0; i < count; ++i) {
      if (!cycles_.empty()) prepare_next();
      const std::uint64_t before = queue_digest();
      const bool has_second_pass = until_idle && is_second_pass_waiting();
      const Outcome outcome = run_cycle();
      if (!until_idle) continue;
      const bool has_changed = outcome.changed_status || before != queue_digest();
      if (!outcome.considered || (!has_changed && !has_second_pass)) return;
      hit_bound_ = i == count - 1;
    }
  }

  Result<> take_step(const PlanStep& step, const PlanReader& reader) {
    world_.deliver();
    for (const PlanStep::Removal& removal : step.removals) {
      TRY(world_.remove(removal.kind, removal.key));
    }
    const PlanObjects applied = TRY(reader.read(step.applied));
    for (const PlanObject& each : applied.objects) TRY(world_.put(each.resource, each.object));
    TRY(world_.make_workloads());
    world_.state().retry_inadmissible();
    return {};
  }

  Value finish(const PlanObjects& given) {
    const core::Tables& tables = world_.state().tables();
    if (!cycles_.empty()) add_orphans();
    DocumentObject document(builder_);
    document.text("apiVersion", "muster.dev/v1alpha1")
        .text("kind", "Plan")
        .text("now", seconds_text(world_.now()))
        .list("cycles", cycle_nodes())
        .list("queues", queue_figures(builder_, tables))
        .list("evicted", evicted_)
        .list("finished", finished_)
        .list("quota", quota_figures(builder_, tables))
        .list("shares", share_figures(builder_, tables))
        .list("ignored", notes(given.ignored));
    if (!given.warnings.empty()) document.list("warnings", notes(given.warnings));
    if (hit_bound_) document.integer("bound", plan_idle_cycles_max);
    const Node root = document.node();
    return std::move(builder_).finish(root);
  }

 private:
  // What happens in a cluster between two cycles: what was written is heard of, evicted pods stop.
  void prepare_next() {
    world_.deliver();
    if (input_.releases) world_.release_evicted();
    world_.state().retry_inadmissible();
    world_.state().apply({.type = core::EventType::tick, .now = world_.now()});
  }

  struct Outcome {
    bool considered = false;      // somebody
    bool changed_status = false;  // who holds quota, who is evicted
  };

  Outcome run_cycle() {
    core::Explanation explanation;
    policy_.explanation = input_.explains ? &explanation : nullptr;
    const core::Plan plan = core::plan(world_.state(), policy_);
    policy_.explanation = nullptr;
    world_.state().assume(plan);
    world_.carry_out(plan);
    cycles_.push_back(
        decision_nodes(builder_, world_, plan, input_.explains ? &explanation : nullptr));
    for (const Node& node : cycles_.back()) {
      reported_.emplace(View(&node)["workload"].string_or(""));
    }
    const Outcome outcome{.considered = !cycles_.back().empty(),
                          .changed_status = world_.has_status_changes()};
    const std::map<std::string, std::string> preemptors = preemptors_of(world_, plan);
    for (const ConditionChange& change : world_.evictions()) {
      const auto by = preemptors.find(change.workload);
      DocumentObject node(builder_);
      node.text("workload", change.workload)
          .text("reason", change.reason)
          .text_if_any("underlying", change.underlying)
          .text_if_any("by", by == preemptors.end() ? std::string_view() : by->second);
      evicted_.push_back(node.node());
    }
    for (const ConditionChange& change : world_.endings()) {
      DocumentObject node(builder_);
      node.text("workload", change.workload).text("reason", change.reason);
      finished_.push_back(node.node());
    }
    return outcome;
  }

  // Who waits where, as a number.
  std::uint64_t queue_digest() const {
    const core::Tables& tables = world_.state().tables();
    std::uint64_t sum = 0;
    tables.cluster_queues.for_each([&](core::ClusterQueueId queue, const core::ClusterQueueRow&) {
      tables.pending.for_each(queue, [&](core::WorkloadId id, bool is_active) {
        const std::uint64_t entry =
            (std::uint64_t{id.index()} << 32) + queue.index() * 2 + is_active;
        sum += (entry + 1) * 0x9e3779b97f4a7c15 ^ (entry >> 7);
      });
    });
    return sum;
  }

  bool is_second_pass_waiting() const {
    for (const auto& [key, workload] : world_.workloads()) {
      if (needs_second_pass(workload)) return true;
    }
    return false;
  }

  void add_orphans() {
    for (const Node& node : orphan_nodes(builder_, world_)) {
      if (reported_.contains(View(&node)["workload"].string_or(""))) continue;
      cycles_.back().push_back(node);
    }
  }

  std::vector<Node> cycle_nodes() {
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < cycles_.size(); ++i) {
      DocumentObject cycle(builder_);
      cycle.integer("cycle", static_cast<std::int64_t>(i) + 1).list("decisions", cycles_[i]);
      nodes.push_back(cycle.node());
    }
    return nodes;
  }

  std::vector<Node> notes(const std::vector<IgnoredObject>& noted) {
    std::vector<Node> nodes;
    for (const IgnoredObject& each : noted) {
      DocumentObject node(builder_);
      node.text("kind", each.kind)
          .text("name", each.name)
          .text_if_any("namespace", each.name_space)
          .text("file", each.file)
          .text_if_any("field", each.field)
          .text_if_any("reason", each.reason);
      nodes.push_back(node.node());
    }
    return nodes;
  }

  const PlanInput& input_;
  core::Policy policy_;
  PlanWorld world_;
  Builder builder_;
  std::vector<std::vector<Node>> cycles_;
  std::set<std::string, std::less<>> reported_;
  std::vector<Node> evicted_;
  std::vector<Node> finished_;
  bool hit_bound_ = false;
};

// What Kueue would do and Muster does not yet: said, never passed over.
void add_unsupported(const core::Configuration& configuration, PlanObjects& given) {
  constexpr std::string_view reason = "not supported yet";
  const auto add = [&](std::string_view kind, std::string_view name, std::string_view file,
                       std::string_view field) {
    given.ignored.push_back({.kind = std::string(kind),
                             .name_space = {},
                             .name = std::string(name),
                             .file = std::string(file),
                             .field = std::string(field),
                             .reason = std::string(reason)});
  };
  if (configuration.resources.has_device_class_mappings) {
    add("Configuration", "", "configuration", "resources.deviceClassMappings");
  }
  for (const core::Gate gate :
       {core::Gate::concurrent_admission, core::Gate::scheduler_library_integration}) {
    if (!configuration.gates.enabled(gate)) continue;
    add("Configuration", "", "configuration",
        fmt::format("featureGates.{}", core::gate_name(gate)));
  }
  for (const PlanObject& each : given.objects) {
    if (each.resource != objects::resources::cluster_queues) continue;
    if (!each.object["spec"]["concurrentAdmissionPolicy"].is_object()) continue;
    add("ClusterQueue", objects::name_of(each.object), "", "spec.concurrentAdmissionPolicy");
  }
}

// Jobs that no queue manages are left alone, also here.
void add_unqueued(const PlanWorld& world, PlanObjects& given) {
  for (const PlanObject& each : given.objects) {
    const core::Shape* shape = core::find_shape(each.resource);
    if (shape == nullptr || world.has_workload(each.resource, each.object)) continue;
    const bool is_finished = shape->outcome(each.object).has_value();
    given.ignored.push_back({.kind = std::string(each.resource.kind),
                             .name_space = std::string(objects::namespace_of(each.object)),
                             .name = std::string(objects::name_of(each.object)),
                             .file = each.file,
                             .reason = is_finished ? "finished" : "names no queue"});
  }
}

Error in_file(std::string_view what, const Error& error) {
  return {error.code == ErrorCode::internal ? error.code : ErrorCode::bad_request,
          fmt::format("{}: {}", what, error.to_string())};
}

}  // namespace

Result<std::vector<PlanStep>> read_steps(const Value& value, const std::string& file) {
  std::vector<PlanStep> steps;
  if (!value) return steps;
  if (!value.view().is_array()) return Error::bad_request(file + ": must be a list of steps");
  for (const View view : value.view().elements()) {
    PlanStep step;
    const std::string place = fmt::format("{}: step {}", file, steps.size() + 1);
    if (!view.is_object()) return Error::bad_request(place + " must be an object");
    for (const View removal : view["delete"].elements()) {
      step.removals.push_back({std::string(removal["kind"].string_or("")),
                               {std::string(removal["namespace"].string_or("")),
                                std::string(removal["name"].string_or(""))}});
    }
    for (const View object : view["apply"].elements()) {
      for (PlanSource& source : plan_sources_of(value.part(object), place)) {
        step.applied.push_back(std::move(source));
      }
    }
    step.cycles = std::max<std::int64_t>(view["cycles"].integer_or(1), 1);
    if (step.cycles > plan_cycles_max) return Error::bad_request(place + ": too many cycles");
    steps.push_back(std::move(step));
  }
  return steps;
}

Result<Value> PlanEngine::answer(const PlanInput& input) const {
  auto configuration = core::read_configuration(input.configuration);
  if (!configuration) return in_file(input.configuration_file, configuration.error());
  const PlanReader reader(registry_, configuration->gates);
  PlanObjects given = TRY(reader.read(input.sources));
  add_unsupported(*configuration, given);
  auto policy = read_policy(input.policy ? input.policy : given.policy);
  if (!policy) return in_file(input.policy_file, policy.error());
  const auto latest = latest_timestamp(input.sources);
  const Instant now = input.now ? *input.now : latest.value_or(usual_now);
  policy->kueue = *configuration;
  PlanRun run(input, *policy, *configuration, now);
  for (const PlanObject& each : given.objects) TRY(run.world().put(each.resource, each.object));
  TRY(run.world().make_workloads());
  run.world().state().activate_all();
  add_unqueued(run.world(), given);
  run.run_cycles(input.cycles, input.until_idle);
  for (std::size_t i = 0; i < input.steps.size(); ++i) {
    auto taken = run.take_step(input.steps[i], reader);
    if (!taken) return in_file(fmt::format("step {}", i + 1), taken.error());
    run.run_cycles(input.steps[i].cycles, false);
  }
  return run.finish(given);
}

}  // namespace muster::cli
