// The pods of things that keep a number of them alike (ReplicaSet, StatefulSet): which of them
// count, which are ready and since when long enough, which go first when there are too many, and
// how one is made from a template.
//
//   const auto pods = count_replicas(owned, {.minimum_ready_seconds = 10, .now = now});
//   edits.push_back(Edit::create(resources::pods, pod_of_template(resources::replica_sets, set)));
//
// Assumes: objects that their schemas admitted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/instant.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core {

// Neither ended nor being deleted.
bool is_active_replica(objects::View pod);

bool is_ready_replica(objects::View pod);

// When a pod that is ready will have been so for long enough; absent: it is not ready.
std::optional<Instant> available_at(objects::View pod, std::int64_t minimum_ready_seconds);

// The active ones, those that should go first in front: not bound, pending, not ready, ready for a
// shorter time, restarted more often, newer.
std::vector<objects::Value> in_order_of_removal(std::span<const objects::Value> pods);

// From spec.template of the owner, with an owner reference, in its namespace, without a name.
objects::Value pod_of_template(const objects::Resource& resource, const objects::Value& owner);

// Letters of the kind that generateName appends, following from the text.
std::string suffix_following(std::string_view text, std::size_t length);

}  // namespace muster::core
