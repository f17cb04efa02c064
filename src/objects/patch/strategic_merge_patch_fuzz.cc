// SPDX-License-Identifier: Apache-2.0
//
// Any [object, patch] of a Pod: a strategic merge patch applies or is refused; where neither side
// holds what such patches cannot write, the patch between object and result leads there again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "objects/builder.h"
#include "objects/json.h"
#include "objects/kind_registry.h"
#include "objects/patch/compiled_patch_schema.h"
#include "objects/patch/directives.h"
#include "objects/patch/strategic_merge.h"

namespace {

using namespace muster::objects;

Value writable(View value) {
  Builder builder;
  const Node root = *fresh_content(value, Patched::kept, builder);
  return std::move(builder).finish(root);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const auto kind = KindRegistry::built_in().must().find("", "Pod");
  const CompiledPatchSchema schema(kind->storage_version().schema.root());
  const auto pair = parse_json({reinterpret_cast<const char*>(bytes), size});
  if (!pair || !pair->is_array() || pair->view().size() != 2) return 0;
  const Value object = pair->part((*pair)[0]);
  const auto patched = apply_strategic_merge_patch(object, pair->part((*pair)[1]), schema);
  if (!patched) return 0;
  CHECK(parse_json(to_json(*patched)).must().view() == patched->view());
  const Value from = writable(object);
  const Value to = writable(*patched);
  const Value between = strategic_merge_patch_between(from, to, schema);
  CHECK(apply_strategic_merge_patch(from, between, schema).must().view() == to.view());
  return 0;
}
