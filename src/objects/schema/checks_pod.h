// The parts of the check of a pod's spec (schema/checks_pod.cc), which looks at pods and at
// templates of pods alike. Each adds errors below the spec, in the words of kube-apiserver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "objects/field_error.h"
#include "objects/schema/checks.h"
#include "objects/value.h"

namespace muster::objects {

enum class ContainerKind { regular, init, ephemeral };

// One container, and where it is: `.containers[0]`.
struct ContainerPlace {
  CheckScope& scope;  // of the spec
  View container;
  std::string place;
  ContainerKind kind = ContainerKind::regular;

  View spec() const { return scope.value(); }
  std::string at(std::string_view below) const { return place + std::string(below); }
};

// checks_container.cc
void check_container(const ContainerPlace& here);

// checks_resources.cc: requests, limits and claims of a container, and of the whole pod.
void check_container_resources(const ContainerPlace& here);
void check_pod_resources(CheckScope& scope);

// checks_probe.cc
void check_probes(const ContainerPlace& here);

// checks_security.cc
void check_container_security(const ContainerPlace& here);
void check_pod_security_context(CheckScope& scope);
// Of pods that name their operating system: what the other one has.
void check_operating_system(CheckScope& scope);

// The error is said after all else about the struct around it.
void add_late(CheckScope& scope, FieldError error);

// Paths inside of a volume.
void check_local_path(CheckScope& scope, std::string_view place, std::string_view path);
void check_path_without_steps_back(CheckScope& scope, std::string_view place,
                                   std::string_view path);

// A reference to a field of the pod: from the environment, or from a volume.
enum class FieldUser { environment, volume };
void check_field_ref(CheckScope& scope, const std::string& place, View reference, FieldUser user);
void check_resource_field_ref(CheckScope& scope, const std::string& place, View reference,
                              FieldUser user);

}  // namespace muster::objects
