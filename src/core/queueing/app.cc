// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/app.h"

#include <fmt/format.h>

#include "core/queueing/job_queue.h"
#include "core/queueing/pod_words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

const App* find_app(const objects::Resource& resource) {
  for (const App* app : {&deployment_app, &stateful_set_app}) {
    if (app->resource == resource) return app;
  }
  return nullptr;
}

bool belongs_to_another(const App& app, View object) {
  const View parent = objects::annotations_of(object["spec"]["template"])[words::suspending_parent];
  return parent.is_string() && parent.string_or("") != app.integration;
}

std::optional<Edit> tell_unmanaged(const App& app, const Value& object, const JobScope& scope,
                                   View name_space) {
  const bool is_new = !object["status"]["observedGeneration"];
  if (!is_new || objects::is_being_deleted(object)) return std::nullopt;
  const Unmanaged why = why_unmanaged(scope, app.integration, object, name_space);
  if (why.sentence.empty()) return std::nullopt;
  return Edit::record({.resource = app.resource,
                       .about = object,
                       .warning = why.is_warning,
                       .reason = "NotManaged",
                       .message = why.sentence,
                       .component = fmt::format("{}-kueue-controller", app.integration)});
}

}  // namespace muster::core
