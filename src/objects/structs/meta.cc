// SPDX-License-Identifier: Apache-2.0
// The structs of Go: metadata and what kinds share. objects/go_structs.h has the notation.
#include "objects/structs/structs.h"

namespace muster::objects {

const std::string_view structs_of_meta = R"(meta.v1
Condition: type! string, status! word, observedGeneration int64, lastTransitionTime! time, reason!
  string, message! string;
LabelSelector: matchLabels {}string, matchExpressions []LabelSelectorRequirement;
LabelSelectorRequirement: key! string, operator! word, values []string;
ManagedFieldsEntry: manager string, operation word, apiVersion string, time *time, fieldsType
  string, fieldsV1 *any, subresource string;
ObjectMeta: name string, generateName string, namespace string, selfLink string, uid word,
  resourceVersion string, generation int64, creationTimestamp time, deletionTimestamp *time,
  deletionGracePeriodSeconds *int64, labels {}string, annotations {}string, ownerReferences
  []OwnerReference, finalizers []string, managedFields []ManagedFieldsEntry;
OwnerReference: apiVersion! string, kind! string, name! string, uid! word, controller *bool,
  blockOwnerDeletion *bool;
)";

}  // namespace muster::objects
