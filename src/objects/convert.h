// Conversion between the versions of a kind, by the name that the kind's api/ file gives under
// x-muster-conversion. A kind without a name has versions of one shape: only apiVersion changes.
//
//   auto stored = TRY(convert("kueue-workload", workload, "v1beta2"));
//
// Conversions do what Kueue's own do, fields and topology compression included. They are total on
// what the schema of the object's version accepts; an object that its schema would refuse may be
// refused here too, but never breaks anything. What a version cannot express is lost:
//
//   to v1beta2: ClusterQueue status.pendingWorkloadsStatus; ClusterQueue and Cohort
//     status.fairSharing.admissionFairSharingStatus; LocalQueue status.flavors; Workload
//     spec.priorityClassName without a priorityClassSource; ClusterQueue admissionChecksStrategy
//     where admissionChecks is set too.
//   to v1beta1: ClusterQueue concurrentAdmissionPolicy; Workload preemptionGates (spec, status)
//     and podsetSliceRequiredTopologyConstraints; a priorityClassRef to another kind.
//   changed for good: ClusterQueue admissionChecks come back as admissionChecksStrategy, the
//     fungibility values Borrow and Preempt as MayStopSearch; a topology assignment comes back
//     domain by domain, in the same order.
//
// Kueue converts through Go structs, which also rewrites quantities canonically, drops empty lists
// and writes zero structs (`template: {metadata: {}}`). These side effects are left out here.
// Unknown fields survive: pruning by the schema of the new version is the caller's next step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "objects/value.h"

namespace muster::objects {

// The object in another version of its group, sharing everything that does not change.
// not_found: no conversion of that name, or none between these versions.
Result<Value> convert(std::string_view conversion, const Value& object,
                      std::string_view to_version);

}  // namespace muster::objects
