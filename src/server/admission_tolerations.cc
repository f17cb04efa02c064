// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "objects/builder.h"
#include "objects/rewrite.h"
#include "server/admission.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::View;

namespace {

constexpr std::int64_t toleration_seconds = 300;
constexpr std::string_view node_conditions[] = {"node.kubernetes.io/not-ready",
                                                "node.kubernetes.io/unreachable"};

bool tolerates(View tolerations, std::string_view key) {
  for (View toleration : tolerations.elements()) {
    const std::string_view own_key = toleration["key"].string_or("");
    const std::string_view effect = toleration["effect"].string_or("");
    if ((own_key == key || own_key.empty()) && (effect == "NoExecute" || effect.empty())) {
      return true;
    }
  }
  return false;
}

Node toleration(Builder& builder, std::string_view literal_key) {
  const Node::Member members[] = {
      {Builder::literal("key"), Builder::literal(literal_key)},
      {Builder::literal("operator"), Builder::literal("Exists")},
      {Builder::literal("effect"), Builder::literal("NoExecute")},
      {Builder::literal("tolerationSeconds"), Builder::integer(toleration_seconds)}};
  return builder.object(members);
}

// Pods stay for five minutes on a node that is not well, unless they say otherwise.
Node tolerations(Builder& builder, View spec) {
  const View present = spec["tolerations"];
  std::vector<Node> all;
  for (View each : present.elements()) all.push_back(each.node());
  for (const std::string_view key : node_conditions) {
    if (!tolerates(present, key)) all.push_back(toleration(builder, key));
  }
  return builder.array(all);
}

}  // namespace

void tolerate_bad_nodes(Admission& admission) {
  const View spec = admission.object["spec"];
  const bool tolerates_all = tolerates(spec["tolerations"], node_conditions[0]) &&
                             tolerates(spec["tolerations"], node_conditions[1]);
  if (tolerates_all) return;
  Builder builder;
  builder.retain(admission.object);
  Rewrite next(spec);
  next.set("tolerations", tolerations(builder, spec));
  Rewrite root(admission.object);
  root.set("spec", next.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
}

}  // namespace muster::server
