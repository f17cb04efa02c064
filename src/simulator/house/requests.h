// The requests that lines of a script stand for: objects as a tenant would write them.
//
//   tenant.ask(request_of(line));
//
// Assumes: the line's verb is one of namespace, flavor, priority, queue, local-queue, quota,
// submit, delete-job and delete-namespace; the others need to know the world.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "agent/node_options.h"
#include "client/api.h"
#include "simulator/house/script.h"

namespace muster::simulator {

// Nothing for a verb that is no plain request.
std::optional<client::Call> request_of(const Line& line);

client::Call removal_of(const objects::Resource& resource, const objects::ObjectKey& key);

// The nodes of a `machine` line; `number` is that of the machine, for addresses of its own.
std::vector<agent::NodeOptions> nodes_of(const Line& line, std::size_t number);

// The same for what is there beside queued jobs (requests_rooms.cc).
std::optional<client::Call> room_request_of(const Line& line);

// What makes no sense, by its number (requests_nonsense.cc).
client::Call nonsense_of(const Line& line);
std::size_t nonsense_count();

// The pieces of all.
client::Call creation(const objects::Resource& resource, const std::string& name_space,
                      const std::string& text);
std::string pretend_annotations(const Line& line);  // how long a pretend pod runs, and its end
std::string pod_spec_of(const Line& line);

}  // namespace muster::simulator
