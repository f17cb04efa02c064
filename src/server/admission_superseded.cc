// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "objects/edit.h"
#include "objects/metadata.h"
#include "server/admission.h"
#include "server/superseded.h"

namespace muster::server {

using objects::Value;
using objects::View;

namespace {

constexpr std::string_view why = "Muster does this work itself";

bool calls_only_superseded(const Context& context, View configuration) {
  bool any = false;
  for (View webhook : configuration["webhooks"].elements()) {
    if (!is_superseded_client(context, webhook["clientConfig"])) return false;
    any = true;
  }
  return any;
}

bool is_superseded(const Context& context, const Target& target, View object) {
  if (target.kind->group == "admissionregistration.k8s.io") {
    return calls_only_superseded(context, object);
  }
  if (target.kind->group == "apiregistration.k8s.io") {
    return is_superseded_client(context, object["spec"]);
  }
  return is_superseded_workload(object);
}

}  // namespace

bool may_be_superseded(const Target& target) {
  const std::string_view kind = target.kind->kind;
  return target.kind->is_built_in && !target.is_status() &&
         (kind == "Deployment" || kind == "APIService" || kind == "MutatingWebhookConfiguration" ||
          kind == "ValidatingWebhookConfiguration" || target.is("batch", "jobs"));
}

void admit_superseded(Context& context, Admission& admission) {
  const Target& target = admission.target;
  if (!is_superseded(context, target, admission.object)) {
    auto plain =
        objects::without(admission.object, {"metadata", "annotations", superseded_annotation});
    if (plain) admission.object = std::move(plain).take();
    return;
  }
  admission.object = with_superseded_mark(admission.object, why);
  if (target.is("batch", "jobs")) {
    auto idle = objects::with(admission.object, {"spec", "suspend"}, Value::boolean(true));
    if (idle) admission.object = std::move(idle).take();
  }
  const bool calls = target.kind->group == "admissionregistration.k8s.io";
  admission.warnings.push_back(fmt::format("{} {} is kept and {}: {}", target.kind->kind,
                                           objects::name_of(admission.object),
                                           calls ? "not called" : "has no effect", why));
}

}  // namespace muster::server
