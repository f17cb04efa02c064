// Usage: where the API server gets from what pods and nodes use. Declared here, implemented by
// agent/, joined in main/; metrics.h shows it as metrics.k8s.io.
//
//   if (const auto used = usage.pod(uid)) …
//
// Assumes: called on the house thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"

namespace muster::server {

struct ContainerUsage {
  std::string name = {};  // empty: of a node
  std::int64_t nanocores = 0;
  std::int64_t memory_bytes = 0;
};

struct Usage {
  Instant taken = {};
  Span window = {};                             // between the two measurements it was made of
  std::vector<ContainerUsage> containers = {};  // of a node, one
};

class UsageSource {
 public:
  virtual ~UsageSource() = default;

  // Nothing where nobody has measured it, or not often enough.
  virtual std::optional<Usage> pod(std::string_view uid) const = 0;
  virtual std::optional<Usage> node(std::string_view name) const = 0;
};

}  // namespace muster::server
