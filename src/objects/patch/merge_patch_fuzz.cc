// SPDX-License-Identifier: Apache-2.0
//
// Any [document, patch]: a merge patch applies or is refused, twice is once, and what came out can
// be reached again by the patch between the two unless it holds nulls of the document.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "objects/json.h"
#include "objects/patch/merge_patch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace muster::objects;
  const auto pair = parse_json({reinterpret_cast<const char*>(bytes), size});
  if (!pair || !pair->is_array() || pair->view().size() != 2) return 0;
  const Value document = pair->part((*pair)[0]);
  const Value patch = pair->part((*pair)[1]);
  const auto patched = apply_merge_patch(document, patch);
  if (!patched) return 0;
  CHECK(parse_json(to_json(*patched)).must().view() == patched->view());
  if (!patch.is_object()) return 0;
  CHECK(apply_merge_patch(*patched, patch).must().view() == patched->view());
  if (!document.is_object()) return 0;
  const Value between = merge_patch_between(document, *patched);
  CHECK(apply_merge_patch(document, between).must().view() == patched->view());
  return 0;
}
