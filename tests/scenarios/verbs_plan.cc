// Verbs on plan(): objects in, decisions out.
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "core/model/cluster_state.h"
#include "core/plan/plan.h"
#include "objects/edit.h"
#include "objects/metadata.h"
#include "objects/resource.h"
#include "tests/scenarios/edit_text.h"
#include "tests/scenarios/scenario.h"

namespace muster::scenarios {

namespace {

using core::Edit;
using objects::Value;
using objects::View;

Result<core::Event> event_about(const Value& object, core::EventType type) {
  const std::string_view version = object["apiVersion"].string_or("");
  const std::size_t slash = version.find('/');
  const std::string_view group = slash == std::string_view::npos ? "" : version.substr(0, slash);
  const objects::Resource* resource = objects::find_resource(group, object["kind"].string_or(""));
  if (resource == nullptr) return Error::bad_request("no such kind in this scenario");
  return core::Event{.type = type, .resource = *resource, .object = object};
}

Result<> apply_all(core::ClusterState& state, const std::vector<Value>& objects,
                   core::EventType type) {
  for (const Value& object : objects) state.apply(TRY(event_about(object, type)));
  return {};
}

core::Policy policy_of(View given) {
  core::Policy policy;
  policy.placement =
      core::placement_of(given["placement"].string_or("")).value_or(core::Placement::pinned);
  return policy;
}

// What is in the world, with what the plan's writes make of it.
class World {
 public:
  World(core::ClusterState& state, std::vector<Value> objects)
      : state_(state), objects_(std::move(objects)) {}

  // Runs cycles until nothing is left to look at, each after the writes of the one before.
  std::vector<Edit> run_cycles(const core::Policy& policy) {
    std::vector<Edit> edits;
    while (state_.has_work()) {
      const core::Plan cycle = core::plan(state_, policy);
      state_.assume(cycle);
      for (std::vector<Edit>& list : core::edits_of(state_, cycle)) {
        for (Edit& edit : list) edits.push_back(std::move(edit));
      }
    }
    for (const Edit& edit : edits) write(edit);
    return edits;
  }

 private:
  void write(const Edit& edit) {
    if (edit.verb == Edit::Verb::update_status) {
      state_.apply({.resource = edit.resource, .object = edit.object});
    }
    if (edit.verb != Edit::Verb::bind) return;
    for (const Value& pod : objects_) {
      if (objects::key_of(pod) != objects::key_of(edit.object) ||
          pod["kind"].string_or("") != "Pod") {
        continue;
      }
      const View node = edit.object["target"]["name"];
      const Value bound =
          objects::with(pod, {"spec", "nodeName"}, Value::copy_of(node)).value_or(pod);
      state_.apply({.resource = edit.resource, .object = bound});
    }
  }

  core::ClusterState& state_;
  std::vector<Value> objects_;
};

// given: placement, objects, and what follows once the first cycles are done: removed, then
// changed; expect: the edits of the last cycles.
Result<Value> plan_verb(const Value& scenario) {
  core::ClusterState state;
  const Instant now = TRY(now_of(scenario));
  state.apply({.type = core::EventType::tick, .now = now});
  std::vector<Value> objects = list_in(scenario, "objects");
  TRY(apply_all(state, objects, core::EventType::upsert));
  const core::Policy policy = policy_of(scenario["given"]);
  World world(state, objects);
  std::vector<Edit> edits = world.run_cycles(policy);
  const std::vector<Value> removed = list_in(scenario, "removed");
  const std::vector<Value> changed = list_in(scenario, "changed");
  if (!removed.empty() || !changed.empty()) {
    TRY(apply_all(state, removed, core::EventType::remove));
    TRY(apply_all(state, changed, core::EventType::upsert));
    objects.insert(objects.begin(), changed.begin(), changed.end());
    edits = world.run_cycles(policy);
  }
  return edits_value(edits, objects);
}

constexpr NamedVerb verbs[] = {{"plan", plan_verb}};

}  // namespace

std::span<const NamedVerb> plan_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
