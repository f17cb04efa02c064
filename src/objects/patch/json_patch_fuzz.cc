// SPDX-License-Identifier: Apache-2.0
//
// Any [document, patch]: a patch applies within its limits or is refused, the document stays as it
// was, and what came out can be reached again by the patch between the two.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "objects/json.h"
#include "objects/patch/json_patch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace muster::objects;
  const auto pair = parse_json({reinterpret_cast<const char*>(bytes), size});
  if (!pair || !pair->is_array() || pair->view().size() != 2) return 0;
  const Value document = pair->part((*pair)[0]);
  const std::string before = to_json(document);
  const PatchLimits limits = {.copy_bytes_max = 65'536, .result_bytes_max = 262'144};
  const auto patched = apply_json_patch(document, pair->part((*pair)[1]), limits);
  CHECK(to_json(document) == before);
  if (!patched) return 0;
  const std::string text = to_json(*patched);
  CHECK(text.size() <= limits.result_bytes_max);
  CHECK(parse_json(text).must().view() == patched->view());
  if (!document.is_array() && !document.is_object()) return 0;
  const Value patch = json_patch_between(document, *patched);
  CHECK(apply_json_patch(document, patch).must().view() == patched->view());
  return 0;
}
