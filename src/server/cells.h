// Cells of tables that no JSONPath finds: what `kubectl get` shows of built-in kinds beyond plain
// fields, by the names that x-muster-cell gives them in api/.
//
//   const Cell cell = find_cell("pod-status");
//   Node node = cell(pod, {.builder = builder, .now = now});     // "Running"
//
// Assumes: nothing about the object: what is absent reads as empty.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/instant.h"
#include "objects/builder.h"
#include "objects/value.h"

namespace muster::server {

struct CellContext {
  objects::Builder& builder;
  Instant now;
};

using Cell = objects::Node (*)(objects::View object, const CellContext& context);

// Null where there is none of that name.
Cell find_cell(std::string_view name);

// `5m`, or `<unknown>` for what is no timestamp.
std::string age_text(objects::View timestamp, Instant now);

// What a pod's row says, in the words of kubectl (cells_pod.cc).
struct PodSummary {
  std::size_t ready = 0;
  std::size_t containers = 0;
  std::string status;
  std::string restarts;
};
PodSummary summarize_pod(objects::View pod, Instant now);

}  // namespace muster::server
