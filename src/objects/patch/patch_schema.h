// PatchSchema: what strategic merge patch needs to know of a kind, and no more: for each field how
// it merges, and what lies below. Places are the schema's own numbers for its types.
//
//   PatchField containers = schema.field(pod_spec, "containers");
//   containers.merge, containers.merge_key;       // true, "name"
//   schema.field(containers.below, "env");        // what an element holds
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace muster::objects {

// A type in a schema: the object itself, or the elements of a list.
using PatchPlace = std::uint32_t;
inline constexpr PatchPlace patch_place_unknown = std::numeric_limits<PatchPlace>::max();

struct PatchField {
  bool merge = false;    // a list that merges, by key or (without one) as a set of scalars
  bool replace = false;  // an object that is replaced as a whole
  bool retain_keys = false;
  std::string_view merge_key = {};
  PatchPlace below = patch_place_unknown;
};

class PatchSchema {
 public:
  virtual ~PatchSchema() = default;
  virtual PatchPlace root() const = 0;

  // Unknown fields and fields of unknown places yield the default: objects merge, lists do not.
  virtual PatchField field(PatchPlace object, std::string_view key) const = 0;
};

// Knows nothing: objects merge, lists are replaced.
class PlainPatchSchema final : public PatchSchema {
 public:
  PatchPlace root() const override { return patch_place_unknown; }
  PatchField field(PatchPlace, std::string_view) const override { return {}; }
};

}  // namespace muster::objects
