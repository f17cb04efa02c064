// The scale subresource: how many replicas an object has and wants, as autoscaling/v1 Scale,
// whatever its kind calls them. Writing a Scale writes the object it is a view of.
//
//   scale_of(target, deployment)      {kind: Scale, spec: {replicas: 3}, status: {replicas: 2, …
//   write_scale(context, request, std::nullopt, done);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "objects/field_error.h"
#include "objects/kind_registry.h"
#include "objects/value.h"
#include "server/context.h"
#include "server/negotiation.h"
#include "server/target.h"
#include "server/write.h"

namespace muster::server {

bool has_scale(const objects::KindVersion& version);

// What a definition's scale asks of an object: that its numbers are numbers. Of the status alone at
// that endpoint.
objects::FieldErrors check_scale(const Target& target, objects::View object);

// How many replicas an object of that version wants.
std::int64_t replicas_wanted(const objects::KindVersion& version, objects::View object);

// Whether somebody owns how many replicas an object wants, by its managedFields.
bool is_scale_owned(const objects::KindVersion& version, std::string_view managed);

// The object is in the target's version, with its resourceVersion.
objects::Value scale_of(const Target& target, objects::View object);

// The body is a Scale, or a patch of one. The answer's object is the Scale.
void write_scale(Context& context, WriteRequest request, std::optional<PatchForm> patch,
                 WriteAnswer done);

}  // namespace muster::server
