// ProvisioningLoop: Kueue's controller of ProvisioningRequests (core/queueing/provision.h), and,
// where there is no autoscaler, the one that answers them with the nodes that are there
// (core/lifecycle/run_provisioning_request.h).
//
// Assumes: the house thread; made before the cache starts; started after it has synced.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/object_cache.h"
#include "control/key_loop.h"

namespace muster::control {

class ProvisioningLoop {
 public:
  enum class Provider : std::uint8_t { none, embedded };

  ProvisioningLoop(client::House house, client::ObjectCache& cache, Writer& writer,
                   Provider provider);

  void start();
  void stop() { loop_.stop(); }
  bool is_idle() const { return loop_.is_idle(); }

 private:
  void on_change(const client::CacheChange& change);
  void mark_workloads();
  void mark_all(const objects::Resource& resource);
  Step look_at(const Subject& subject);
  Step look_at_workload(const objects::Value& workload);
  Step look_at_request(const objects::Value& request);

  client::House house_;
  client::ObjectCache& cache_;
  Provider provider_;
  bool started_ = false;
  std::string booking_;  // uid of the request that is being given its capacity; empty: none
  KeyLoop loop_;
};

}  // namespace muster::control
