// SPDX-License-Identifier: Apache-2.0
#include "objects/convert_event.h"

#include <utility>

#include "objects/builder.h"
#include "objects/rewrite.h"

namespace muster::objects {

namespace {

struct Names {
  std::string_view core;
  std::string_view events;
};

constexpr Names renamed[] = {
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
};

}  // namespace

Value convert_event(const Value& event, std::string_view api_version) {
  if (event["apiVersion"].string_or("") == api_version) return event;
  const bool to_core = api_version == "v1";
  Builder builder;
  builder.retain(event);
  Rewrite root(event);
  for (const Names& names : renamed) {
    root.rename(to_core ? names.events : names.core, to_core ? names.core : names.events);
  }
  root.set("apiVersion", builder.text(api_version));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

}  // namespace muster::objects
