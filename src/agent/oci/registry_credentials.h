// RegistryCredentials: what a pod may show to registries. The Secrets that it names in
// imagePullSecrets, joined into one configuration of docker's form, which skopeo reads; of two that
// speak of the same registry the first counts.
//
//   const auto credentials = registry_credentials(pod, [&](const std::string& name) { … });
//   images.pull("ghcr.io/me/trainer", credentials.config, …);
//
// Assumes: Secrets of the types kubernetes.io/dockerconfigjson and kubernetes.io/dockercfg. What
// cannot be found or read is named, and the pull is tried without it, as a kubelet does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "objects/value.h"

namespace muster::agent {

// As much as a pipe holds that nobody reads yet.
inline constexpr std::size_t credentials_bytes_max = 60'000;

struct RegistryCredentials {
  std::string config;                // {"auths": {…}}; empty: none
  std::vector<std::string> missing;  // Secrets
};

RegistryCredentials registry_credentials(
    objects::View pod, const std::function<objects::Value(const std::string& name)>& find_secret);

}  // namespace muster::agent
