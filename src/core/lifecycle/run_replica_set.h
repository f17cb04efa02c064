// run_replica_set: what kube-controller-manager does for a ReplicaSet or a ReplicationController:
// as many active pods as it asks for, orphans that match adopted, those that no longer match let
// go, and a status that counts them. Pure and level-triggered. Embedded only.
//
//   auto step = run_replica_set({.set = set, .pods = owned_and_orphans, .now = now});
//
// Assumes: the views are never older than what earlier steps for this set saw or wrote. Names of
// pods follow from the set as it was last written, so the same decision made twice asks for names
// that are taken.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "core/edit.h"
#include "objects/label_selector.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core {

inline constexpr objects::Resource replication_controllers{"", "v1", "replicationcontrollers",
                                                           "ReplicationController"};

struct ReplicaSetObserved {
  objects::Value set;
  std::span<const objects::Value> pods;  // of its namespace: those it controls, and orphans
  Instant now = {};
  objects::Resource resource = objects::resources::replica_sets;
  std::string_view refusal = {};  // why the last pod was not made; empty: it was
};

// What it selects, and whether that can be read and is not everything.
std::optional<objects::LabelSelector> selector_of(const objects::Resource& resource,
                                                  const objects::Value& set);

struct ReplicaStep {
  std::vector<Edit> edits;
  std::optional<Instant> look_again = {};
};

ReplicaStep run_replica_set(const ReplicaSetObserved& observed);

}  // namespace muster::core
