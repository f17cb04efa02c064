// The Pod Security Standards: which of them a pod violates, at a level and in a version of them,
// in the words of kube-apiserver. Pure functions; which level a namespace wants is read in
// server/pod_security.h.
//
//   for (const Violation& each : violations_of({Level::restricted, 36}, pod["metadata"], spec)) …
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "objects/value.h"

namespace muster::server {

enum class SecurityLevel : std::uint8_t { privileged, baseline, restricted };

inline constexpr int latest_security_version = 1'000'000;

struct SecurityPolicy {
  SecurityLevel level = SecurityLevel::privileged;
  int minor = latest_security_version;  // of 1.x

  // `restricted:latest`, `baseline:v1.30`
  std::string to_string() const;
  friend bool operator==(const SecurityPolicy&, const SecurityPolicy&) = default;
};

struct Violation {
  std::string reason;
  std::string detail;
};

std::vector<Violation> violations_of(const SecurityPolicy& policy, objects::View metadata,
                                     objects::View spec);

// `privileged (container "c" must not set …), runAsUser=0 (…)`
std::string details_of(const std::vector<Violation>& violations);
// `privileged, runAsUser=0`
std::string reasons_of(const std::vector<Violation>& violations);

}  // namespace muster::server
