// Patches: one front for the three kinds that an API server accepts.
//
//   PatchType type = TRY(patch_type(content_type));
//   Value patched = TRY(apply_patch(type, object, parse_json(body), schema_of(kind)));
//
// Server-side apply (application/apply-patch+yaml) is not a function of two documents: it reads
// and writes managedFields, and has its own front.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "objects/patch/limits.h"
#include "objects/patch/patch_schema.h"
#include "objects/value.h"

namespace muster::objects {

enum class PatchType : std::uint8_t { json, merge, strategic_merge };

// "application/json-patch+json" and so on.
std::string_view media_type(PatchType type);

// The type behind a Content-Type; parameters such as charset are ignored, case does not matter.
// Fails with unsupported_media_type, naming those that are accepted.
Result<PatchType> patch_type(std::string_view content_type);

// The schema is asked by strategic merge patch alone.
Result<Value> apply_patch(PatchType type, const Value& object, const Value& patch,
                          const PatchSchema& schema, const PatchLimits& limits = {});

}  // namespace muster::objects
