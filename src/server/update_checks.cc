// SPDX-License-Identifier: Apache-2.0
#include "server/update_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "objects/metadata.h"
#include "server/commit.h"

namespace muster::server {

using objects::FieldError;
using objects::FieldErrors;
using objects::Kind;
using objects::SchemaStyle;
using objects::View;

namespace {

// How a kind looks at metadata a second time: `m` as at its creation, `u` as of an update.
struct SecondLook {
  std::string_view kind;
  std::string_view looks;
};

// Asked of a real server, kind by kind. All others: first `u`, then `m`.
constexpr SecondLook second_looks[] = {
    {"CSIDriver", "u"},
    {"CSINode", "m"},
    {"CSIStorageCapacity", "mu"},
    {"ClusterRole", "mu"},
    {"ClusterRoleBinding", "mu"},
    {"CronJob", "u"},
    {"CustomResourceDefinition", "u"},
    {"DaemonSet", "u"},
    {"Deployment", "u"},
    {"DeviceClass", "mu"},
    {"EndpointSlice", "m"},
    {"Event", ""},
    {"FlowSchema", "m"},
    {"HorizontalPodAutoscaler", "u"},
    {"Job", "mu"},
    {"Lease", "u"},
    {"LimitRange", "m"},
    {"MutatingWebhookConfiguration", "m"},
    {"Namespace", "mu"},
    {"NetworkPolicy", "u"},
    {"Node", "mu"},
    {"PersistentVolume", "mm"},
    {"PodDisruptionBudget", ""},
    {"PodTemplate", "u"},
    {"PriorityClass", "u"},
    {"PriorityLevelConfiguration", "m"},
    {"ReplicaSet", "u"},
    {"ReplicationController", "u"},
    {"ResourceClaim", "mu"},
    {"ResourceClaimTemplate", "mu"},
    {"ResourceQuota", "u"},
    {"ResourceSlice", "u"},
    {"Role", "mu"},
    {"RoleBinding", "mu"},
    {"RuntimeClass", "mu"},
    {"Service", "u"},
    {"StatefulSet", "u"},
    {"StorageClass", "mu"},
    {"ValidatingAdmissionPolicy", "m"},
    {"ValidatingAdmissionPolicyBinding", "m"},
    {"ValidatingWebhookConfiguration", "m"},
    {"VolumeAttachment", "m"},
};

std::string_view second_look(const Kind& kind) {
  if (kind.style == SchemaStyle::custom) return "u";
  const auto found = std::find_if(std::begin(second_looks), std::end(second_looks),
                                  [&](const SecondLook& each) { return each.kind == kind.kind; });
  return found == std::end(second_looks) ? "um" : found->looks;
}

bool is_of_metadata(const FieldError& error) {
  return error.path.starts_with("metadata.");
}

bool is_of_update(const FieldError& error) {
  return error.detail == "field is immutable" || error.detail == "must not be decremented" ||
         error.detail.starts_with("no new finalizers");
}

// An APIService's name says what its spec says: told once.
bool is_of_spec(const FieldError& error) {
  return error.detail.starts_with("must be `spec.");
}

// Looked at in both ways.
bool is_shared(const FieldError& error) {
  constexpr std::string_view fields[] = {"metadata.labels", "metadata.annotations",
                                         "metadata.ownerReferences"};
  return std::any_of(std::begin(fields), std::end(fields),
                     [&](std::string_view field) { return error.path.starts_with(field); });
}

}  // namespace

Outcome<FieldErrors> check_identity(const WriteRequest& request, bool patches, View body,
                                    View current) {
  const Target& target = request.target;
  const View uid = body["metadata"]["uid"];
  const std::string_view own = objects::uid_of(current);
  const bool other = !uid.string_or("").empty() && uid.string_or("") != own;
  if (other && !patches) {
    return conflict(
        target,
        fmt::format("StorageError: invalid object, Code: 4, Key: /registry/{}/{}{}{}, "
                    "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID "
                    "in precondition: {}, UID in object meta: {}",
                    target.kind->plural, target.name_space, target.name_space.empty() ? "" : "/",
                    target.name, uid.string_or(""), own));
  }
  FieldErrors errors;
  if (other) errors.add(FieldError::invalid("metadata.uid", uid, "field is immutable"));
  const View ends = body["metadata"]["deletionTimestamp"];
  if (ends.is_string() && !(ends == current["metadata"]["deletionTimestamp"])) {
    errors.add(FieldError::invalid("metadata.deletionTimestamp", ends, "field is immutable"));
  }
  return errors;
}

FieldErrors told_on_update(const Kind& kind, const FieldErrors& immutable,
                           const FieldErrors& found) {
  FieldErrors all;
  // That a finalizer is none of Kubernetes' own is said by kinds alone.
  const auto look = [&](char how, bool of_kind) {
    if (how == 'u') {
      for (const FieldError& error : immutable) all.add(error);
      for (const FieldError& error : found) {
        if (is_of_metadata(error) && is_of_update(error)) all.add(error);
      }
    }
    for (const FieldError& error : found) {
      if (!is_of_metadata(error) || is_of_update(error)) continue;
      const bool is_of_kind = error.path.starts_with("metadata.finalizers[");
      if (is_of_kind ? of_kind
                     : (how == 'm' || is_shared(error)) && !(of_kind && is_of_spec(error))) {
        all.add(error);
      }
    }
  };
  look('m', false);
  look('u', false);
  for (const char how : second_look(kind)) look(how, true);
  for (const FieldError& error : found) {
    if (!is_of_metadata(error)) all.add(error);
  }
  return all;
}

}  // namespace muster::server
