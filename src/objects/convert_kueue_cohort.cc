// SPDX-License-Identifier: Apache-2.0
#include "objects/convert_kueue.h"
#include "objects/rewrite.h"

namespace muster::objects {

Result<Node> convert_kueue_cohort(Builder& builder, View object, KueueConversion which) {
  if (which == KueueConversion::to_v1beta1) return object.node();
  Rewrite fair_sharing(object["status"]["fairSharing"]);
  fair_sharing.drop("admissionFairSharingStatus");
  Rewrite status(object["status"]);
  status.set("fairSharing", fair_sharing.finish(builder));
  Rewrite root(object);
  root.set("status", status.finish(builder));
  return root.finish(builder);
}

}  // namespace muster::objects
