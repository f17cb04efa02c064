// How pods of this machine reach each other: over a bridge with a cable into each pod's network
// namespace where the machine permits it, otherwise as addresses of the shared loopback, which has
// sixteen million of them. Both follow from the data folder, so that two platforms on one machine
// keep out of each other's way, and a restarted one finds its own again. The folder keeps the name
// of its network: the bridge goes with `muster down` and with a reboot, and what the folder leads
// to may have been somebody else's at first. Where it is somebody else's now, the folder gets
// another (server/renumber.h).
//
//   const PodNetwork network = choose_pod_network("/var/lib/muster", Isolation::full);
//   network.cidr        // "10.71.0.0/16" or "127.71.0.0/16": nodes get their podCIDRs out of it
//   network.gateway     // the machine as pods see it: where the name server listens
//   network.services    // addresses that are the machine's own, one a Service
//
// Assumes: at start-up, before pods run; adopted pods keep the network they have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/os/network.h"
#include "base/os/sandbox.h"
#include "base/result.h"

namespace muster::agent {

struct PodNetwork {
  std::string bridge = {};                   // its name; empty: pods share this machine's network
  std::string cidr = "127.71.0.0/16";        // of all nodes together
  std::string gateway = "127.71.0.1";        // never a pod's address
  std::string services = "127.71.192.0/18";  // the last quarter: addresses of Services
  int prefix = 16;
  std::string reason = {};  // why there is no bridge, for people

  bool has_bridge() const { return !bridge.empty(); }
};

// Makes the bridge where it can. That of the folder where it has one and it is free.
PodNetwork choose_pod_network(const std::string& data_folder, Isolation isolation);

// The network that the folder's addresses are of, as "10.71.0.0/16"; empty: it does not say. Kept
// once they are.
std::string kept_network(const std::string& data_folder);
Result<> keep_network(const std::string& data_folder, const std::string& cidr);

// The network of ours that a node's range is a part of; empty: it is not.
std::string network_around(const std::string& range);

// Takes the bridge away. For `muster down`, after the pods are gone.
void remove_pod_network(const PodNetwork& network);

// The network that the folder leads to, given what the machine already has: that of its own bridge,
// else the one that it kept, else a free one of 10.64.0.0 to 10.127.0.0, each /16. Pure.
PodNetwork bridged_network(const std::string& data_folder, const std::vector<LinkAddress>& taken,
                           const std::string& kept = {});
PodNetwork loopback_network(const std::string& data_folder);

// The machine's end of a pod's cable.
std::string cable_name(const std::string& uid);

}  // namespace muster::agent
