// NodeOptions: a node as it is declared on the command line, and the reader of that text.
//
//   parse_node_option("name=n1,cpu=8,memory=16Gi,nvidia.com/gpu=4")
//   parse_node_option("name=n2,cpu=8,memory=16Gi,labels=zone=a;disk=ssd,taints=gpu=yes:NoSchedule")
//
// `name` comes first or anywhere; `podCIDR`, `address`, `labels` and `taints` are what they say;
// `runtime=pretend` makes a node whose pods are no processes; every other key is a resource and
// its value a quantity.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"

namespace muster::agent {

struct NodeTaint {
  std::string key;
  std::string value;
  std::string effect;  // "NoSchedule", "PreferNoSchedule", "NoExecute"

  friend bool operator==(const NodeTaint&, const NodeTaint&) = default;
};

struct NodeOptions {
  std::string name;
  std::map<std::string, Quantity> capacity = {};  // `pods` is 110 unless it is here
  std::map<std::string, std::string> labels = {};
  std::vector<NodeTaint> taints = {};  // given to the node when it registers, as kubelet does
  std::string pod_cidr = {};           // the addresses of its pods
  std::string address = {};            // its own
  bool is_pretended = false;           // its pods are no processes
  bool devices_are_simulated = false;  // said in an annotation, and on screen
};

// Errors are bad_request and name the part that is wrong. A node that declares extended resources
// declares devices that nobody looked for: they are simulated.
Result<NodeOptions> parse_node_option(std::string_view text);

// Several of them, of different names.
Result<std::vector<NodeOptions>> parse_node_options(std::span<const std::string> texts);

// What a machine that nobody declared is called: its own name as far as a node can have it, in
// small letters; "localhost" where nothing is left of it.
std::string node_name_of(std::string_view host_name);

}  // namespace muster::agent
