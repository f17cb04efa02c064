// ClaimKeeper: binds claims to persistent volumes, makes volumes of the class `standard` as folders
// of this machine, and takes them away again (agent/claim_binding.h decides). There is one in a
// platform.
//
//   ClaimKeeper keeper(api, house, cache, data + "/claims", [&](std::string folder) { … });
//   keeper.look();                      // after any change of claims, volumes, classes or pods
//
// Assumes: the house thread; the cache follows pods, claims, volumes and classes and outlives it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "agent/claim_binding.h"
#include "base/unique_function.h"
#include "client/api.h"
#include "client/lifeline.h"
#include "client/list_watch.h"
#include "client/object_cache.h"

namespace muster::agent {

class ClaimKeeper {
 public:
  using Discard = UniqueFunction<void(std::string folder)>;

  ClaimKeeper(client::Api& api, client::House house, client::ObjectCache& cache,
              std::string claims_folder, Discard discard);

  void on_change(const client::CacheChange& change);
  void look();

 private:
  struct Consumer {
    bool is_there = false;
    std::string node = {};
  };

  void look_now();
  void make_default_class();
  void look_at_pods();
  void take(const ClaimStep& step, const objects::Value& claim);
  void call(client::Call call, const objects::Resource& resource);
  void tell(const objects::Value& claim, const ClaimStep& step);

  client::Api& api_;
  client::House house_;
  client::ObjectCache& cache_;
  const std::string claims_folder_;
  Discard discard_;
  std::map<std::string, Consumer, std::less<>> consumers_;  // by namespace/claim
  std::map<std::string, std::string, std::less<>> told_;    // by the claim's uid
  std::set<std::string, std::less<>> under_way_;            // objects that are being written
  bool is_planned_ = false;
  bool has_class_ = false;
  client::Lifeline lifeline_;
};

}  // namespace muster::agent
