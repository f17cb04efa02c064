// SPDX-License-Identifier: Apache-2.0
#include "server/owner_references.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "objects/builder.h"
#include "objects/rewrite.h"

namespace muster::server {

using objects::Value;
using objects::View;

Value with_owners_once(const Value& object, bool is_patched, std::vector<std::string>& warnings) {
  const View owners = object["metadata"]["ownerReferences"];
  if (owners.size() < 2) return object;
  objects::Builder builder;
  builder.retain(object);
  std::vector<View> kept;
  std::vector<objects::Node> nodes;
  std::vector<std::string_view> twice;
  for (const View owner : owners.elements()) {
    if (std::find(kept.begin(), kept.end(), owner) != kept.end()) {
      twice.push_back(owner["uid"].string_or(""));
      continue;
    }
    kept.push_back(owner);
    nodes.push_back(owner.node());
  }
  if (twice.empty()) return object;
  warnings.push_back(fmt::format(
      ".metadata.ownerReferences contains duplicate entries{}; API server dedups owner references "
      "in 1.20+, and may reject such requests as early as 1.24; please fix your requests; "
      "duplicate UID(s) observed: {}",
      is_patched ? " after mutating admission happens" : "", fmt::join(twice, ", ")));
  objects::Rewrite metadata(object["metadata"]);
  metadata.set("ownerReferences", builder.array(nodes));
  objects::Rewrite root(object);
  root.set("metadata", metadata.finish(builder));
  const objects::Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

}  // namespace muster::server
