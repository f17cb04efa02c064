// Surroundings: what a pod's specification refers to beyond the pod itself, gathered before it is
// started: its node, its address, the ConfigMaps and Secrets it names, its tokens, the Services it
// is told of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agent/images.h"
#include "agent/node_options.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::agent {

inline constexpr objects::Resource secret_resource{"", "v1", "secrets", "Secret"};
inline constexpr objects::Resource claim_resource{"", "v1", "persistentvolumeclaims",
                                                  "PersistentVolumeClaim"};
inline constexpr objects::Resource volume_resource{"", "v1", "persistentvolumes",
                                                   "PersistentVolume"};
inline constexpr objects::Resource class_resource{"storage.k8s.io", "v1", "storageclasses",
                                                  "StorageClass"};
inline constexpr objects::Resource account_resource{"", "v1", "serviceaccounts", "ServiceAccount"};

// A token of the pod's service account, as a projected volume asks for it.
struct TokenWish {
  std::string audience = {};  // empty: the API server's
  std::int64_t seconds = 3600;

  friend auto operator<=>(const TokenWish&, const TokenWish&) = default;
};

// Of a projection `serviceAccountToken`.
inline TokenWish token_wish_of(objects::View projection) {
  return {.audience = std::string(projection["audience"].string_or("")),
          .seconds = projection["expirationSeconds"].integer_or(3600)};
}

struct Surroundings {
  const NodeOptions& node;
  std::string address = {};  // of the pod
  // Those of the pod's namespace that the pod names and that exist.
  std::map<std::string, objects::Value, std::less<>> config_maps = {};
  std::map<std::string, objects::Value, std::less<>> secrets = {};
  std::map<TokenWish, std::string> tokens = {};
  std::map<std::string, std::string, std::less<>> services = {};  // variables that tell of them
  // Claims that the pod names, and the persistent volumes that they are bound to, by name.
  std::map<std::string, objects::Value, std::less<>> claims = {};
  std::map<std::string, objects::Value, std::less<>> volumes = {};
  std::vector<std::string> host_paths = {};  // folders of the machine that pods may mount from
  // Of containers that run from images, by container.
  std::map<std::string, ImageFacts, std::less<>> images = {};
  bool has_secrets = true;  // false: nobody looks at them, all of them read as empty
};

}  // namespace muster::agent
