// How kubectl's client-side past is taken over: what its last-applied-configuration says and the
// object still has belongs to kubectl, whoever is written down as its owner; and the annotation
// follows what kubectl applies from then on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "objects/apply/field_set.h"
#include "objects/schema.h"
#include "objects/value.h"

namespace muster::objects {

inline constexpr std::string_view kubectl_manager = "kubectl";
inline constexpr std::string_view last_applied_annotation =
    "kubectl.kubernetes.io/last-applied-configuration";

// Nothing where there is no annotation of this version that can be read.
std::optional<FieldSet> fields_last_applied(View live, std::string_view api_version,
                                            SchemaNode schema);

// The object with the annotation brought up to date, where it has one.
Value with_last_applied(const Value& object, const Value& configuration);

}  // namespace muster::objects
