// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "objects/metadata.h"
#include "server/admission.h"

namespace muster::server {

using objects::FieldError;
using objects::View;

namespace {

constexpr std::string_view admin_label = "resource.kubernetes.io/admin-access";

bool may_administer(Context& context, const Target& target) {
  const auto namespaces = context.registry.find_resource("", "namespaces");
  const CachedObject* found = context.cache.find(*namespaces, "", target.name_space);
  if (found == nullptr) return false;
  const objects::Value home = context.trees.tree_of(found->bytes);
  return objects::labels_of(home)[admin_label].string_or("") == "true";
}

}  // namespace

// Devices that others use are for those whose namespace says so.
Outcome<> admit_device_claim(Context& context, Admission& admission) {
  if (!admission.is_create() || may_administer(context, admission.target)) return {};
  const bool is_template = admission.target.is("resource.k8s.io", "resourceclaimtemplates");
  const View spec = admission.object["spec"];
  const View requests = (is_template ? spec["spec"] : spec)["devices"]["requests"];
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!requests[i]["exactly"]["adminAccess"].boolean_or(false)) continue;
    admission.errors.add(FieldError::forbidden(
        fmt::format("{}.devices.requests[{}].adminAccess", is_template ? "spec.spec" : "spec", i),
        fmt::format("admin access to devices requires the `{}: true` label on the containing "
                    "namespace",
                    admin_label)));
  }
  return {};
}

}  // namespace muster::server
