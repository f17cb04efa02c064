// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/compiled_patch_schema.h"

namespace muster::objects {

PatchPlace CompiledPatchSchema::root() const {
  return root_.is_none() ? patch_place_unknown : root_.index();
}

PatchField CompiledPatchSchema::field(PatchPlace object, std::string_view key) const {
  if (object == patch_place_unknown || root_.is_none()) return {};
  const SchemaNode node = SchemaNode(root_.tables(), object).member(key);
  if (node.is_none()) return {};
  const SchemaNode below = node.type() == SchemaType::array ? node.items() : node;
  const PatchStrategy strategy = node.patch_strategy();
  return {.merge = strategy.merge,
          .replace = strategy.replace,
          .retain_keys = strategy.retain_keys,
          .merge_key = node.patch_merge_key(),
          .below = below.is_none() ? patch_place_unknown : below.index()};
}

}  // namespace muster::objects
