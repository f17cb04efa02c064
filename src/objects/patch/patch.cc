// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/patch.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/check.h"
#include "objects/patch/json_patch.h"
#include "objects/patch/merge_patch.h"
#include "objects/patch/strategic_merge.h"

namespace muster::objects {

namespace {

struct Row {
  PatchType type;
  std::string_view media_type;
};

constexpr std::array rows = {
    Row{PatchType::json, "application/json-patch+json"},
    Row{PatchType::merge, "application/merge-patch+json"},
    Row{PatchType::strategic_merge, "application/strategic-merge-patch+json"},
};

std::string essence(std::string_view content_type) {
  std::string text(content_type.substr(0, content_type.find(';')));
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::string_view media_type(PatchType type) {
  for (const Row& row : rows) {
    if (row.type == type) return row.media_type;
  }
  check_failed("PatchType", __FILE__, __LINE__, "every type has a row");
}

Result<PatchType> patch_type(std::string_view content_type) {
  const std::string wanted = essence(content_type);
  std::string accepted;
  for (const Row& row : rows) {
    if (row.media_type == wanted) return row.type;
    if (!accepted.empty()) accepted += ", ";
    accepted += row.media_type;
  }
  return Error{ErrorCode::unsupported_media_type,
               "the body of the request was in an unknown format - accepted media types include: " +
                   accepted};
}

Result<Value> apply_patch(PatchType type, const Value& object, const Value& patch,
                          const PatchSchema& schema, const PatchLimits& limits) {
  switch (type) {
    case PatchType::json:
      return apply_json_patch(object, patch, limits);
    case PatchType::merge:
      return apply_merge_patch(object, patch, limits);
    case PatchType::strategic_merge:
      return apply_strategic_merge_patch(object, patch, schema, limits);
  }
  check_failed("PatchType", __FILE__, __LINE__, "every type is handled above");
}

}  // namespace muster::objects
