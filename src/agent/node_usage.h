// NodeUsage: what the containers of an agent use, measured every ten seconds on the disk's
// background lane (reading /proc blocks), and every second while a container is so new that it has
// only one measurement. A rate is what lies between the last two.
//
//   NodeUsage usage(agent, disk, house, NodeUsage::Extent::of_pods);
//   usage.start();
//   const auto pod = usage.pod(uid);            // nothing before two measurements of all
//   containers const auto node = usage.node("n1");
//
// Assumes: the house thread; the agent outlives it. Where the agent's node is this machine, that is
// all that runs on it; of nodes that were declared smaller, each is the sum of its pods.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/node_agent.h"
#include "base/disk.h"
#include "base/os/process_usage.h"

namespace muster::agent {

struct UsageRate {
  std::string name = {};  // of the container; empty: of a node
  std::int64_t nanocores = 0;
  std::int64_t memory_bytes = 0;
};

struct MeasuredUsage {
  Instant taken = {};
  Span window = {};
  std::vector<UsageRate> rates = {};  // one for each container; of a node, one
};

class NodeUsage {
 public:
  enum class Extent : bool { of_pods, of_machine };

  NodeUsage(const NodeAgent& agent, Disk& disk, client::House house, Extent extent)
      : agent_(agent), disk_(disk), house_(house), extent_(extent) {}

  void start() { measure(); }

  std::optional<MeasuredUsage> pod(std::string_view uid) const;
  std::optional<MeasuredUsage> node(std::string_view name) const;

 private:
  using Key = std::pair<std::string, std::string>;  // uid of the pod, container
  struct Sample {
    ProcessUsage used = {};
    MonotonicInstant at = {};
    Instant wall = {};
    std::int64_t process = 0;
  };
  struct Series {
    std::optional<Sample> before = {};
    Sample last = {};
  };
  struct Round {
    std::vector<std::pair<Key, Sample>> containers = {};
    std::optional<Sample> machine = {};
  };

  void measure();
  void on_measured(Round round);
  static std::optional<MeasuredUsage> rate_of(const Series& series, std::string name);
  static void add(Series& series, const Sample& sample);

  const NodeAgent& agent_;
  Disk& disk_;
  client::House house_;
  const Extent extent_;
  std::map<Key, Series> containers_;
  Series machine_;
  client::Lifeline lifeline_;
};

}  // namespace muster::agent
