// What becomes of a container by its image: its program, environment, folder and user by
// Kubernetes' rules, and the rights and shares that its specification gives it. Pure.
//
//   if (auto refusal = refused_by_image(pod, container, facts)) …      // runAsNonRoot
//   TRY(run_from_image(pod, container, facts, environment, made));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/environment.h"
#include "agent/images.h"
#include "agent/pod_runtime.h"
#include "agent/start_plan.h"
#include "base/result.h"
#include "objects/value.h"

namespace muster::agent {

std::optional<StartRefusal> refused_by_image(objects::View pod, objects::View container,
                                             const ImageFacts& facts);

// The environment is the container's own, by which its arguments are expanded.
Result<> run_from_image(objects::View pod, objects::View container, const ImageFacts& facts,
                        const Environment& environment, ContainerSpec& made);

// Of a container's securityContext: what container runtimes give everybody, more, and less.
std::vector<std::string> capabilities_of(objects::View container);

}  // namespace muster::agent
