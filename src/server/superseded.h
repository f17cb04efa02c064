// Superseded: which parts of other systems' installations stand for work that Muster does itself.
// Kueue's, JobSet's, Volcano's, the training operator's and the MPI operator's manifests may be
// applied: their controllers need not run, and their webhooks must not be called, because nobody
// answers there.
//
//   if (is_superseded_service(context, service.name_space, service.name)) continue;   // a webhook
//
// A service is known by its name, as the released manifests have it, or by what it leads to: pods
// of a Deployment that runs one of those controllers, whatever a chart has called both.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "objects/value.h"
#include "server/context.h"

namespace muster::server {

// Marks objects that are kept and do nothing; its value says who does the work.
inline constexpr std::string_view superseded_annotation = "muster.dev/superseded";

// The object with that annotation.
objects::Value with_superseded_mark(const objects::Value& object, std::string_view why);

// Whether the image is that of a controller whose work Muster does, in any registry and version.
bool is_superseded_image(std::string_view image);

// A Deployment (or anything else with a pod template) that runs such an image.
bool is_superseded_workload(objects::View object);

bool is_superseded_service(const Context& context, std::string_view name_space,
                           std::string_view name);

// Of an entry of a webhook configuration, or a CRD's conversion: {service: {namespace, name}}.
bool is_superseded_client(const Context& context, objects::View client_config);

}  // namespace muster::server
