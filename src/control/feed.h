// Feed: what the caches hear becomes the events that go into a ClusterState, in one order, and into
// the record. Time enters as a tick before a decision.
//
//   Feed feed(cache, clock, [&](const core::Event& event) { state.apply(event); });
//   feed.configure(policy);
//   feed.tick();
//
// Assumes: the house thread; made before the cache starts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "client/object_cache.h"
#include "core/model/event.h"
#include "core/plan/plan.h"
#include "objects/resource.h"

namespace muster::control {

// What decisions depend on.
std::span<const objects::Resource> scheduled_resources();

class Feed {
 public:
  using Listener = UniqueFunction<void(const core::Event&)>;

  Feed(client::ObjectCache& cache, const Clock& clock, Listener listener);
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  void configure(const core::Policy& policy);
  void tick();

  // Everything that a new state must hear to be like the present one.
  std::vector<core::Event> snapshot() const;

  std::uint64_t events() const { return events_; }  // so far

 private:
  void on_change(const client::CacheChange& change);
  void tell(const core::Event& event);

  client::ObjectCache& cache_;
  const Clock& clock_;
  Listener listener_;
  core::Event config_;
  std::uint64_t events_ = 0;
};

objects::Value to_value(const core::Policy& policy);
Result<core::Policy> policy_of(const objects::Value& value);

}  // namespace muster::control
