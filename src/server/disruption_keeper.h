// DisruptionKeeper: keeps the status of PodDisruptionBudgets true while pods come, become ready and
// go. Nothing depends on it: evictions count for themselves (server/disruption.h). It is for those
// who look, and for tools that read disruptionsAllowed.
//
//   DisruptionKeeper keeper(context);
//   keeper.start();                          // the cache is loaded
//   cache.set_on_change([&](const CacheChange& change) { keeper.on_change(change); });
//
// Assumes: the house thread. Nothing is remembered but where there are budgets at all: a namespace
// without one costs nothing. Changes of pods are gathered for a moment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "server/context.h"
#include "server/object_cache.h"

namespace muster::server {

class DisruptionKeeper {
 public:
  explicit DisruptionKeeper(Context& context);
  DisruptionKeeper(const DisruptionKeeper&) = delete;
  DisruptionKeeper& operator=(const DisruptionKeeper&) = delete;

  void start();
  void on_change(const CacheChange& change);

 private:
  void owe(const std::string& name_space);
  void owe_later(const std::string& name_space, Span after);
  void turn();
  void settle(const CachedObject& budget);

  Context& context_;
  std::map<std::string, std::size_t> budgets_;  // how many there are, by namespace
  std::set<std::string> owed_;                  // namespaces
  std::set<std::string> later_;                 // namespaces that a timer will look at
  bool turn_posted_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace muster::server
