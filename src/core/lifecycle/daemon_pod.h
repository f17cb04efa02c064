// The pods of a DaemonSet: which node one is for, whether a node should have one, and how it is
// made.
//
//   const DaemonTemplate wanted(set);
//   if (wanted.fit(node).should_run) pods.push_back(wanted.pod("n1", hash));
//
// Assumes: the set was admitted by its schema.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/scheduling_terms.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core {

inline constexpr objects::Resource daemon_sets{"apps", "v1", "daemonsets", "DaemonSet"};

// The node that a pod of a DaemonSet is on or was made for; empty: none can be told.
std::string_view daemon_node_of(objects::View pod);

struct DaemonFit {
  bool should_run = false;
  bool may_stay = false;  // one that is there already
};

class DaemonTemplate {
 public:
  explicit DaemonTemplate(const objects::Value& set);

  DaemonFit fit(objects::View node) const;

  // Without a name; `hash` is the one of the present template.
  objects::Value pod(std::string_view node, std::string_view hash) const;

 private:
  objects::Value set_;
  objects::Value tolerations_;
  SchedulingTerms terms_;
  bool can_be_read_ = false;
};

}  // namespace muster::core
