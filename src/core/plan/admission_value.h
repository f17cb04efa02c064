// What an admission writes into Workload.status.admission: flavors, usage, counts, and where the
// pods go, in the compressed form of v1beta2.
//
//   Value admission = admission_value(tables, decision);
//   AdmissionMaker maker;
//   for (const Decision& decision : plan.decisions) maker.make(tables, decision);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/tables.h"
#include "core/plan/decision.h"
#include "objects/value.h"

namespace muster::core {

objects::Value admission_value(const Tables& tables, const Decision& decision);

// The same as the state keeps it. Decisions of one plan that come one after the other and give the
// same share their pod sets: a thousand equal jobs, thirty of them on one node.
class AdmissionMaker {
 public:
  // The decision lives as long as the maker.
  Admission make(const Tables& tables, const Decision& decision);

 private:
  const Decision* last_ = nullptr;
  SharedList<PodSetAssignment> pod_sets_;  // that it got
};

}  // namespace muster::core
