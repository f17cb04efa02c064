// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "server/access.h"
#include "server/account_keeper.h"
#include "server/admission.h"

namespace muster::server {

using objects::FieldError;

namespace {

Outcome<> may_impersonate(const Context& context, const Identity& asker, std::string_view resource,
                          std::string_view name) {
  return check_access(
      context, {.identity = asker, .verb = "impersonate", .resource = resource, .name = name});
}

}  // namespace

// Who makes a token acts as its bearer whenever they like: they must be allowed to impersonate
// them.
Outcome<> admit_token(Context& context, Admission& admission) {
  if (admission.object["type"].string_or("") != token_secret_type) return {};
  if (admission.target.name_space != token_namespace) {
    return forbidden(admission.target,
                     fmt::format("a token lies in the namespace {}", token_namespace));
  }
  const auto record = read_token_secret(admission.object);
  if (!record) {
    admission.errors.add(
        FieldError::required("data", "a token has a digest, a user and perhaps an expiry"));
    return {};
  }
  ALLOWED(may_impersonate(context, admission.identity, "users", record->identity.name));
  for (const std::string& group : record->identity.groups) {
    ALLOWED(may_impersonate(context, admission.identity, "groups", group));
  }
  return {};
}

}  // namespace muster::server
