// SPDX-License-Identifier: Apache-2.0
#include "control/live_configuration.h"

#include <fmt/format.h>

#include <utility>

#include "objects/metadata.h"

namespace muster::control {

using objects::Value;
using objects::View;

namespace {

bool is_it(View map) {
  return objects::name_of(map) == core::configuration_name &&
         objects::namespace_of(map) == core::configuration_namespace;
}

}  // namespace

LiveConfiguration::LiveConfiguration(client::ObjectCache& cache, EventRecorder& events,
                                     core::Configuration started_with)
    : events_(events), started_with_(std::move(started_with)), current_(started_with_) {
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
}

client::Selection LiveConfiguration::selection() {
  return {.resource = objects::resources::config_maps,
          .name_space = std::string(core::configuration_namespace),
          .field_selector = fmt::format("metadata.name={}", core::configuration_name)};
}

void LiveConfiguration::on_change(const client::CacheChange& change) {
  if (!(change.resource == objects::resources::config_maps) || !is_it(change.object())) return;
  if (change.before && change.after && change.before["data"] == change.after["data"]) return;
  if (change.after.is_absent()) {
    current_ = started_with_;
  } else {
    auto read = core::read_configuration_map(change.after);
    if (!read) {
      say(change.after, true, "InvalidConfiguration",
          fmt::format("The configuration is not used, the one before it stays: {}",
                      read.error().to_string()));
      return;
    }
    if (read->source.view() == current_.source.view()) return;
    current_ = *std::move(read);
    say(change.after, false, "Configured", "The configuration is in use");
  }
  for (Listener& listener : listeners_) listener();
}

void LiveConfiguration::say(const Value& map, bool warning, std::string reason,
                            std::string message) {
  events_.record({.resource = objects::resources::config_maps,
                  .about = map,
                  .warning = warning,
                  .reason = std::move(reason),
                  .message = std::move(message),
                  .component = "kueue-manager"});
}

}  // namespace muster::control
