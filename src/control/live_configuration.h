// LiveConfiguration: Kueue's Configuration as it stands in the ConfigMap
// kueue-system/kueue-manager-config under controller_manager_config.yaml, followed live. One that
// cannot be read changes nothing: the one before stays, and an Event on the ConfigMap says which
// field is wrong. Without the ConfigMap it is what the controllers were started with.
//
//   LiveConfiguration configuration(cache, events, policy.kueue);
//   configuration.when_changed([&] { … configuration.current() … });
//
// Assumes: the house thread; made, and listened to, before the cache starts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/unique_function.h"
#include "client/object_cache.h"
#include "control/events.h"
#include "core/model/configuration.h"

namespace muster::control {

class LiveConfiguration {
 public:
  LiveConfiguration(client::ObjectCache& cache, EventRecorder& events,
                    core::Configuration started_with);
  LiveConfiguration(const LiveConfiguration&) = delete;
  LiveConfiguration& operator=(const LiveConfiguration&) = delete;

  // What the cache has to follow.
  static client::Selection selection();

  const core::Configuration& current() const { return current_; }

  using Listener = UniqueFunction<void()>;
  void when_changed(Listener listener) { listeners_.push_back(std::move(listener)); }

 private:
  void on_change(const client::CacheChange& change);
  void say(const objects::Value& map, bool warning, std::string reason, std::string message);

  EventRecorder& events_;
  const core::Configuration started_with_;
  core::Configuration current_;
  std::vector<Listener> listeners_;
};

}  // namespace muster::control
