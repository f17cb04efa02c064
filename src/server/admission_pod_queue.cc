// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>

#include "core/queueing/admit_pod.h"
#include "server/admission.h"
#include "server/kueue_rules.h"
#include "server/queue_context.h"

// What Kueue's webhook does to plain pods.

namespace muster::server {

void queue_pod(Context& context, Admission& admission) {
  const std::string_view name_space = admission.target.name_space;
  const SharedConfiguration rules = kueue_rules(context);
  core::PodAdmission queued = core::admit_pod(
      {.pod = admission.object,
       .old_pod = admission.old_object,
       .scope = &rules->jobs,
       .name_space = find_namespace(context, name_space),
       .has_managed_owner = has_queued_owner(context, rules->jobs, name_space, admission.object),
       .has_default_queue = has_default_queue(context, name_space),
       .gates = &rules->gates});
  admission.object = std::move(queued.pod);
  admission.errors.add_all(std::move(queued.errors));
  for (std::string& warning : queued.warnings) admission.warnings.push_back(std::move(warning));
}

}  // namespace muster::server
