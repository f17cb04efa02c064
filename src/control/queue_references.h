// QueueReferences: which of Kueue's objects name which others, kept current change by change: an
// object that somebody names may not vanish, and whoever names it is looked at when it changes.
//
//   references.replace_cluster_queue(change.before, change.after);
//   if (references.uses_of_flavor("gpu").empty()) …          // its finalizer may go
//
// Assumes: each object is replaced by its own next state; absent is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "objects/resource.h"
#include "objects/value.h"

namespace muster::control {

class QueueReferences {
 public:
  using Names = std::set<std::string, std::less<>>;
  using Keys = std::set<objects::ObjectKey>;

  void replace_cluster_queue(objects::View before, objects::View after);
  void replace_local_queue(objects::View before, objects::View after);
  void replace_flavor(objects::View before, objects::View after);

  const Names& uses_of_flavor(std::string_view name) const;        // ClusterQueues
  const Names& uses_of_check(std::string_view name) const;         // ClusterQueues
  const Names& uses_of_topology(std::string_view name) const;      // ResourceFlavors
  const Keys& uses_of_cluster_queue(std::string_view name) const;  // LocalQueues

 private:
  using Users = std::map<std::string, Names, std::less<>>;

  Users flavors_;
  Users checks_;
  Users topologies_;
  std::map<std::string, Keys, std::less<>> cluster_queues_;
};

}  // namespace muster::control
