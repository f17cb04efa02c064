// SPDX-License-Identifier: Apache-2.0
#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/admission.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::View;

namespace {

// Whether something here serves it: names of pods, and names elsewhere. Nothing routes a cluster
// address, so none is given out, and the Service itself says so.
bool is_served(View spec) {
  return spec["clusterIP"].string_or("") == "None" ||
         spec["type"].string_or("ClusterIP") == "ExternalName";
}

}  // namespace

Outcome<> admit_service(Context& context, Admission& admission) {
  if (!admission.is_create()) return {};
  const View spec = admission.object["spec"];
  if (!is_served(spec)) {
    const std::string_view why =
        "this server gives no cluster addresses: nothing listens on this Service; set "
        "spec.clusterIP to None and reach the pods by their names";
    admission.warnings.emplace_back(why);
    admission.object = objects::with_condition(admission.object,
                                               {.type = "muster.dev/Unserved",
                                                .status = "True",
                                                .reason = "NoClusterAddresses",
                                                .message = std::string(why)},
                                               context.clock.wall());
    return {};
  }
  if (spec["clusterIP"].string_or("") != "None") return {};
  Builder builder;
  builder.retain(admission.object);
  const Node none[] = {Builder::literal("None")};
  Rewrite next(spec);
  next.set("clusterIPs", builder.array(none));
  Rewrite root(admission.object);
  root.set("spec", next.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
  return {};
}

}  // namespace muster::server
