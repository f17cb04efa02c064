// SlowQuota: quota arithmetic a second time, by name and by definition: every figure is worked out
// from the quotas and from what each ClusterQueue uses, by walking the whole tree whenever somebody
// asks. Nothing is kept, nothing is incremental. What QuotaForest says is compared with it.
//
//   SlowQuota slow;
//   slow.nodes["research"] = {.quotas = {{{"h100", "gpu"}, {.nominal = 8}}}};
//   slow.nodes["team-a"] = {.is_queue = true, .parent = "research", …};
//   slow.available("team-a", {"h100", "gpu"})
//
// Assumes: names of queues and cohorts differ. A parent that is no node is a mistake.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::core {

class SlowQuota {
 public:
  using Pair = std::pair<std::string, std::string>;  // flavor, resource
  using Number = std::int64_t;

  struct Quota {
    Number nominal = 0;
    std::optional<Number> borrowing_limit = {};
    std::optional<Number> lending_limit = {};
  };

  struct Node {
    bool is_queue = false;
    bool takes_part = true;
    std::string parent = {};
    double weight = 1;
    std::map<Pair, Quota> quotas = {};
    std::map<Pair, Number> used = {};  // by the workloads of a queue
  };

  struct Share {
    double ratio = 0;
    std::string resource = {};
    bool is_borrowing = false;
  };

  std::map<std::string, Node> nodes;

  bool has_cycle(const std::string& name) const;
  std::vector<std::string> children(const std::string& name) const;  // all of them, by name
  bool names(const std::string& name, const Pair& pair) const;       // it or one below has quota
  std::vector<Pair> pairs() const;                                   // that anybody speaks of

  Number subtree(const std::string& name, const Pair& pair) const;
  Number local_quota(const std::string& name, const Pair& pair) const;
  Number usage(const std::string& name, const Pair& pair) const;
  Number available(const std::string& name, const Pair& pair) const;
  Number potential(const std::string& name, const Pair& pair) const;
  Share share(const std::string& name) const;
  int height(const std::string& name) const;

 private:
  Quota quota(const std::string& name, const Pair& pair) const;
  std::string root(const std::string& name) const;
};

}  // namespace muster::core
