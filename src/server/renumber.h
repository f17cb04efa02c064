// What becomes of stored addresses when the machine's pods have another network than they had: the
// bridge goes with `muster down` and with a reboot, and by the next start somebody else may have
// its network. Everything keeps its place in it: 10.88.1.7 becomes 10.90.1.7.
//
//   renumber(store, {.former = "10.88.0.0/16", .present = "10.90.0.0/16",
//                    .services = "10.90.192.0/18"}, [](Result<std::size_t> objects) { … });
//
// Changed are the ranges of Nodes, and the addresses of pods that have not ended: they start again
// where they are bound. A Service whose address lies outside the present range gets one inside,
// also where the former network is the present one. Endpoints follow from all of these.
//
// Assumes: nobody has read the store yet, nobody else writes it. A crash in between does no harm:
// what was changed is not found the next time. Networks are /16, as those of agent/pod_network.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "base/result.h"
#include "base/unique_function.h"
#include "store/store.h"

namespace muster::server {

// The podCIDR of Nodes by their name.
using NodeRanges = std::map<std::string, std::string, std::less<>>;

struct Renumbering {
  std::string former = {};  // empty: nobody knows
  std::string present;
  std::string services;    // the part of it that Services get
  NodeRanges ranges = {};  // what these Nodes shall have, wherever it lies
};

// Answers how many objects were changed; where none is, from inside the call.
using RenumberDone = UniqueFunction<void(Result<std::size_t>)>;
void renumber(store::Store& store, const Renumbering& how, RenumberDone done);

// Of every stored Node that has one.
Result<NodeRanges> stored_node_ranges(const store::Store& store);

// The text with the present network in the place of the former one; as it is where it lies
// elsewhere.
std::string renumbered(const std::string& address_or_range, const Renumbering& how);

}  // namespace muster::server
