// ClusterState, the part of ResourceQuotas: what counts against each, and whom more room wakes. A
// namespace without a ResourceQuota costs nothing here.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/model/tables.h"
#include "objects/metadata.h"

namespace muster::core {

namespace {

// FNV-1a.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) {
    hash = (hash ^ static_cast<std::uint8_t>(letter)) * 0x100000001b3;
  }
  return hash;
}

std::string text_of(const QuotaPod& pod) {
  return fmt::format("{};{}{}{};{};{}|", amounts_text(pod.usage), pod.is_terminating,
                     pod.is_best_effort, pod.has_far_affinity, pod.priority_class,
                     unstated_text(pod.unstated));
}

// Plain pods have passed the quotas when they were written, each by itself.
bool has_its_pods(objects::View workload) {
  for (const objects::View owner : workload["metadata"]["ownerReferences"].elements()) {
    if (owner["kind"].string_or("") == "Pod") return true;
  }
  return false;
}

}  // namespace

QuotaPage* Tables::quota_page(std::string_view name_space) {
  if (quota_pages.empty()) return nullptr;
  const auto found = quota_pages.find(name_space);
  return found == quota_pages.end() ? nullptr : &found->second;
}

QuotaPage* Tables::quota_page_of(std::string_view key) {
  if (quota_pages.empty()) return nullptr;
  return quota_page(key.substr(0, key.find('/')));
}

std::uint64_t Tables::kind_of(const WorkloadRow& row) const {
  std::uint64_t kind = row.spec.equivalence;
  if (kind == 0) return kind;
  if (row.quota_demand != nullptr) kind ^= row.quota_demand->kind;
  // A slice asks for the difference to the one that it replaces. Kueue overlooks that, and so does
  // a plan.
  const std::string& replaced = row.spec.extras->replacement_for;
  if (!replaced.empty() && !holds_retries) kind ^= hash_of(replaced);
  // Claims say where its pods may stand.
  for (const GangPodSet& set : row.spec.pod_sets) {
    for (const std::string& claim : set.claims) {
      kind ^= hash_of(fmt::format("{}/{}", namespaces.key(row.name_space), claim));
    }
  }
  return kind == 0 ? 1 : kind;
}

std::vector<std::int64_t> Tables::standing_pods(const WorkloadRow& row) const {
  std::vector<std::int64_t> counts(row.spec.pod_sets.size(), 0);
  for (const PodId id : gang_pods(row)) {
    const PodRow& pod = pods[id];
    if (!pod.present || pod.spec.is_terminated || pod.spec.is_being_deleted) continue;
    if (const auto set = pod_set_of(row, pod)) ++counts[*set];
  }
  return counts;
}

// Of the cluster's default classes the lowest, as kube-apiserver takes it.
std::string_view Tables::default_priority_class() const {
  const auto lowest =
      std::ranges::min_element(default_classes, {}, [](const auto& entry) { return entry.second; });
  return lowest == default_classes.end() ? std::string_view() : std::string_view(lowest->first);
}

void Tables::refresh_demand(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  row.quota_demand.reset();
  const std::string& key = workloads.key(id);
  if (quota_page_of(key) == nullptr || !row.invalid.empty() || row.spec.is_finished) return;
  if (has_its_pods(row.object)) return;
  const std::string_view name_space = std::string_view(key).substr(0, key.find('/'));
  const RequestRules rules = request_rules(name_space);
  auto demand = std::make_shared<QuotaDemand>();
  std::string text(name_space);
  for (const objects::View set : row.object["spec"]["podSets"].elements()) {
    const objects::View spec = set["template"]["spec"];
    const auto resources = pod_resources(spec, "", rules, names);
    demand->pods.push_back(quota_pod_of_template(
        spec, resources ? resources->spec : PodSpecResources(), default_priority_class(), names));
    text += text_of(demand->pods.back());
  }
  demand->kind = hash_of(text);
  row.quota_demand = std::move(demand);
}

// Pods of an admitted Workload that are still to come. One that is being stopped makes no more.
void Tables::refresh_booking(WorkloadId id) {
  QuotaPage* page = quota_page_of(workloads.key(id));
  if (page == nullptr) return;
  const WorkloadRow& row = workloads[id];
  const bool books = row.present && row.standing == Standing::reserved && !row.spec.is_evicted &&
                     row.quota_demand != nullptr;
  const QuotaPage::Totals before = page->totals();
  std::optional<QuotaBooking> booking;
  if (books) {
    booking = QuotaBooking{.demand = row.quota_demand, .counts = standing_pods(row)};
    for (std::size_t i = 0; i < booking->counts.size(); ++i) {
      const GangPodSet& set = row.spec.pod_sets[i];
      const auto& assigned = row.spec.admission->pod_sets;
      const auto found = std::ranges::find(assigned, set.name, &PodSetAssignment::name);
      const std::int64_t wanted =
          found == assigned.end() ? 0 : std::min(found->count, set.effective_count());
      booking->counts[i] = std::max<std::int64_t>(wanted - booking->counts[i], 0);
    }
  }
  page->show_booking(id, std::move(booking));
  if (page->has_more_room_than(before)) wake_at_quota(workloads.key(id), *page);
}

// Whose gang the pod may be one of; nobody asks where there is no quota.
std::vector<WorkloadId> Tables::workloads_of(const PodRow& pod) const {
  if (quota_pages.empty()) return {};
  if (!pod.workload.is_none()) return {pod.workload};
  if (pod.owner.is_none()) return {};
  const std::set<WorkloadId>& all = owners[pod.owner].workloads;
  return {all.begin(), all.end()};
}

// After the pod was read; `before`: those whose gang it was in. A pod that was booked and comes
// changes nothing in sum.
void Tables::show_pod_to_quota(PodId id, std::string_view key,
                               const std::vector<WorkloadId>& before) {
  QuotaPage* page = quota_page_of(key);
  if (page == nullptr) return;
  const std::set<std::string> blocked = std::exchange(page->blocked, {});
  const QuotaPage::Totals totals = page->totals();
  const bool is_there = pods.find(key) == id && pods[id].present;
  page->show_pod(id, is_there ? std::optional(quota_pod_of(pods[id].object, names))
                              : std::optional<QuotaPod>());
  std::set<WorkloadId> concerned(before.begin(), before.end());
  if (is_there) {
    for (const WorkloadId each : workloads_of(pods[id])) concerned.insert(each);
  }
  for (const WorkloadId each : concerned) {
    if (workloads[each].present) refresh_booking(each);
  }
  page->blocked = blocked;
  if (page->has_more_room_than(totals)) wake_at_quota(key, *page);
}

// Whoever of the namespace waits in a queue where somebody met a quota.
void Tables::wake_at_quota(std::string_view key, QuotaPage& page) {
  const std::string_view name_space = key.substr(0, key.find('/'));
  for (const std::string& name : std::exchange(page.blocked, {})) {
    const ClusterQueueId id = cluster_queues.find(name);
    if (id.is_none()) continue;
    pending.wake(
        id,
        [&](LocalQueueId local_queue) {
          const std::string& queue = local_queues.key(local_queue);
          return std::string_view(queue).substr(0, queue.find('/')) == name_space;
        },
        [&](WorkloadId workload) { return !rests(workloads[workload]); });
    stir(id);
  }
}

void Tables::fill_quota_page(const std::string& name_space) {
  QuotaPage& page = quota_pages[name_space];
  pods.for_each([&](PodId id, const PodRow& row) {
    if (!row.present || object_key(pods.key(id)).name_space != name_space) return;
    page.show_pod(id, quota_pod_of(row.object, names));
  });
}

// The status is no news: it follows the pods, which are counted here.
void Tables::apply_resource_quota(const Event& event) {
  const std::string name_space(objects::namespace_of(event.object));
  const std::string name(objects::name_of(event.object));
  const bool is_removed = event.type == EventType::remove;
  std::optional<QuotaLimits> limits;
  if (!is_removed) limits = read_quota_limits(event.object);
  if (limits && limits->hard.empty()) limits.reset();  // of what no pod uses
  const bool is_first = quota_page(name_space) == nullptr;
  if (is_first && !limits) return;
  if (is_first) fill_quota_page(name_space);
  QuotaPage& page = quota_pages[name_space];
  if (!page.show_quota(name, std::move(limits))) return;
  wake_at_quota(name_space, page);
  if (page.empty()) {
    quota_pages.erase(name_space);
    read_workloads_again(name_space);
  } else if (is_first) {
    read_workloads_again(name_space);
  }
}

void Tables::apply_priority_class(const Event& event) {
  const std::string before(default_priority_class());
  const std::string name(objects::name_of(event.object));
  default_classes.erase(name);
  if (event.type != EventType::remove && event.object["globalDefault"].boolean_or(false)) {
    default_classes.emplace(name, event.object["value"].integer_or(0));
  }
  if (before == default_priority_class()) return;
  std::vector<std::string> concerned;
  for (const auto& [name_space, page] : quota_pages) concerned.push_back(name_space);
  for (const std::string& name_space : concerned) read_workloads_again(name_space);
}

}  // namespace muster::core
