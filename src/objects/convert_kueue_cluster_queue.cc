// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "objects/convert_kueue.h"
#include "objects/rewrite.h"

namespace muster::objects {

namespace {

// `[a, b]` becomes `{admissionChecks: [{name: a}, {name: b}]}`.
Node strategy_of(Builder& builder, View admission_checks) {
  std::vector<Node> rules;
  rules.reserve(admission_checks.size());
  for (const View check : admission_checks.elements()) {
    const Node::Member name[] = {{Builder::literal("name"), check.node()}};
    rules.push_back(builder.object(name));
  }
  const Node::Member checks[] = {{Builder::literal("admissionChecks"), builder.array(rules)}};
  return builder.object(checks);
}

// v1beta2 has one word for what v1beta1 called Borrow in one field and Preempt in the other.
Node fungibility_of(Builder& builder, View old) {
  Rewrite fungibility(old);
  if (old["whenCanBorrow"].string_or("") == "Borrow") {
    fungibility.set("whenCanBorrow", Builder::literal("MayStopSearch"));
  }
  if (old["whenCanPreempt"].string_or("") == "Preempt") {
    fungibility.set("whenCanPreempt", Builder::literal("MayStopSearch"));
  }
  return fungibility.finish(builder);
}

Node to_v1beta2(Builder& builder, View object) {
  const View old_spec = object["spec"];
  Rewrite spec(old_spec);
  spec.rename("cohort", "cohortName");
  if (!old_spec["admissionChecks"].empty()) {
    spec.set("admissionChecksStrategy", strategy_of(builder, old_spec["admissionChecks"]));
  }
  spec.drop("admissionChecks");
  spec.set("flavorFungibility", fungibility_of(builder, old_spec["flavorFungibility"]));

  Rewrite fair_sharing(object["status"]["fairSharing"]);
  fair_sharing.drop("admissionFairSharingStatus");
  Rewrite status(object["status"]);
  status.drop("pendingWorkloadsStatus");
  status.set("fairSharing", fair_sharing.finish(builder));

  Rewrite root(object);
  root.set("spec", spec.finish(builder));
  root.set("status", status.finish(builder));
  return root.finish(builder);
}

Node to_v1beta1(Builder& builder, View object) {
  Rewrite spec(object["spec"]);
  spec.rename("cohortName", "cohort");
  spec.drop("concurrentAdmissionPolicy");
  Rewrite root(object);
  root.set("spec", spec.finish(builder));
  return root.finish(builder);
}

}  // namespace

Result<Node> convert_kueue_cluster_queue(Builder& builder, View object, KueueConversion which) {
  return which == KueueConversion::to_v1beta2 ? to_v1beta2(builder, object)
                                              : to_v1beta1(builder, object);
}

}  // namespace muster::objects
