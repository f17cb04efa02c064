// SPDX-License-Identifier: Apache-2.0
#include "objects/builder.h"
#include "objects/rewrite.h"
#include "server/admission.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Rewrite;

// A new namespace is active, and held by the finalizer that its contents must go first.
Outcome<> admit_namespace(Admission& admission) {
  Builder builder;
  builder.retain(admission.object);
  builder.retain(admission.old_object);
  Rewrite root(admission.object);
  if (admission.is_create()) {
    const Node held[] = {Builder::literal("kubernetes")};
    Rewrite spec(admission.object["spec"]);
    spec.set("finalizers", builder.array(held));
    Rewrite status(admission.object["status"]);
    status.set("phase", Builder::literal("Active"));
    root.set("spec", spec.finish(builder));
    root.set("status", status.finish(builder));
  } else if (admission.target.subresource != "finalize") {
    root.set("spec", admission.old_object["spec"].node());
  }
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
  return {};
}

}  // namespace muster::server
