// plan_engine: the answer of `muster plan` as a function: objects, configuration, policy and time
// in, the document out (reference: the interface page of `muster plan`;
// docs/internals/decision.md).
//
//   PlanEngine engine(TRY(objects::KindRegistry::built_in()));
//   objects::Value document = TRY(engine.answer({.sources = sources, .cycles = 2}));
//
// Assumes: pure: the same input gives the same bytes. Errors are bad input, but for the code
// internal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "cli/plan/plan_source.h"
#include "objects/kind_registry.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::cli {

// What changes after the first cycles: removals, then objects that come or change, then cycles.
struct PlanStep {
  struct Removal {
    std::string kind;
    objects::ObjectKey key;
  };
  std::vector<Removal> removals = {};
  std::vector<PlanSource> applied = {};
  std::int64_t cycles = 1;
};

// A JSON list of {"delete": [{"kind", "namespace", "name"}], "apply": [objects], "cycles": N}.
Result<std::vector<PlanStep>> read_steps(const objects::Value& value, const std::string& file);

struct PlanInput {
  std::vector<PlanSource> sources;
  objects::Value configuration = {};  // Kueue's; absent: its defaults
  objects::Value policy = {};         // Muster's; absent: one among the sources, or none
  std::string configuration_file = "configuration";  // as errors name it
  std::string policy_file = "policy";
  std::optional<Instant> now = {};  // absent: the latest timestamp in the sources, or 2000
  std::int64_t cycles = 1;
  bool until_idle = false;
  bool releases = true;  // evicted workloads give back their quota between cycles
  std::vector<PlanStep> steps = {};
  bool explains = false;
};

class PlanEngine {
 public:
  explicit PlanEngine(objects::KindRegistry registry) : registry_(std::move(registry)) {}

  Result<objects::Value> answer(const PlanInput& input) const;

 private:
  objects::KindRegistry registry_;
};

}  // namespace muster::cli
