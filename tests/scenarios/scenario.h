// A scenario: one YAML document under tests/scenarios/ that says what goes in and what comes out.
//
//   name: a patched container goes before the untouched ones
//   why: kubectl set image must not reorder what it does not name
//   covers: [objects/patch]
//   do: patch              # the verb: a function in tests/scenarios/verbs_<area>.cc
//   given: {…}             # whatever the verb reads
//   expect: {…}            # its answer, and the last key; `{error: sentence}` for a refusal
//
// UPDATE_EXPECTED=1 rewrites `expect` with the answer; read the diff before you commit it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "objects/value.h"

namespace muster::scenarios {

// Reads what it needs from the scenario and answers.
using Verb = Result<objects::Value> (*)(const objects::Value& scenario);

struct NamedVerb {
  std::string_view name;
  Verb verb;
};

// One list per area; verbs.cc joins them. A new verb is a function in its area's file.
std::span<const NamedVerb> apply_verbs();
std::span<const NamedVerb> apps_verbs();
std::span<const NamedVerb> convert_verbs();
std::span<const NamedVerb> decide_verbs();
std::span<const NamedVerb> language_verbs();
std::span<const NamedVerb> lifecycle_verbs();
std::span<const NamedVerb> node_verbs();
std::span<const NamedVerb> patch_verbs();
std::span<const NamedVerb> plan_verbs();
std::span<const NamedVerb> pod_verbs();
std::span<const NamedVerb> provisioning_verbs();
std::span<const NamedVerb> queued_app_verbs();
std::span<const NamedVerb> queueing_verbs();
std::span<const NamedVerb> schema_verbs();
std::span<const NamedVerb> table_verbs();
std::span<const NamedVerb> validate_verbs();
std::span<const NamedVerb> value_verbs();

// Every verb there is, or nothing with that name.
Verb find_verb(std::string_view name);

}  // namespace muster::scenarios
