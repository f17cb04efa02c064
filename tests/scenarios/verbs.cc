// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tests/scenarios/scenario.h"

namespace muster::scenarios {

Verb find_verb(std::string_view name) {
  const std::array areas = {
      apply_verbs(),        apps_verbs(),       convert_verbs(),  decide_verbs(), language_verbs(),
      lifecycle_verbs(),    node_verbs(),       patch_verbs(),    plan_verbs(),   pod_verbs(),
      provisioning_verbs(), queued_app_verbs(), queueing_verbs(), schema_verbs(), table_verbs(),
      validate_verbs(),     value_verbs()};
  for (const std::span<const NamedVerb> area : areas) {
    for (const NamedVerb& verb : area) {
      if (verb.name == name) return verb.verb;
    }
  }
  return nullptr;
}

}  // namespace muster::scenarios
