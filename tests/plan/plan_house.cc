// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/plan_house.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/draft.h"
#include "core/model/audit.h"
#include "core/model/read_pod.h"
#include "core/model/read_workload.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

namespace resources = objects::resources;

constexpr Instant noon{1'735'732'800'000'000'000};
constexpr std::int64_t quota_gpus = 6;
constexpr std::int64_t node_gpus = 4;

std::string key_of(const objects::Resource& resource, View object) {
  return fmt::format("{} {}", resource.plural, objects::key_of(object).to_string());
}

}  // namespace

PlanHouse::PlanHouse() {
  state_.apply({.type = EventType::tick, .now = noon});
  const auto add = [&](const made::Made& made) { put(made.resource, made.object); };
  add(made::name_space("a"));
  add(made::flavor("default"));
  for (const std::string queue : {"cq0", "cq1"}) {
    add(made::cluster_queue(queue, {.gpus = quota_gpus, .strict = queue == "cq1"}));
    add(made::local_queue(queue, queue));
  }
  for (const std::string node : {"n0", "n1", "n2"}) {
    add(made::node(node, {.gpus = node_gpus, .pod_cidr = "10.0.0.0/24"}));
  }
  for (auto& [plural, events] : undelivered_) {
    while (!events.empty()) deliver(plural);
  }
}

void PlanHouse::problem(const std::string& sentence) {
  problems_ += sentence + "\n";
}

void PlanHouse::put(const objects::Resource& resource, const Value& object) {
  const Value stored =
      Draft(object)
          .set({"metadata", "resourceVersion"}, Value::string(std::to_string(++revision_)))
          .value();
  objects_.insert_or_assign(key_of(resource, object), Stored{resource, stored});
  undelivered_[std::string(resource.plural)].push_back(
      {.revision = static_cast<std::uint64_t>(revision_), .resource = resource, .object = stored});
  check();
}

void PlanHouse::drop(const std::string& key) {
  const auto at = objects_.find(key);
  if (at == objects_.end()) return;
  undelivered_[std::string(at->second.resource.plural)].push_back(
      {.type = EventType::remove, .resource = at->second.resource, .object = at->second.object});
  objects_.erase(at);
}

void PlanHouse::deliver(const std::string& plural) {
  std::deque<Event>& events = undelivered_[plural];
  if (events.empty()) return;
  state_.apply(events.front());
  events.pop_front();
}

void PlanHouse::run_cycle() {
  if (!state_.has_work()) return;
  const Plan cycle = plan(state_, {});
  state_.assume(cycle);
  for (const std::string& line : audit(state_)) problem("audit: " + line);
  for (std::vector<Edit>& list : edits_of(state_, cycle)) under_way_.push_back(std::move(list));
}

void PlanHouse::answer(std::size_t index, bool refuse) {
  const std::vector<Edit> edits = std::move(under_way_[index]);
  under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(index));
  const Edit& edit = edits.front();
  if (!refuse && write(edit)) return;
  state_.forget(edit.resource, objects::key_of(edit.object), objects::uid_of(edit.object));
  for (const std::string& line : audit(state_)) problem("audit: " + line);
}

bool PlanHouse::write(const Edit& edit) {
  if (edit.verb == Edit::Verb::update_status) return write_status(edit);
  return edit.verb == Edit::Verb::bind && write_binding(edit);
}

bool PlanHouse::write_status(const Edit& edit) {
  const auto at = objects_.find(key_of(edit.resource, edit.object));
  if (at == objects_.end()) return false;
  if (objects::resource_version_of(at->second.object) !=
      objects::resource_version_of(edit.object)) {
    return false;
  }
  put(edit.resource, edit.object);
  return true;
}

// The pod is there, has no node, and its gang is whole or has begun.
bool PlanHouse::write_binding(const Edit& edit) {
  const auto at = objects_.find(key_of(edit.resource, edit.object));
  if (at == objects_.end() || at->second.object["spec"]["nodeName"]) return false;
  if (objects::uid_of(at->second.object) != objects::uid_of(edit.object)) return false;
  const Value bound =
      Draft(at->second.object)
          .set({"spec", "nodeName"}, Value::copy_of(edit.object["target"]["name"]))
          .set({"metadata", "annotations", words::pod_ip},
               Value::copy_of(edit.object["metadata"]["annotations"][words::pod_ip]))
          .value();
  put(edit.resource, bound);
  return true;
}

void PlanHouse::create_workload(Dice& dice) {
  const std::string queue = fmt::format("cq{}", dice.below(2));
  const made::Made made =
      made::workload(fmt::format("w{}", made_), {.uid = fmt::format("w{}", made_),
                                                 .queue = queue,
                                                 .pods = 1 + dice.below(5),
                                                 .gpus_each = 1 + dice.below(2),
                                                 .priority = dice.below(2),
                                                 .created_minute = made_ % 40});
  ++made_;
  put(made.resource, made.object);
}

std::vector<std::string> PlanHouse::pods_of(const std::string& workload) const {
  std::vector<std::string> keys;
  for (const auto& [key, stored] : objects_) {
    if (stored.resource == resources::pods &&
        objects::annotations_of(stored.object)[words::workload].string_or("") == workload) {
      keys.push_back(key);
    }
  }
  return keys;
}

void PlanHouse::run_jobs(Dice& dice) {
  std::vector<std::string> keys;
  for (const auto& [key, stored] : objects_) {
    const bool runs = stored.resource == resources::workloads &&
                      is_true(objects::condition(stored.object, "QuotaReserved")) &&
                      !is_true(objects::condition(stored.object, "Finished"));
    if (runs) keys.push_back(key);
  }
  if (!keys.empty()) {
    run_job(keys[static_cast<std::size_t>(dice.below(static_cast<std::int64_t>(keys.size())))],
            dice);
  }
}

// What queueing and the job controller do with one job, one step of it.
void PlanHouse::run_job(const std::string& key, Dice& dice) {
  const Value workload = objects_.at(key).object;
  const std::string name(objects::name_of(workload));
  const bool is_finished = is_true(objects::condition(workload, "Finished"));
  if (is_true(objects::condition(workload, "Evicted"))) return stop_job(key, workload);
  if (is_finished || !is_true(objects::condition(workload, "Admitted"))) return;
  const std::int64_t wanted = workload["spec"]["podSets"][0]["count"].integer_or(0);
  const std::vector<std::string> pods = pods_of(name);
  if (static_cast<std::int64_t>(pods.size()) < wanted) {
    std::set<std::string> taken(pods.begin(), pods.end());
    for (std::int64_t rank = 0; rank < wanted; ++rank) {
      const std::string pod = fmt::format("{}-{}", name, rank);
      if (taken.contains("pods a/" + pod)) continue;
      const std::int64_t gpus =
          std::stoll(std::string(workload["spec"]["podSets"][0]["template"]["spec"]["containers"][0]
                                         ["resources"]["requests"]["nvidia.com/gpu"]
                                             .string_or("0")));
      const made::Made made = made::pod(pod, {.uid = fmt::format("{}-{}", pod, ++made_),
                                              .workload = name,
                                              .gpus = gpus,
                                              .rank = rank});
      return put(made.resource, made.object);
    }
  }
  const bool all_bound = std::ranges::all_of(pods, [&](const std::string& pod) {
    return objects_.at(pod).object["spec"]["nodeName"].is_string();
  });
  if (all_bound && dice.below(3) == 0) return finish_job(key, workload);
  if (dice.below(16) == 0 && !pods.empty()) drop(pods.front());
}

void PlanHouse::stop_job(const std::string& key, const Value& workload) {
  const std::vector<std::string> pods = pods_of(std::string(objects::name_of(workload)));
  if (!pods.empty()) return drop(pods.front());
  if (!is_true(objects::condition(workload, "QuotaReserved"))) return;
  Value next = Draft(workload).drop({"status", "admission"}).value();
  for (const std::string type : {"QuotaReserved", "Admitted"}) {
    next = objects::with_condition(
        next, {.type = type, .status = "False", .reason = "Pending", .message = "stopped"}, noon);
  }
  put(objects_.at(key).resource, next);
}

void PlanHouse::finish_job(const std::string& key, const Value& workload) {
  for (const std::string& pod : pods_of(std::string(objects::name_of(workload)))) {
    put(resources::pods, Draft(objects_.at(pod).object)
                             .set({"status", "phase"}, Value::string("Succeeded"))
                             .value());
  }
  put(objects_.at(key).resource,
      objects::with_condition(
          workload,
          {.type = "Finished", .status = "True", .reason = "Succeeded", .message = "done"}, noon));
}

// A node fails, or the one that had failed comes back.
void PlanHouse::kill_node(Dice& dice) {
  const std::string name = fmt::format("n{}", dice.below(3));
  const Value node = objects_.at("nodes " + name).object;
  const bool is_ready = is_true(objects::condition(node, "Ready"));
  put(resources::nodes, objects::with_condition(node,
                                                {.type = "Ready",
                                                 .status = is_ready ? "False" : "True",
                                                 .reason = "Chance",
                                                 .message = ""},
                                                noon));
}

// Somebody else writes to a waiting workload or an unbound pod: writes under way will be refused.
void PlanHouse::touch(Dice& dice) {
  std::vector<std::string> keys = waiting();
  for (const auto& [key, stored] : objects_) {
    if (stored.resource == resources::pods && !stored.object["spec"]["nodeName"]) {
      keys.push_back(key);
    }
  }
  if (keys.empty()) return;
  const Stored stored = objects_.at(
      keys[static_cast<std::size_t>(dice.below(static_cast<std::int64_t>(keys.size())))]);
  put(stored.resource,
      Draft(stored.object)
          .set({"metadata", "labels", "touched"}, Value::string(std::to_string(revision_)))
          .value());
}

void PlanHouse::deliver_some(Dice& dice) {
  std::vector<std::string> late;
  for (const auto& [plural, events] : undelivered_) {
    if (!events.empty()) late.push_back(plural);
  }
  if (late.empty()) return;
  deliver(late[static_cast<std::size_t>(dice.below(static_cast<std::int64_t>(late.size())))]);
}

void PlanHouse::step(Dice& dice) {
  switch (dice.below(16)) {
    case 0:
      if (waiting().size() < 6) create_workload(dice);
      return;
    case 1:
      return touch(dice);
    case 2:
      if (dice.below(16) == 0) return kill_node(dice);
      if (made_ > 0 && dice.below(8) == 0) drop(fmt::format("workloads a/w{}", dice.below(made_)));
      return;
    case 3:
    case 4:
      return run_cycle();
    case 5:
    case 6:
      if (under_way_.empty()) return;
      return answer(
          static_cast<std::size_t>(dice.below(static_cast<std::int64_t>(under_way_.size()))),
          dice.below(8) == 0);
    case 7:
    case 8:
    case 9:
    case 10:
      return run_jobs(dice);
    default:
      return deliver_some(dice);
  }
}

void PlanHouse::settle() {
  for (int round = 0; round < 10'000; ++round) {
    bool is_quiet = true;
    for (auto& [plural, events] : undelivered_) {
      while (!events.empty()) {
        is_quiet = false;
        deliver(plural);
      }
    }
    while (!under_way_.empty()) {
      is_quiet = false;
      answer(0, false);
    }
    if (is_quiet && !state_.has_work()) return;
    run_cycle();
  }
  problem("it never comes to rest");
}

ClusterState PlanHouse::restarted() const {
  ClusterState state;
  state.apply({.type = EventType::tick, .now = noon});
  for (const auto& [key, stored] : objects_) {
    state.apply({.resource = stored.resource, .object = stored.object});
  }
  return state;
}

std::vector<std::string> PlanHouse::waiting() const {
  std::vector<std::string> keys;
  for (const auto& [key, stored] : objects_) {
    if (stored.resource == resources::workloads &&
        !is_true(objects::condition(stored.object, "QuotaReserved"))) {
      keys.push_back(key);
    }
  }
  return keys;
}

std::vector<std::string> PlanHouse::reserved() const {
  std::vector<std::string> keys;
  for (const auto& [key, stored] : objects_) {
    if (stored.resource == resources::workloads &&
        is_true(objects::condition(stored.object, "QuotaReserved")) &&
        !is_true(objects::condition(stored.object, "Finished"))) {
      keys.push_back(key);
    }
  }
  return keys;
}

void PlanHouse::check() {
  check_quota();
  check_nodes();
}

void PlanHouse::check_quota() {
  std::map<std::string, std::int64_t> usage;
  ResourceNames names;
  for (const std::string& key : reserved()) {
    const Workload workload = read_workload(objects_.at(key).object, names).must();
    for (const PodSetAssignment& set : workload.admission->pod_sets) {
      for (const Amount& amount : set.usage)
        usage[workload.admission->cluster_queue] += amount.amount;
    }
  }
  for (const auto& [queue, gpus] : usage) {
    if (gpus > quota_gpus) problem(fmt::format("{} uses {} of {}", queue, gpus, quota_gpus));
  }
}

// Pods that run, and places that are promised, never exceed a node; no address is given twice.
void PlanHouse::check_nodes() {
  std::map<std::string, std::int64_t> used;
  std::map<std::pair<std::string, std::string>, std::int64_t> bound;  // workload, node
  std::set<std::string> addresses;
  ResourceNames names;
  const ResourceId gpu = names.intern("nvidia.com/gpu").must();
  for (const auto& [key, stored] : objects_) {
    if (!(stored.resource == resources::pods)) continue;
    const Pod pod = read_pod(stored.object, names).must();
    if (pod.node_name.empty() || pod.is_terminated) continue;
    used[pod.node_name] += amount_of(pod.requests, gpu);
    ++bound[{pod.workload, pod.node_name}];
    if (!addresses.insert(pod.node_name + " " + pod.address).second) {
      problem(fmt::format("{} on {} has the address of another", pod.address, pod.node_name));
    }
  }
  for (const std::string& key : reserved()) {
    const Value& object = objects_.at(key).object;
    const Workload workload = read_workload(object, names).must();
    for (const AssignedDomain& domain : workload.admission->pod_sets[0].domains) {
      const std::int64_t there = bound[{std::string(objects::name_of(object)), domain.node}];
      if (there > domain.count) problem(fmt::format("{} has too many on {}", key, domain.node));
      used[domain.node] += std::max<std::int64_t>(0, domain.count - there) *
                           amount_of(workload.pod_sets[0].requests, gpu);
    }
  }
  for (const auto& [node, gpus] : used) {
    if (gpus > node_gpus) problem(fmt::format("{} gives {} of {}", node, gpus, node_gpus));
  }
}

}  // namespace muster::core
