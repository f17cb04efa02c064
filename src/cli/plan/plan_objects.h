// PlanObjects: the objects of a question as an API server would have stored them: of kinds that are
// read, in Kueue's stored version, with their defaults; and a list of what is not read.
//
//   PlanReader reader(registry, configuration.gates);
//   PlanObjects given = TRY(reader.read(sources));
//
// An object of a known kind that is wrong fails the whole question: the Error's message has a line
// for each mistake, with file, line, field and cause.
//
// Assumes: objects are taken as they are: a status need not be complete, and Kubernetes' own kinds
// are only checked for their types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/plan/plan_source.h"
#include "core/model/feature_gates.h"
#include "objects/kind_registry.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::cli {

struct PlanObject {
  objects::Resource resource;
  objects::Value object;
  std::string file;
};

// What was given and counts for nothing.
struct IgnoredObject {
  std::string kind;
  std::string name_space;
  std::string name;
  std::string file;
  std::string field = {};   // only this field of it
  std::string reason = {};  // where it is not simply unknown
};

struct PlanObjects {
  std::vector<PlanObject> objects;
  std::vector<IgnoredObject> ignored;
  std::vector<IgnoredObject> warnings;  // what a webhook of Kueue would refuse, and is planned
  objects::Value policy;                // muster.dev Policy; absent: none was among them
};

class PlanReader {
 public:
  PlanReader(const objects::KindRegistry& registry, const core::FeatureGates& gates)
      : registry_(registry), gates_(gates) {}

  Result<PlanObjects> read(std::span<const PlanSource> sources) const;

 private:
  const objects::KindRegistry& registry_;
  const core::FeatureGates& gates_;
};

}  // namespace muster::cli
