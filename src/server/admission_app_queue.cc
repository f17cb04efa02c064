// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>

#include "core/queueing/admit_app.h"
#include "core/queueing/job_queue.h"
#include "objects/resource.h"
#include "server/admission.h"
#include "server/kueue_rules.h"
#include "server/queue_context.h"

// What Kueue's webhooks do to Deployments and StatefulSets. A Scale counts, too: Kueue is not asked
// about those, and a StatefulSet could outgrow its Workload.

namespace muster::server {

using objects::Value;
using objects::View;

namespace {

// Of a StatefulSet; absent where it has none.
Value find_workload(Context& context, std::string_view name_space, View set) {
  const auto& resource = objects::resources::workloads;
  const auto kind = context.registry.find_resource(resource.group, resource.plural);
  const CachedObject* found =
      kind == nullptr
          ? nullptr
          : context.cache.find(*kind, name_space,
                               core::workload_name(core::stateful_set_app.resource, set));
  return found == nullptr ? Value() : context.trees.tree_of(found->bytes);
}

Outcome<> queue_app(Context& context, Admission& admission, const core::App& app,
                    const Value& workload) {
  // A webhook is not asked about what the schema has refused.
  if (admission.target.is_status() || !admission.errors.empty()) return {};
  const std::string_view name_space = admission.target.name_space;
  const SharedConfiguration rules = kueue_rules(context);
  core::AppAdmission queued = core::admit_app(
      app,
      {.object = admission.object,
       .old_object = admission.old_object,
       .scope = &rules->jobs,
       .gates = &rules->gates,
       .name_space = find_namespace(context, name_space),
       .workload = workload,
       .has_managed_owner = has_queued_owner(context, rules->jobs, name_space, admission.object),
       .has_default_queue = has_default_queue(context, name_space)});
  admission.object = std::move(queued.object);
  admission.errors.add_all(std::move(queued.errors));
  for (std::string& warning : queued.warnings) admission.warnings.push_back(std::move(warning));
  return {};
}

}  // namespace

Outcome<> queue_deployment(Context& context, Admission& admission) {
  return queue_app(context, admission, core::deployment_app, Value());
}

Outcome<> queue_stateful_set(Context& context, Admission& admission) {
  const Value workload = admission.is_create() ? Value()
                                               : find_workload(context, admission.target.name_space,
                                                               admission.old_object);
  return queue_app(context, admission, core::stateful_set_app, workload);
}

}  // namespace muster::server
