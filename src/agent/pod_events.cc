// SPDX-License-Identifier: Apache-2.0
#include "agent/pod_events.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/timestamp.h"
#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"

namespace muster::agent {

namespace {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

// kube-apiserver refuses longer ones.
constexpr std::size_t message_bytes_max = 1024;

Node reference_to(Builder& builder, View pod, std::string_view container) {
  Rewrite about{View()};
  about.set("apiVersion", Builder::literal("v1"));
  about.set("kind", Builder::literal("Pod"));
  about.set("name", builder.text(objects::name_of(pod)));
  about.set("namespace", builder.text(objects::namespace_of(pod)));
  about.set("uid", builder.text(objects::uid_of(pod)));
  about.set("resourceVersion", builder.text(objects::resource_version_of(pod)));
  if (!container.empty()) {
    about.set("fieldPath", builder.text(fmt::format("spec.containers{{{}}}", container)));
  }
  return about.finish(builder);
}

}  // namespace

void PodEvents::record(const Value& pod, std::string_view container, std::string_view type,
                       std::string_view reason, std::string_view message) {
  Builder builder;
  const std::string_view node = pod["spec"]["nodeName"].string_or("");
  const Node now = builder.text(format_time(Timestamp::of(house_.clock.wall())));
  Rewrite metadata{View()};
  metadata.set(
      "name", builder.text(fmt::format("{}.{:016x}", objects::name_of(pod), house_.random.next())));
  metadata.set("namespace", builder.text(objects::namespace_of(pod)));
  Rewrite source{View()};
  source.set("component", Builder::literal("kubelet"));
  source.set("host", builder.text(node));
  Rewrite event{View()};
  event.set("apiVersion", Builder::literal("v1"));
  event.set("kind", Builder::literal("Event"));
  event.set("metadata", metadata.finish(builder));
  event.set("involvedObject", reference_to(builder, pod, container));
  event.set("reason", builder.text(reason));
  event.set("message", builder.text(message.substr(0, message_bytes_max)));
  event.set("source", source.finish(builder));
  event.set("firstTimestamp", now);
  event.set("lastTimestamp", now);
  event.set("count", Builder::integer(1));
  event.set("type", builder.text(type));
  event.set("reportingComponent", Builder::literal("kubelet"));
  event.set("reportingInstance", builder.text(node));
  const Node made = event.finish(builder);
  api_.call({.verb = client::Verb::create,
             .resource = objects::resources::events,
             .name_space = std::string(objects::namespace_of(pod)),
             .body = std::move(builder).finish(made)},
            [](const Result<Value>&) {});
}

}  // namespace muster::agent
