// The pods of a StatefulSet: each has an ordinal, and with it a name, a host name and claims that
// are its own for ever.
//
//   const StatefulPodMaker maker(set, revision);
//   edits.push_back(Edit::create(resources::pods, maker.pod(3)));
//
// Assumes: the set was admitted by its schema.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core {

inline constexpr std::string_view revision_hash_label = "controller-revision-hash";

// The number behind the name of the set; nothing: it is no pod of it.
std::optional<std::int64_t> ordinal_of(objects::View set, objects::View pod);

std::string stateful_pod_name(objects::View set, std::int64_t ordinal);

// A pod as the revision has it: an object ControllerRevision, whose data holds the template.
objects::Value stateful_pod(const objects::Value& set, const objects::Value& revision,
                            std::int64_t ordinal);

// The claims of the pod of that ordinal.
std::vector<objects::Value> stateful_claims(const objects::Value& set, std::int64_t ordinal);

// The revision of the set's present template: its name follows from it.
objects::Value revision_of_template(const objects::Resource& resource, const objects::Value& set,
                                    std::int64_t number);
std::string revision_name(const objects::Value& set);

}  // namespace muster::core
