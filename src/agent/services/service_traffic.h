// ServiceTraffic: what ServiceTable finds on the house thread, told to ServiceProxy on the loop of
// traffic. Changes of one turn are told together.
//
//   ServiceTraffic traffic(house, loop, {.network = …, .services = …, .node_address = …}, log);
//   agent.follow([&](const client::CacheChange& change) { traffic.apply(change); });
//
// Assumes: house and loop outlive it, and neither runs any more when it is destroyed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/services/service_proxy.h"
#include "agent/services/service_table.h"
#include "base/executor.h"

namespace muster::agent {

class ServiceTraffic {
 public:
  ServiceTraffic(Executor& house, PollLoop& loop, ServiceTableOptions options, Log log);

  void apply(const client::CacheChange& change);

 private:
  void tell();

  Executor& house_;
  PollLoop& loop_;
  ServiceTable table_;
  ServiceProxy proxy_;
  bool is_posted_ = false;
};

}  // namespace muster::agent
