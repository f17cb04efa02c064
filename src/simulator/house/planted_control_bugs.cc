// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "core/words.h"
#include "objects/edit.h"
#include "objects/metadata.h"
#include "simulator/house/checkers/read.h"
#include "simulator/house/leader_ledger.h"
#include "simulator/house/planted_bugs.h"

namespace muster::simulator {

using client::Call;
using client::Verb;
using objects::Value;
using objects::View;

namespace resources = objects::resources;

namespace {

bool is_kind(View object, std::string_view kind, std::string_view mark) {
  const View said = object["kind"];
  return said ? said.string_or("") == kind : bool(object["spec"][mark]);
}

bool is_status_of_workload(const Call& call) {
  return call.resource == resources::workloads && call.subresource == "status" &&
         call.verb == Verb::update;
}

Value with_text(const Value& object, std::initializer_list<objects::Step> path,
                std::string_view text) {
  return objects::with(object, path, Value::string(text)).value_or(object);
}

// The usage that an admission names, multiplied.
Value with_usage(Value workload, std::int64_t factor) {
  const View sets = workload["status"]["admission"]["podSetAssignments"];
  const std::size_t count = sets.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t cpu =
        milli_of(workload["status"]["admission"]["podSetAssignments"][i]["resourceUsage"]["cpu"]);
    workload =
        with_text(workload, {"status", "admission", "podSetAssignments", i, "resourceUsage", "cpu"},
                  std::to_string(cpu * factor) + "m");
  }
  return workload;
}

}  // namespace

Seams control_with(MutantApi::Rules rules) {
  Seams seams;
  seams.control = [rules = std::move(rules)](client::Api& api, Executor& house) {
    return std::make_unique<MutantApi>(api, house, rules);
  };
  return seams;
}

// Kueue 12897: a product that wraps counts as nothing.
Seams overflown_requests() {
  return control_with({.sent = [](Call& call) {
    if (is_status_of_workload(call) && pods_of(call.body) > 3) call.body = with_usage(call.body, 0);
    return true;
  }});
}

// What is replaced is counted beside its replacement.
Seams double_count() {
  return control_with({.sent = [writes = 0](Call& call) mutable {
    if (is_status_of_workload(call) && ++writes % 7 == 0) call.body = with_usage(call.body, 2);
    return true;
  }});
}

Seams queues_seen_as(std::function<Value(const Value&)> wrong) {
  auto specs = std::make_shared<std::map<std::string, Value, std::less<>>>();
  return control_with(
      {.seen = [specs, wrong = std::move(wrong)](const Value& object) -> Value {
         const View spec = object["spec"];
         if (!is_kind(object, "ClusterQueue", "queueingStrategy")) return object;
         specs->insert_or_assign(std::string(objects::name_of(object)), object.part(spec));
         return wrong(object);
       },
       .sent =
           [specs](Call& call) {
             const auto known = specs->find(objects::name_of(call.body));
             if (call.resource == resources::cluster_queues && call.verb == Verb::update &&
                 call.subresource.empty() && known != specs->end()) {
               call.body = objects::with(call.body, {"spec"}, known->second).value_or(call.body);
             }
             return true;
           }});
}

// Kueue's stale SubtreeQuota: edits of a ClusterQueue are never heard of.
Seams stale_quota() {
  auto first = std::make_shared<std::map<std::string, Value>>();
  return queues_seen_as([first](const Value& object) {
    const auto known =
        first->try_emplace(std::string(objects::name_of(object)), object.part(object["spec"]))
            .first;
    return objects::with(object, {"spec"}, known->second).value_or(object);
  });
}

// Every queue is taken for one that preempts whomever it can within itself.
Seams ruthless_queues() {
  return queues_seen_as([](const Value& object) {
    return with_text(object, {"spec", "preemption", "withinClusterQueue"},
                     "LowerOrNewerEqualPriority");
  });
}

// Every queue is taken for one that lets others pass.
Seams lenient_queues() {
  return queues_seen_as([](const Value& object) {
    return with_text(object, {"spec", "queueingStrategy"}, "BestEffortFIFO");
  });
}

// Kueue 11195: now and then what was evicted keeps its quota.
Seams leaked_quota() {
  return control_with({.sent = [writes = 0](Call& call) mutable {
    const bool releases = is_status_of_workload(call) &&
                          objects::is_false(objects::condition(call.body, "QuotaReserved")) &&
                          objects::is_true(objects::condition(call.body, "Evicted"));
    return !releases || ++writes % 3 != 0;
  }});
}

// Every node is seen in the same rack.
Seams flat_topology() {
  return control_with({.seen = [](const Value& object) -> Value {
    if (!objects::labels_of(object)["rack"]) return object;
    return with_text(object, {"metadata", "labels", "rack"}, "m0");
  }});
}

// Checks are taken for ready as soon as they are there.
Seams hasty_checks() {
  return control_with({.sent = [](Call& call) {
    if (!is_status_of_workload(call) || call.body["status"]["admissionChecks"].size() == 0) {
      return true;
    }
    if (objects::is_true(objects::condition(call.body, "QuotaReserved"))) {
      call.body = objects::with_condition(
          call.body,
          {.type = "Admitted", .status = "True", .reason = "Admitted", .message = "hasty"}, {});
    }
    return true;
  }});
}

// Kueue 5985: a ClusterQueue goes while its quota is in use.
Seams unguarded_queues() {
  return control_with({.sent = [](Call& call) {
    if (call.resource == resources::cluster_queues && call.verb == Verb::update &&
        call.subresource.empty()) {
      call.body = objects::without(call.body, {"metadata", "finalizers"}).value_or(call.body);
    }
    return true;
  }});
}

// Kueue 7665: a preemption that could not be written is taken for done, and nobody tries again.
Seams stuck_preemptions() {
  return control_with({.sent = [](Call& call) {
    return !is_status_of_workload(call) ||
           !objects::is_true(objects::condition(call.body, "Preempted"));
  }});
}

namespace {

// What should end runs on, and nothing of it is let go.
class UndeadRuntime final : public agent::PodRuntime {
 public:
  explicit UndeadRuntime(agent::PodRuntime& runtime) : runtime_(runtime) {}

  void set_listener(Listener listener) override { runtime_.set_listener(std::move(listener)); }
  void adopt(Adopted adopted) override { runtime_.adopt(std::move(adopted)); }
  void start(agent::PodSpec spec) override { runtime_.start(std::move(spec)); }
  void run(std::string_view uid, std::string_view container) override {
    runtime_.run(uid, container);
  }
  void stop_container(std::string_view, std::string_view, Span) override {}
  void act(std::string_view uid, std::string_view container, agent::ContainerAct act,
           Acted acted) override {
    runtime_.act(uid, container, std::move(act), std::move(acted));
  }
  void stop(std::string_view, Span) override {}
  void remove(std::string_view) override {}

 private:
  agent::PodRuntime& runtime_;
};

}  // namespace

Seams zombies() {
  Seams seams;
  seams.runtime = [](agent::PodRuntime& runtime) {
    return std::make_unique<UndeadRuntime>(runtime);
  };
  return seams;
}

// Whoever wants to lead is told that it does.
Seams two_leaders() {
  return control_with({.sent = [](Call& call) {
    return call.resource != resources::leases || call.verb != Verb::update ||
           call.name != LeaderLedger::lease_name;
  }});
}

// Fair sharing is configured, and nobody reads that.
Seams first_come() {
  return control_with({.seen = [](const Value& object) {
    if (objects::name_of(object) != "kueue-manager-config") return object;
    return objects::with(object, {"data"}, Value::object({})).value_or(object);
  }});
}

}  // namespace muster::simulator
