// The objects by which a node is known: its Node and its Lease, as they should be. Pure: objects
// and options in, objects out. Whoever writes them compares with what is there.
//
//   Value node = node_to_register(options, machine, now);
//   Value next = registered_node(seen, options);          // labels, annotations
//   Value next = node_with_status(seen, options, machine, now);
//   Value next = renewed_lease(seen, now);
//
// Assumes: what others wrote (labels, taints, conditions of other types, spec.unschedulable) stays.
// Taints and the range of pod addresses are given once, at registration, as kubelet does it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "agent/images.h"
#include "agent/node_options.h"
#include "base/instant.h"
#include "objects/value.h"

namespace muster::agent {

// How often a Lease is renewed and how long it holds, as kubelet has it.
inline constexpr Span lease_renewal_span = Span::of_seconds(10);
inline constexpr std::int64_t lease_seconds = 40;
inline constexpr std::string_view lease_namespace = "kube-node-lease";

// Devices of the node that are declared, not found.
inline constexpr std::string_view devices_annotation = "muster.dev/devices";

// What stands in status.nodeInfo.
struct MachineFacts {
  std::string architecture = "amd64";
  std::string kernel_version = {};
  std::string os_image = {};
  std::string machine_id = {};
  std::string boot_id = {};
  std::string version = "v0.0.0";      // Muster's, where kubelet says its own
  std::string runtime = "pretend://";  // "host://0.1"
};

objects::Value node_to_register(const NodeOptions& options, const MachineFacts& machine,
                                Instant now);

// The seen node with its labels and annotations; the same value when nothing is missing.
objects::Value registered_node(const objects::Value& seen, const NodeOptions& options);

// The seen node with capacity, addresses, nodeInfo and its conditions; Ready is True. The same
// value when that is what it says.
objects::Value node_with_status(const objects::Value& seen, const NodeOptions& options,
                                const MachineFacts& machine, Instant now);

// The node with the images that are on its machine. The same value when that is what it says.
objects::Value node_with_images(const objects::Value& node, const std::vector<NodeImage>& images);

objects::Value lease_to_create(const objects::Value& node, Instant now);
objects::Value renewed_lease(const objects::Value& seen, const objects::Value& node, Instant now);

}  // namespace muster::agent
