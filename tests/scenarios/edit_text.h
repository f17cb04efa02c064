// Edits as scenarios print them: what is written, and of an update only what differs from the
// object that was there.
//
//   - update jobs a/train: {spec.suspend: false, status.startTime: removed}
//   - "event Normal Started on jobs a/train: Admitted by clusterQueue cq"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "core/edit.h"
#include "objects/value.h"

namespace muster::scenarios {

// `before` holds the objects that updates are compared with, by uid or name.
objects::Value edits_value(std::span<const core::Edit> edits,
                           std::span<const objects::Value> before);

// The scenario's `now`, and a list member of its `given`.
Result<Instant> now_of(const objects::Value& scenario);
std::vector<objects::Value> list_in(const objects::Value& scenario, std::string_view key);

}  // namespace muster::scenarios
