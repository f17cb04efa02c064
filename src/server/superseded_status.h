// SupersededStatus: speaks for those who do not run because Muster does their work
// (server/superseded.h). A Deployment of theirs reports that it is available, so that an installer
// that waits for it goes on; an APIService says whether its group is answered here.
//
//   SupersededStatus status(context);
//   status.start();                          // the cache is loaded
//   cache.set_on_change([&](const CacheChange& change) { status.on_change(change); });
//
// Assumes: the house thread. Nothing is remembered: what an object should say follows from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>

#include "server/context.h"
#include "server/object_cache.h"
#include "server/write.h"

namespace muster::server {

class SupersededStatus {
 public:
  explicit SupersededStatus(Context& context);
  SupersededStatus(const SupersededStatus&) = delete;
  SupersededStatus& operator=(const SupersededStatus&) = delete;

  void start();
  void on_change(const CacheChange& change);

 private:
  void owe(const std::string& uid);
  void post_turn();
  void turn();
  void settle(const CachedObject& object);

  Context& context_;
  std::set<std::string> owed_;  // uids
  bool turn_posted_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

// What a Deployment says whose pods are not needed: all of them are there and ready.
objects::Value with_available_status(const objects::Value& deployment, Instant now);

// Whether a group that an APIService announces is answered by this server.
objects::Value with_service_status(const Context& context, const objects::Value& api_service,
                                   Instant now);

}  // namespace muster::server
