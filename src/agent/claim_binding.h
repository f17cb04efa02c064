// Which persistent volume a claim gets: one that is there and fits, or one that is made for it as a
// folder of the machine; and what becomes of a volume whose claim is gone. Pure: each look gives
// the next write, until there is none.
//
//   const ClaimStep step = step_of_claim(claim, world);
//   const ClaimStep step = step_of_volume(volume, claim_of_it);
//
//   Pending ── volume's claimRef ─► volume's status ─► claim's volumeName ─► claim's status ─►
//   Bound
//      └── none fits: an event says what it waits for
//   Bound volume, claim gone ─► Released ─► removed where its reclaim policy is Delete
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "objects/value.h"

namespace muster::agent {

// The provisioner of the classes whose volumes are folders of this machine, and the first of them.
inline constexpr std::string_view local_provisioner = "muster.dev/local-folder";
inline constexpr std::string_view default_class_name = "standard";

struct ClaimWorld {
  std::vector<objects::Value> volumes;  // all persistent volumes
  objects::Value storage_class = {};    // the claim's; absent: there is none of that name
  bool has_consumer = false;            // a pod names the claim
  std::string consumer_node = {};       // and is bound there
  objects::Value node_labels = {};      // of that node
  std::string claims_folder = {};       // where new volumes lie
};

struct ClaimStep {
  enum class Kind : std::uint8_t {
    none,
    make_volume,
    update_volume,
    update_volume_status,
    remove_volume,
    update_claim,
    update_claim_status,
  };
  Kind kind = Kind::none;
  objects::Value object = {};
  // To tell about the claim; empty: nothing.
  bool is_warning = false;
  std::string reason = {};
  std::string message = {};
};

ClaimStep step_of_claim(const objects::Value& claim, const ClaimWorld& world);

// `claim` is the one that its claimRef names, absent when it is gone.
ClaimStep step_of_volume(const objects::Value& volume, const objects::Value& claim);

// The class that claims get which name none.
objects::Value default_class();

// The claim of a generic ephemeral volume of a pod.
objects::Value ephemeral_claim(const objects::Value& pod, objects::View volume);

}  // namespace muster::agent
