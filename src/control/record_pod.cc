// SPDX-License-Identifier: Apache-2.0
#include "control/record_pod.h"

#include <string_view>
#include <utility>
#include <vector>

#include "objects/builder.h"
#include "objects/rewrite.h"

namespace muster::control {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view dropped_of_containers[] = {"args",
                                                      "command",
                                                      "env",
                                                      "envFrom",
                                                      "imagePullPolicy",
                                                      "lifecycle",
                                                      "livenessProbe",
                                                      "readinessProbe",
                                                      "securityContext",
                                                      "startupProbe",
                                                      "terminationMessagePath",
                                                      "terminationMessagePolicy",
                                                      "volumeDevices",
                                                      "volumeMounts"};

constexpr std::string_view dropped_of_status[] = {"containerStatuses", "ephemeralContainerStatuses",
                                                  "initContainerStatuses"};

void shorten_containers(Rewrite& spec, std::string_view list, View containers, Builder& builder) {
  if (containers.empty()) return;
  std::vector<Node> kept;
  for (const View container : containers.elements()) {
    Rewrite next(container);
    for (const std::string_view member : dropped_of_containers) next.drop(member);
    kept.push_back(next.finish(builder));
  }
  spec.set(list, builder.array(kept));
}

// Claims say where a pod may go, and nothing else that it mounts does.
void shorten_volumes(Rewrite& spec, View volumes, Builder& builder) {
  std::vector<Node> claims;
  for (const View volume : volumes.elements()) {
    if (volume["persistentVolumeClaim"]) claims.push_back(volume.node());
  }
  if (claims.empty()) return spec.drop("volumes");
  spec.set("volumes", builder.array(claims));
}

}  // namespace

Value recorded_pod(const Value& pod) {
  Builder builder;
  builder.retain(pod);
  const View of_spec = pod["spec"];
  Rewrite spec(of_spec);
  shorten_containers(spec, "containers", of_spec["containers"], builder);
  shorten_containers(spec, "initContainers", of_spec["initContainers"], builder);
  spec.drop("ephemeralContainers");
  shorten_volumes(spec, of_spec["volumes"], builder);
  Rewrite status(pod["status"]);
  for (const std::string_view member : dropped_of_status) status.drop(member);
  Rewrite root(pod);
  root.set("spec", spec.finish(builder));
  root.set("status", status.finish(builder));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

}  // namespace muster::control
