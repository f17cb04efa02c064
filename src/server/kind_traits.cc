// SPDX-License-Identifier: Apache-2.0
#include "server/kind_traits.h"

namespace muster::server {

KindTraits traits_of(const objects::Kind& kind) {
  if (kind.style == objects::SchemaStyle::custom) {
    return {.has_generation = true, .unconditional_update = false};
  }
  if (kind.group.empty()) {
    if (kind.kind == "Pod") {
      return {.has_generation = true, .deletes_gracefully = true, .answers_deleted_object = true};
    }
    if (kind.kind == "Node") return {.keeps_status_on_create = true};
    return {};
  }
  if (kind.kind == "Job") {
    return {.has_generation = true, .propagation = client::Propagation::orphan};
  }
  if (kind.kind == "PriorityClass") return {.has_generation = true};
  if (kind.kind == "Lease" || kind.kind == "RuntimeClass") return {.unconditional_update = false};
  return {};
}

}  // namespace muster::server
