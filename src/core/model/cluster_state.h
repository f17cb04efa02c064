// ClusterState: everything a decision depends on, kept current event by event: flavors, queues,
// quota and usage, workloads in their queues, nodes and what their pods occupy, addresses in use.
// Objects are read once, when they come (read_<kind>.h), into dense structs under dense ids.
//
//   state.apply(event);
//   Plan cycle = plan(state, policy);
//   state.assume(cycle);
//
// Assumes: one thread. Events may come in any order between kinds: a Workload before its queue, a
// Pod before its node; but plan() is not asked before every kind was listed once, because a node
// that a gang stands on and that is not there has failed. An object that was removed does not come
// back under its uid. Ids never order anything; names and timestamps do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/model/configuration.h"
#include "core/model/event.h"
#include "objects/resource.h"

namespace muster::core {

struct Plan;
struct Tables;

class ClusterState {
 public:
  ClusterState();
  // With Kueue's configuration, where it is not the default one.
  explicit ClusterState(Configuration configuration);
  ~ClusterState();
  ClusterState(ClusterState&&) noexcept;
  ClusterState& operator=(ClusterState&&) noexcept;

  // Never fails: an object that cannot be read is kept with the reason why, and waits with it.
  void apply(const Event& event);
  // The same one after the other. Faster: what the next ones are about is fetched meanwhile.
  void apply(std::span<const Event> events);

  // Decisions count from the moment they are made: quota and places are taken, heads leave their
  // queues. The event of the written object takes the assumption's place. The plan must be the last
  // one that plan() made of this state.
  void assume(const Plan& plan);

  // The write did not happen: the assumption is undone and the workload or pod is looked at again.
  // Not to be called while the outcome is unknown, nor for a write that was answered with success.
  // `uid` is that of the object the write was for: a successor of the same name has writes of its
  // own under way. Empty: whichever is there.
  void forget(const objects::Resource& resource, const objects::ObjectKey& key,
              std::string_view uid = {});

  // Pods that no queue manages are work, and pods that somebody else has put on a node: as long as
  // nobody says that a cluster has its own scheduler for the ones and kubelets for the others.
  void place_pods(bool places);

  // What an event may have made admissible is looked at again at once. Held back, it is only noted
  // until retry_inadmissible(): Kueue gathers such notes for a second, and a document of its cycles
  // has to say when that second is over.
  void hold_retries(bool holds);
  void retry_inadmissible();

  // Everyone who waits becomes active, in back-off or not: as when Kueue starts and lists its
  // queues.
  void activate_all();

  // Whether some head has not been tried since the last thing that could have changed its answer.
  bool has_work() const;

  // When has_work() may change by the passing of time alone: the end of the next back-off.
  std::optional<Instant> next_tick() const;

  Instant now() const;

  // For the phases of core.
  Tables& tables();
  const Tables& tables() const;

 private:
  void apply_workload(const Event& event, std::uint32_t hash);  // of its key
  void apply_other(const Event& event);

  std::unique_ptr<Tables> tables_;
};

}  // namespace muster::core
