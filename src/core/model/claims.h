// Claims: the persistent volume claims, volumes and storage classes that say where pods may stand,
// and on which nodes claims are in use: by pods that are bound there, and by room that is kept for
// pods of a gang.
//
//   claims.show_claim(object);                      // true: somebody who waits may go on
//   claims.use("a/data", node, 1);
//   const Claim* claim = claims.find("a/data");
//
// Assumes: few of them. Objects that cannot be read count as absent fields.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "core/model/ids.h"
#include "core/model/scheduling_terms.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core {

inline constexpr objects::Resource persistent_volumes{"", "v1", "persistentvolumes",
                                                      "PersistentVolume", objects::Scope::cluster};
inline constexpr objects::Resource storage_classes{"storage.k8s.io", "v1", "storageclasses",
                                                   "StorageClass", objects::Scope::cluster};

// Names of claims that the pods of a spec share, sorted. Claims that each pod has of its own
// (ephemeral ones) keep nobody away.
using ClaimNames = std::vector<std::string>;
ClaimNames read_claim_names(objects::View pod_spec);

// Who may use a claim at a time.
enum class ClaimAccess : std::uint8_t { many_nodes, one_node, one_pod };

struct Claim {
  ClaimAccess access = ClaimAccess::many_nodes;
  bool is_bound = false;  // for good: its volume is known and the binding is complete
  bool is_lost = false;   // its volume is gone
  bool is_being_deleted = false;
  bool names_volume = false;
  std::string volume = {};
  std::string class_name = {};
  std::string mode = {};                // Filesystem, Block
  std::vector<std::string> modes = {};  // accessModes
  Labels selector = {};                 // matchLabels
  Quantity request = {};

  friend bool operator==(const Claim&, const Claim&) = default;
};

struct Volume {
  bool is_available = false;  // of nobody
  std::string class_name = {};
  std::string mode = {};
  std::vector<std::string> modes = {};
  Labels labels = {};
  Quantity capacity = {};
  bool has_affinity = false;
  std::vector<NodeSelectorTerm> affinity = {};  // one of them must hold, where has_affinity

  bool is_reachable_from(const Labels& node_labels, std::string_view node_name) const;

  // Of nobody, of the same class, large enough, with the modes and labels that are asked for.
  bool suits(const Claim& claim) const;
};

Claim read_claim(objects::View object);
Volume read_volume(objects::View object);

struct StorageClass {
  bool waits_for_consumer = false;
  bool provisions = false;                        // makes volumes for claims
  std::vector<NodeSelectorTerm> topologies = {};  // allowedTopologies; empty: everywhere
};

class Claims {
 public:
  // Each answers whether somebody who waits may go on. Absent: by its key it is gone.
  bool show_claim(std::string_view key, objects::View object);
  bool show_volume(std::string_view name, objects::View object);
  bool show_class(std::string_view name, objects::View object);

  // More or fewer users of the claim on the node.
  void use(const std::string& key, NodeId node, std::int64_t change);

  // Whoever asks about a cluster of which nothing of this kind is told is not held up by it.
  bool are_told() const { return !claims_.empty() || !volumes_.empty() || !classes_.empty(); }

  const Claim* find(std::string_view key) const;
  const Volume* find_volume(std::string_view name) const;
  const StorageClass* find_class(std::string_view name) const;

  // Nodes on which it is in use; empty: nowhere.
  const std::map<NodeId, std::int64_t>& users_of(std::string_view key) const;

  // Whether a volume that is there could be given to the claim on that node.
  bool has_volume_for(const Claim& claim, const Labels& node_labels,
                      std::string_view node_name) const;

 private:
  std::map<std::string, Claim, std::less<>> claims_;
  std::map<std::string, Volume, std::less<>> volumes_;
  std::map<std::string, StorageClass, std::less<>> classes_;
  std::map<std::string, std::map<NodeId, std::int64_t>, std::less<>> users_;
};

}  // namespace muster::core
