// CompiledPatchSchema: the patch rules of a compiled Schema. Places are its node numbers, so that
// it costs nothing to make one for each request.
//
//   apply_patch(type, object, patch, CompiledPatchSchema(schema.root()));
//
// Assumes: the schema's tables outlive it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "objects/patch/patch_schema.h"
#include "objects/schema.h"

namespace muster::objects {

class CompiledPatchSchema final : public PatchSchema {
 public:
  explicit CompiledPatchSchema(SchemaNode root) : root_(root) {}

  PatchPlace root() const override;
  PatchField field(PatchPlace object, std::string_view key) const override;

 private:
  SchemaNode root_;
};

}  // namespace muster::objects
