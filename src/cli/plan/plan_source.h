// PlanSource: one object of a question to `muster plan`, as it was written, with the place where it
// stands: file and line, for every sentence about it.
//
//   for (const PlanSource& source : TRY(read_plan_text(text, "queues.yaml"))) …
//   source.place("spec.queueName");      // queues.yaml:14
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "objects/value.h"
#include "objects/yaml.h"

namespace muster::cli {

struct PlanSource {
  std::string file;
  objects::Value object;
  std::shared_ptr<const objects::YamlDocument> document = {};  // absent: no lines are known
  std::vector<std::size_t> items = {};  // indexes of the Lists (or arrays) it stands in

  // `file:line` of a field as messages name it, or of the nearest one around it.
  std::string place(std::string_view field) const;

  // `ClusterQueue team-a`, `Workload a/train`
  std::string title() const;
};

// The documents of a YAML or JSON text; Lists and arrays are taken apart.
Result<std::vector<PlanSource>> read_plan_text(std::string_view text, const std::string& file);

// The same of a value that was read already (a step, a line of a protocol).
std::vector<PlanSource> plan_sources_of(const objects::Value& value, const std::string& file);

// The newest timestamp anywhere in the objects; nothing where there is none.
std::optional<Instant> latest_timestamp(std::span<const PlanSource> sources);

}  // namespace muster::cli
