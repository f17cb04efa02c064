// SPDX-License-Identifier: Apache-2.0
#include "objects/convert_kueue.h"
#include "objects/rewrite.h"

namespace muster::objects {

namespace {

// v1beta2 says with `clusterSource` that exactly one of the two is there.
Node to_v1beta2(Builder& builder, View spec) {
  Rewrite source((View()));
  if (!spec["kubeConfig"]["location"].string_or("").empty()) {
    source.set("kubeConfig", spec["kubeConfig"].node());
  }
  if (spec["clusterProfileRef"].is_object()) {
    source.set("clusterProfileRef", spec["clusterProfileRef"].node());
  }
  Rewrite result(spec);
  result.drop("kubeConfig");
  result.drop("clusterProfileRef");
  result.set("clusterSource", source.finish(builder));
  return result.finish(builder);
}

// v1beta1 cannot do without a kubeConfig; Kueue writes this where there is none.
Node no_kube_config(Builder& builder) {
  const Node::Member members[] = {{Builder::literal("location"), Builder::literal("")},
                                  {Builder::literal("locationType"), Builder::literal("")}};
  return builder.object(members);
}

Node to_v1beta1(Builder& builder, View spec) {
  const View source = spec["clusterSource"];
  Rewrite result(spec);
  result.drop("clusterSource");
  if (spec.is_object()) {
    const View kube_config = source["kubeConfig"];
    result.set("kubeConfig",
               kube_config.is_object() ? kube_config.node() : no_kube_config(builder));
  }
  if (source["clusterProfileRef"].is_object()) {
    result.set("clusterProfileRef", source["clusterProfileRef"].node());
  }
  return result.finish(builder);
}

}  // namespace

Result<Node> convert_kueue_multi_kueue_cluster(Builder& builder, View object,
                                               KueueConversion which) {
  Rewrite root(object);
  root.set("spec", which == KueueConversion::to_v1beta2 ? to_v1beta2(builder, object["spec"])
                                                        : to_v1beta1(builder, object["spec"]));
  return root.finish(builder);
}

}  // namespace muster::objects
