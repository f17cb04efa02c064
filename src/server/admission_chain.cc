// SPDX-License-Identifier: Apache-2.0
#include "server/admission_chain.h"

#include <utility>

#include "server/admission_policies.h"
#include "server/claim_protection.h"
#include "server/limit_ranges.h"
#include "server/pod_security.h"
#include "server/quota_book.h"
#include "server/webhooks.h"

namespace muster::server {

namespace {

// What changes objects without waiting, in kube-apiserver's order.
Outcome<> change_in_process(Context& context, Admission& admission) {
  const Target& target = admission.target;
  apply_limit_defaults(context, admission);
  if (target.is("", "pods") && target.subresource.empty() && admission.is_create()) {
    ALLOWED(give_service_account(context, admission));
    ALLOWED(resolve_priority(context, admission));
    tolerate_bad_nodes(admission);
    ALLOWED(apply_runtime_class(context, admission));
  } else if (target.is("", "pods") && target.subresource.empty()) {
    keep_priority(admission);
    tolerate_bad_nodes(admission);
  }
  if (target.is("", "persistentvolumeclaims") && target.subresource.empty() &&
      admission.is_create()) {
    give_storage_class(context, admission);
  }
  if (target.is("networking.k8s.io", "ingresses") && target.subresource.empty() &&
      admission.is_create()) {
    give_ingress_class(context, admission);
  }
  if (target.is("", "persistentvolumes") && admission.is_create()) {
    stamp_volume(context, admission);
  }
  protect_storage(admission);
  return {};
}

// What only says yes or no.
Outcome<> check_in_process(Context& context, Admission& admission) {
  const Target& target = admission.target;
  ALLOWED(check_limit_ranges(context, admission));
  ALLOWED(check_pod_security(context, admission));
  if (!target.subresource.empty()) return {};
  if (target.is("scheduling.k8s.io", "priorityclasses")) {
    return check_priority_class(context, admission);
  }
  if (target.is("", "pods") && admission.is_create()) {
    return check_runtime_class(context, admission);
  }
  return {};
}

void admit_by_quota(Context& context, Admission& admission, AdmitAnswer done) {
  if (context.quota == nullptr) return done({});
  context.quota->admit(admission, std::move(done));
}

// Those that the server would have to make anew at once.
bool is_lasting_namespace(std::string_view name) {
  return name == "default" || name == "kube-system" || name == "kube-public";
}

}  // namespace

void change_on_admission(Context& context, Admission& admission, AdmitAnswer done) {
  auto changed = change_in_process(context, admission);
  if (!changed || context.webhooks == nullptr) return done(std::move(changed));
  context.webhooks->change(admission, std::move(done));
}

void check_on_admission(Context& context, Admission& admission, AdmitAnswer done) {
  if (auto checked = check_in_process(context, admission); !checked) return done(checked);
  if (auto checked = check_admission_policies(context, admission); !checked) return done(checked);
  if (context.webhooks == nullptr) return admit_by_quota(context, admission, std::move(done));
  context.webhooks->check(
      admission, [&context, &admission, done = std::move(done)](Outcome<> checked) mutable {
        if (!checked) return done(std::move(checked));
        admit_by_quota(context, admission, std::move(done));
      });
}

void admit_without_object(Context& context, Admission& admission, AdmitAnswer done) {
  if (admission.operation == Operation::remove && admission.target.is("", "namespaces") &&
      is_lasting_namespace(admission.target.name)) {
    return done(forbidden(admission.target, "this namespace may not be deleted"));
  }
  if (context.webhooks == nullptr) return done(check_admission_policies(context, admission));
  context.webhooks->change(
      admission, [&context, &admission, done = std::move(done)](Outcome<> changed) mutable {
        if (changed) changed = check_admission_policies(context, admission);
        if (!changed) return done(std::move(changed));
        context.webhooks->check(admission, std::move(done));
      });
}

}  // namespace muster::server
