// SPDX-License-Identifier: Apache-2.0
#include "control/feed.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/model/claims.h"
#include "core/model/quota_pod.h"
#include "objects/metadata.h"

namespace muster::control {

using core::Event;
using core::EventType;
using core::Placement;
using core::Policy;
using objects::Resource;
using objects::Value;

namespace {

namespace resources = objects::resources;

// In no particular order: nothing may rely on one.
constexpr std::array scheduled = {
    resources::resource_flavors, resources::cluster_queues,
    resources::local_queues,     resources::cohorts,
    resources::namespaces,       resources::nodes,
    resources::workloads,        resources::pods,
    resources::admission_checks, resources::topologies,
    resources::limit_ranges,     resources::runtime_classes,
    core::resource_quotas,       resources::priority_classes,
    core::persistent_volumes,    resources::persistent_volume_claims,
    core::storage_classes,
};

constexpr std::array<std::pair<Placement, std::string_view>, 3> placements = {{
    {Placement::none, "none"},
    {Placement::checked, "checked"},
    {Placement::pinned, "pinned"},
}};

constexpr std::array<std::pair<core::Backfill, std::string_view>, 2> backfills = {{
    {core::Backfill::none, "none"},
    {core::Backfill::reserve, "reserve"},
}};

constexpr std::array<std::pair<core::ResourceQuotas, std::string_view>, 2> quota_choices = {{
    {core::ResourceQuotas::ignored, "ignored"},
    {core::ResourceQuotas::respected, "respected"},
}};

constexpr std::array<std::pair<core::PreemptionCost, std::string_view>, 3> costs = {{
    {core::PreemptionCost::ignored, "ignored"},
    {core::PreemptionCost::ties, "ties"},
    {core::PreemptionCost::first, "first"},
}};

template <class Words, class Choice>
Value name_of(const Words& words, Choice choice) {
  const auto found = std::ranges::find(words, choice, &Words::value_type::first);
  return Value::string(found->second);
}

template <class Words, class Choice>
Result<> read_choice(const Value& value, std::string_view name, const Words& words,
                     Choice& choice) {
  const std::string_view wanted = value[name].string_or("");
  const auto found = std::ranges::find(words, wanted, &Words::value_type::second);
  if (found == words.end()) return Error::invalid("is none of its words", std::string(name));
  choice = found->first;
  return {};
}

Event upsert_of(const Resource& resource, const Value& object) {
  Event event;
  event.type = EventType::upsert;
  event.revision = client::version_number(objects::resource_version_of(object));
  event.resource = resource;
  event.object = object;
  return event;
}

}  // namespace

std::span<const Resource> scheduled_resources() {
  return scheduled;
}

Feed::Feed(client::ObjectCache& cache, const Clock& clock, Listener listener)
    : cache_(cache), clock_(clock), listener_(std::move(listener)) {
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
}

void Feed::configure(const Policy& policy) {
  config_ = {};
  config_.type = EventType::config;
  config_.object = to_value(policy);
  tell(config_);
}

void Feed::tick() {
  Event event;
  event.type = EventType::tick;
  event.now = clock_.wall();
  tell(event);
}

std::vector<Event> Feed::snapshot() const {
  std::vector<Event> events = {config_};
  for (const Resource& resource : scheduled) {
    for (const Value& object : cache_.all(resource)) events.push_back(upsert_of(resource, object));
  }
  return events;
}

void Feed::on_change(const client::CacheChange& change) {
  if (std::find(scheduled.begin(), scheduled.end(), change.resource) == scheduled.end()) return;
  Event event = upsert_of(change.resource, change.object());
  if (change.after.is_absent()) event.type = EventType::remove;
  tell(event);
}

void Feed::tell(const Event& event) {
  ++events_;
  listener_(event);
}

Value to_value(const Policy& policy) {
  return Value::object(
      {{"placement", name_of(placements, policy.placement)},
       {"placesUnmanagedPods", Value::boolean(policy.places_unmanaged_pods)},
       {"backfill", name_of(backfills, policy.backfill)},
       {"preemptionCost", name_of(costs, policy.preemption_cost)},
       {"resourceQuotas", name_of(quota_choices, policy.resource_quotas)},
       {"kueue", policy.kueue.source.is_absent() ? Value::null() : policy.kueue.source}});
}

Result<Policy> policy_of(const Value& value) {
  Policy policy;
  TRY(read_choice(value, "placement", placements, policy.placement));
  TRY(read_choice(value, "backfill", backfills, policy.backfill));
  TRY(read_choice(value, "preemptionCost", costs, policy.preemption_cost));
  // A record of before there was such a choice was made without one.
  policy.resource_quotas = core::ResourceQuotas::ignored;
  if (value["resourceQuotas"]) {
    TRY(read_choice(value, "resourceQuotas", quota_choices, policy.resource_quotas));
  }
  policy.places_unmanaged_pods = value["placesUnmanagedPods"].boolean_or(false);
  policy.kueue = TRY(core::read_configuration(value.part(value["kueue"])));
  return policy;
}

}  // namespace muster::control
