// SPDX-License-Identifier: Apache-2.0
#include "tests/control/control_world.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quantity.h"
#include "base/timestamp.h"
#include "core/words.h"
#include "objects/edit.h"
#include "objects/metadata.h"

namespace muster::control {

using client::Call;
using client::Verb;
using objects::Value;
using objects::View;
using server::json;

namespace resources = objects::resources;
namespace words = core::words;

namespace {

const server::Identity muster = {.name = "system:muster:control", .groups = {"system:masters"}};

}  // namespace

ControlWorld::ControlWorld(ControlOptions options, std::uint64_t seed)
    : options_(std::move(options)) {
  control_api = base.server->in_process(muster);
  kubelet_api_ = base.server->in_process(muster);
  faulty = std::make_unique<simulator::FaultyApi>(*control_api, base.house, base.clock, seed);
  base.create(resources::namespaces, "", R"({"metadata":{"name":"team-a"}})");
  if (!base.try_get(resources::namespaces, "", "kube-node-lease")) {
    base.create(resources::namespaces, "", R"({"metadata":{"name":"kube-node-lease"}})");
  }
  pods_ = std::make_unique<client::ObjectCache>(*kubelet_api_,
                                                client::House{base.house, base.clock, base.random},
                                                std::vector<client::Selection>{{resources::pods}});
  pods_->subscribe([this](const client::CacheChange& change) {
    if (change.after) on_pod(change.after);
  });
  pods_->start();
  renew_leases();
  make_controllers();
}

ControlWorld::~ControlWorld() = default;

void ControlWorld::make_controllers() {
  controllers =
      std::make_unique<Controllers>(*faulty, base.house, base.clock, base.random, options_);
  controllers->start();
}

void ControlWorld::restart_controllers() {
  controllers.reset();
  make_controllers();
}

void ControlWorld::add_node(const std::string& name, int cpu) {
  nodes_.push_back(name);
  const Value node = base.create(
      resources::nodes, "",
      fmt::format(R"({{"metadata":{{"name":"{0}","labels":{{"kubernetes.io/hostname":"{0}"}}}},
                       "spec":{{"podCIDR":"10.0.{1}.0/24"}}}})",
                  name, nodes_.size()));
  const std::string amounts = fmt::format(R"({{"cpu":"{}","memory":"64Gi","pods":"110"}})", cpu);
  const Value status = json(fmt::format(
      R"({{"capacity":{0},"allocatable":{0},"conditions":[{{"type":"Ready","status":"True",
          "reason":"KubeletReady","message":"ready"}}]}})",
      amounts));
  base.try_update(resources::nodes, objects::with(node, {"status"}, status).must(), "status")
      .must();
  base.create(resources::leases, "kube-node-lease",
              fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"holderIdentity":"{}",
                              "leaseDurationSeconds":40,"renewTime":"{}"}}}})",
                          name, name, format_micro_time(Timestamp::of(base.clock.wall()))));
}

void ControlWorld::add_queue(int cpu) {
  cpu_max = cpu;
  base.create(resources::resource_flavors, "", R"({"metadata":{"name":"default"},"spec":{}})");
  base.create(resources::cluster_queues, "",
              fmt::format(R"({{"metadata":{{"name":"cq"}},"spec":{{"namespaceSelector":{{}},
                  "resourceGroups":[{{"coveredResources":["cpu"],"flavors":[{{"name":"default",
                  "resources":[{{"name":"cpu","nominalQuota":"{}"}}]}}]}}]}}}})",
                          cpu));
  base.create(resources::local_queues, "team-a",
              R"({"metadata":{"name":"queue"},"spec":{"clusterQueue":"cq"}})");
}

void ControlWorld::add_job(const std::string& name, const GangOptions& options) {
  base.create(
      resources::jobs, "team-a",
      fmt::format(R"({{"metadata":{{"name":"{}","labels":{{"kueue.x-k8s.io/queue-name":"{}"}}}},
        "spec":{{"completionMode":"Indexed","completions":{},"parallelism":{},
        "template":{{"spec":{{"restartPolicy":"Never","containers":[{{"name":"main",
        "image":"trainer","resources":{{"requests":{{"cpu":"{}"}}}}}}]}}}}}}}})",
                  name, options.queue, options.pods, options.pods, options.cpu));
}

void ControlWorld::remove(const Resource& resource, std::string_view name_space,
                          const std::string& name) {
  base.try_remove(resource, name_space, name).must();
}

void ControlWorld::run_for(Span span) {
  const MonotonicInstant end = base.time.now() + span;
  while (base.time.now() < end) {
    base.time.run_for(std::min(end - base.time.now(), Span::of_milliseconds(250)));
    check_invariants();
  }
}

bool ControlWorld::run_until(UniqueFunction<bool()> condition, Span limit) {
  const MonotonicInstant end = base.time.now() + limit;
  while (!condition()) {
    if (base.time.now() >= end) return false;
    run_for(Span::of_milliseconds(10));
  }
  return true;
}

std::vector<Value> ControlWorld::all(const Resource& resource) {
  const Value list = base.list(resource);
  std::vector<Value> found;
  for (const View item : list["items"].elements()) found.push_back(list.part(item));
  return found;
}

Value ControlWorld::find(const Resource& resource, std::string_view name_space,
                         const std::string& name) {
  auto found = base.try_get(resource, name_space, name);
  return found ? std::move(*found) : Value();
}

Value ControlWorld::workload_of(const std::string& job) {
  for (const Value& workload : all(resources::workloads)) {
    if (objects::controller_of(workload)["name"].string_or("") == job) return workload;
  }
  return {};
}

std::vector<Value> ControlWorld::pods_of(const std::string& job) {
  std::vector<Value> pods;
  for (const Value& pod : all(resources::pods)) {
    if (objects::controller_of(pod)["name"].string_or("") == job) pods.push_back(pod);
  }
  return pods;
}

bool ControlWorld::has_condition(const Resource& resource, const std::string& name,
                                 std::string_view type) {
  return objects::is_true(objects::condition(find(resource, "team-a", name), type));
}

void ControlWorld::check_invariants() {
  std::int64_t held = 0;
  for (const Value& workload : all(resources::workloads)) {
    if (!objects::is_true(objects::condition(workload, "QuotaReserved")) ||
        objects::is_true(objects::condition(workload, "Finished"))) {
      continue;
    }
    const View assignments = workload["status"]["admission"]["podSetAssignments"];
    for (const View assignment : assignments.elements()) {
      const View cpu = assignment["resourceUsage"]["cpu"];
      held += Quantity::parse(cpu.string_or("0")).must().value().must();
    }
  }
  EXPECT_LE(held, cpu_max);
}

void ControlWorld::renew_leases() {
  for (const std::string& name : nodes_) {
    Call call{.verb = Verb::patch, .resource = resources::leases};
    call.name_space = "kube-node-lease";
    call.name = name;
    call.body = json(fmt::format(R"({{"spec":{{"renewTime":"{}"}}}})",
                                 format_micro_time(Timestamp::of(base.clock.wall()))));
    kubelet_api_->call(std::move(call), [](const Result<Value>&) {});
  }
  base.house.post_at(base.clock.monotonic() + Span::of_seconds(10),
                     lifeline_.guard([this] { renew_leases(); }));
}

void ControlWorld::on_pod(const Value& pod) {
  if (!kubelets_work || pod["spec"]["nodeName"].string_or("").empty()) return;
  const std::string_view phase = pod["status"]["phase"].string_or("Pending");
  if (objects::is_being_deleted(pod)) {
    Call call{.verb = Verb::remove, .resource = resources::pods};
    call.name_space = std::string(objects::namespace_of(pod));
    call.name = std::string(objects::name_of(pod));
    call.grace_period_seconds = 0;
    call.preconditions.uid = std::string(objects::uid_of(pod));
    // Only once it has ended, as a kubelet does.
    if (phase != "Succeeded" && phase != "Failed") set_phase(pod, "Failed");
    if (pod["metadata"]["deletionGracePeriodSeconds"].integer_or(0) > 0) {
      kubelet_api_->call(std::move(call), [](const Result<Value>&) {});
    }
    return;
  }
  if (phase != "Pending" || !gang_is_bound(pod)) return;
  for (const Value& member : pods_->all(resources::pods)) {
    if (objects::annotations_of(member)[words::gang] != objects::annotations_of(pod)[words::gang] ||
        member["status"]["phase"].string_or("Pending") != "Pending") {
      continue;
    }
    const std::string uid(objects::uid_of(member));
    if (starts.contains(uid)) continue;
    ++starts[uid];
    set_phase(member, "Running");
    base.house.post_at(base.clock.monotonic() + run_span,
                       lifeline_.guard([this, key = objects::key_of(member), uid] {
                         const Value now = pods_->find(resources::pods, key);
                         if (objects::uid_of(now) == uid) set_phase(now, "Succeeded");
                       }));
  }
}

bool ControlWorld::gang_is_bound(const Value& pod) const {
  const View annotations = objects::annotations_of(pod);
  const std::string size(annotations[words::gang_size].string_or("1"));
  int bound = 0;
  for (const Value& member : pods_->all(resources::pods)) {
    if (objects::annotations_of(member)[words::gang] == annotations[words::gang] &&
        !member["spec"]["nodeName"].string_or("").empty()) {
      ++bound;
    }
  }
  return bound >= std::stoi(size);
}

void ControlWorld::set_phase(const Value& pod, std::string_view phase) {
  Call call{.verb = Verb::patch, .resource = resources::pods};
  call.name_space = std::string(objects::namespace_of(pod));
  call.name = std::string(objects::name_of(pod));
  call.subresource = "status";
  const std::string_view ready = phase == "Running" ? "True" : "False";
  call.body = json(fmt::format(
      R"({{"status":{{"phase":"{}","conditions":[{{"type":"Ready","status":"{}"}}]}}}})", phase,
      ready));
  kubelet_api_->call(std::move(call), [](const Result<Value>&) {});
}

}  // namespace muster::control
