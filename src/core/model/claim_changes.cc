// ClusterState, the part of claims: whoever waits for a claim or its volume is tried again when it
// comes or changes.
// SPDX-License-Identifier: Apache-2.0
#include "core/model/tables.h"
#include "objects/metadata.h"

namespace muster::core {

namespace {

objects::View shown(const Event& event) {
  return event.type == EventType::remove ? objects::View() : objects::View(event.object);
}

}  // namespace

void Tables::apply_claim(const Event& event) {
  if (claims.show_claim(objects::key_of(event.object).to_string(), shown(event))) wake_for_places();
}

void Tables::apply_volume(const Event& event) {
  if (claims.show_volume(objects::name_of(event.object), shown(event))) wake_for_places();
}

void Tables::apply_storage_class(const Event& event) {
  if (claims.show_class(objects::name_of(event.object), shown(event))) wake_for_places();
}

}  // namespace muster::core
