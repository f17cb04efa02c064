// App: a Deployment or a StatefulSet as queueing sees it. Neither is suspended itself: its template
// tells the pods to wait (admit_app.h). Each pod of a Deployment is a job of its own
// (reconcile_pods.h); all pods of a StatefulSet are one (reconcile_stateful_set.h).
//
//   if (const App* app = find_app(resource)) …
//
// Assumes: the pods are made by somebody else, from the template as it was admitted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "core/edit.h"
#include "core/model/configuration.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core {

struct App {
  objects::Resource resource;
  std::string_view integration;  // Kueue's name of the kind, which pods carry as their parent's
};

inline constexpr App deployment_app{objects::resources::deployments, "deployment"};
inline constexpr App stateful_set_app{objects::resources::stateful_sets, "statefulset"};

// Null for every other kind.
const App* find_app(const objects::Resource& resource);

// The template says that another kind of job made the app and queues its pods.
bool belongs_to_another(const App& app, objects::View object);

// Says on an app that names a queue and is left out why it is, when it is new.
std::optional<Edit> tell_unmanaged(const App& app, const objects::Value& object,
                                   const JobScope& scope, objects::View name_space);

}  // namespace muster::core
