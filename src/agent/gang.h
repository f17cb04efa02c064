// GangIndex: which pods belong together and whether all of them have a place; and the /etc/hosts
// that lets each find every other before the first process asks.
//
//   if (gangs.apply(before, after)) …              // the last member has just been bound
//   if (!gangs.is_bound(pod)) …                    // not one of them starts
//   const std::string hosts = hosts_of(pod, members);
//
// A pod without the annotations muster.dev/gang and gang-size is a gang of its own. Members are the
// pods of the same namespace and the same admission of a Workload that are not being deleted; two
// pods for one completion index (one failed, one replaces it) are one member.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "objects/resource.h"
#include "objects/value.h"

namespace muster::agent {

// `namespace/gang`, or nothing for a pod that starts on its own.
std::string gang_of(objects::View pod);

// Whether it has its place: a node, and Muster's word that there is room on it. Without the word,
// which is its address, nothing starts.
bool is_received(objects::View pod);

// How many members must be bound before the first starts.
std::int64_t gang_size_of(objects::View pod);

class GangIndex {
 public:
  // A pod as it was and as it is; absent: it did not exist, it is gone. True when by this the last
  // missing member of its gang got its place.
  bool apply(objects::View before, objects::View after);

  bool is_bound(objects::View pod) const;

  // The pods of its gang, itself included, in the order of their keys.
  std::vector<objects::ObjectKey> members_of(objects::View pod) const;

 private:
  struct Gang {
    std::set<objects::ObjectKey> pods;
    std::map<std::string, std::size_t> places;  // bound pods of each member
  };

  std::map<std::string, Gang, std::less<>> gangs_;
};

// The address that was chosen when the pod was bound, or its node's where it is on the machine's
// network and has said so; empty when there is none.
std::string_view address_of(objects::View pod);

// The pod's own line, a line for every other member in a headless Service (a subdomain), and
// spec.hostAliases. A gang beyond hosts_members_max is left to the name server.
std::string hosts_of(objects::View pod, std::span<const objects::Value> members);

}  // namespace muster::agent
