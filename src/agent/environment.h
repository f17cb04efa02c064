// The environment of a container, its command and what the downward API says, resolved as kubelet
// resolves them: envFrom first, then env in order, $(VAR) from what is known so far, $$ for a
// dollar, references to the unknown left as they are.
//
//   const auto environment = TRY(environment_of(pod, container, surroundings));
//   expand("$(HOST):$$(PORT)", environment)            // "n1:$(PORT)"
//
// Assumes: the pod has passed the API server's validation; what it cannot know (a ConfigMap that is
// missing) is an Error with kubelet's sentence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/surroundings.h"
#include "base/result.h"
#include "objects/value.h"

namespace muster::agent {

using Environment = std::map<std::string, std::string, std::less<>>;

// too_large beyond expanded_bytes_max.
Result<std::string> expand(std::string_view text, const Environment& environment);

Result<Environment> environment_of(objects::View pod, objects::View container,
                                   const Surroundings& surroundings);

// command and args with their references; empty where the pod leaves the program to the image.
Result<std::vector<std::string>> arguments_of(objects::View container,
                                              const Environment& environment);

// Names of the ConfigMaps and Secrets that the pod's containers and volumes refer to, sorted.
std::vector<std::string> config_maps_named_in(objects::View pod);
std::vector<std::string> secrets_named_in(objects::View pod);

// Names of the claims that the pod's volumes are, those made for it included.
std::vector<std::string> claims_named_in(objects::View pod);

}  // namespace muster::agent
