// SPDX-License-Identifier: Apache-2.0
#include "objects/convert_kueue.h"
#include "objects/rewrite.h"

namespace muster::objects {

Result<Node> convert_kueue_local_queue(Builder& builder, View object, KueueConversion which) {
  Rewrite status(object["status"]);
  if (which == KueueConversion::to_v1beta2) {
    status.rename("flavorUsage", "flavorsUsage");
    status.drop("flavors");
  } else {
    status.rename("flavorsUsage", "flavorUsage");
  }
  Rewrite root(object);
  root.set("status", status.finish(builder));
  return root.finish(builder);
}

}  // namespace muster::objects
