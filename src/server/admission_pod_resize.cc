// What may change at the endpoint `resize` of a pod: amounts of cpu and memory, and no more.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "objects/builder.h"
#include "objects/rewrite.h"
#include "objects/schema/default_rules.h"
#include "objects/schema/error_order.h"
#include "server/admission.h"

namespace muster::server {

using objects::Builder;
using objects::FieldError;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view lists[] = {"containers", "initContainers"};
constexpr std::string_view amounts[] = {"requests", "limits"};

// In the order in which they are found: the peer looks at one matter after the other.
void add(Admission& admission, FieldError error) {
  error.pass = objects::error_pass_as_it_comes;
  admission.errors.add(std::move(error));
}

// Whether the containers are those that were there, in their order.
bool check_order(Admission& admission, View now, View before) {
  bool same = true;
  for (const std::string_view list : lists) {
    if (now[list].size() != before[list].size()) {
      add(admission,
          FieldError::forbidden(fmt::format("spec.{}", list),
                                fmt::format("{} may not be added or removed on resize", list)));
      same = false;
      continue;
    }
    for (std::size_t i = 0; i < now[list].size(); ++i) {
      if (now[list][i]["name"] == before[list][i]["name"]) continue;
      add(admission,
          FieldError::forbidden(fmt::format("spec.{}[{}].name", list, i),
                                fmt::format("{} may not be renamed or reordered on resize", list)));
      same = false;
    }
  }
  return same;
}

void check_removed(Admission& admission, View now, View before) {
  for (const std::string_view list : {lists[1], lists[0]}) {
    for (std::size_t i = 0; i < now[list].size(); ++i) {
      for (const std::string_view which : amounts) {
        bool removed = false;
        for (const objects::MemberView amount : before[list][i]["resources"][which].members()) {
          removed = removed || !now[list][i]["resources"][which][amount.key];
        }
        if (!removed) continue;
        add(admission,
            FieldError::forbidden(fmt::format("spec.{}[{}].resources.{}", list, i, which),
                                  fmt::format("resource {} cannot be removed", which)));
      }
    }
  }
}

// Whether the container differs in more than its cpu and memory.
bool changes_more(View now, View before) {
  Value value = Value::copy_of(now);
  Builder builder;
  builder.retain(value);
  Rewrite resources(value["resources"]);
  for (const std::string_view which : amounts) {
    Rewrite list(value["resources"][which]);
    for (const std::string_view name : {"cpu", "memory"}) {
      list.set(name, builder.copy(before["resources"][which][name]));
    }
    const Node node = list.finish(builder);
    const bool is_none = View(&node).empty() && !before["resources"][which];
    resources.set(which, is_none ? Node() : node);
  }
  Rewrite root(value);
  root.set("resources", resources.finish(builder));
  const Node node = root.finish(builder);
  return !(View(&node) == before);
}

void check_containers(Admission& admission, View now, View before) {
  for (std::size_t i = 0; i < now["containers"].size(); ++i) {
    if (!changes_more(now["containers"][i], before["containers"][i])) continue;
    add(admission, FieldError::forbidden("spec", "only cpu and memory resources are mutable"));
  }
  for (std::size_t i = 0; i < now["initContainers"].size(); ++i) {
    const View container = now["initContainers"][i];
    const View old = before["initContainers"][i];
    if (container == old) continue;
    if (changes_more(container, old)) {
      add(admission,
          FieldError::forbidden(
              fmt::format("spec.initContainers[{}]", i),
              "only cpu and memory resources for init or sidecar containers are mutable"));
    }
  }
}

// Nodes that can change a running container say what it has.
bool can_be_resized(View status) {
  for (const View container : status["containerStatuses"].elements()) {
    if (container["state"]["running"]) return container["resources"].is_object();
  }
  return true;
}

}  // namespace

void check_pod_resize(Admission& admission) {
  const View now = admission.object["spec"];
  const View before = admission.old_object["spec"];
  const View status = admission.old_object["status"];
  if (status["qosClass"].string_or("") != objects::quality_of_service(now)) {
    add(admission, FieldError::invalid("spec", status["qosClass"],
                                       "Pod QOS Class may not change as a result of resizing"));
  }
  if (!can_be_resized(status)) {
    add(admission, FieldError::forbidden("spec", "Pod running on node without support for resize"));
  }
  if (!check_order(admission, now, before)) return;
  check_removed(admission, now, before);
  check_containers(admission, now, before);
}

}  // namespace muster::server
