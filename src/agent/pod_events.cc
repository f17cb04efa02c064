// SPDX-License-Identifier: Apache-2.0
#include "agent/pod_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "agent/container_turn.h"
#include "agent/limits.h"
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

// client-go's: what one object may say at once, and how long it takes to say one more.
constexpr std::int64_t events_at_once_max = 25;
constexpr Span event_interval = Span::of_seconds(300);

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
    const bool is_main = role_of(pod, container) == ContainerRole::main;
    about.set("fieldPath",
              builder.text(fmt::format("spec.{}{{{}}}", is_main ? "containers" : "initContainers",
                                       container)));
  }
  return about.finish(builder);
}

}  // namespace

bool PodEvents::is_heard(const std::string& uid) {
  if (said_->pods.size() >= event_pods_max) said_->pods.clear();
  const MonotonicInstant now = house_.clock.monotonic();
  const auto [at, is_new] = said_->pods.try_emplace(uid, Patience{events_at_once_max, now});
  Patience& patience = at->second;
  const std::int64_t regained = (now - patience.since).nanoseconds / event_interval.nanoseconds;
  if (regained > 0) {
    patience.left = std::min(events_at_once_max, patience.left + regained);
    patience.since = now;
  }
  if (patience.left == 0) return false;
  --patience.left;
  return true;
}

void PodEvents::count_again(const Value& pod, const std::string& key, Entry& entry) {
  ++entry.count;
  const std::string now = format_time(Timestamp::of(house_.clock.wall()));
  api_.call({.verb = client::Verb::patch,
             .resource = objects::resources::events,
             .name_space = std::string(objects::namespace_of(pod)),
             .name = entry.name,
             .body = Value::object(
                 {{"count", Value::integer(entry.count)}, {"lastTimestamp", Value::string(now)}})},
            [weak = std::weak_ptr<Said>(said_), key](const Result<Value>& answer) {
              const auto said = weak.lock();
              if (!answer && said != nullptr) said->entries.erase(key);
            });
}

void PodEvents::record(const Value& pod, std::string_view container, std::string_view type,
                       std::string_view reason, std::string_view message) {
  const std::string uid(objects::uid_of(pod));
  if (!is_heard(uid)) return;
  const std::string key = fmt::format("{}/{}/{}/{}/{}", uid, container, type, reason, message);
  const auto said = said_->entries.find(key);
  if (said != said_->entries.end()) return count_again(pod, key, said->second);
  Builder builder;
  const std::string name = fmt::format("{}.{:016x}", objects::name_of(pod), house_.random.next());
  if (said_->entries.size() >= events_remembered_max) said_->entries.clear();
  said_->entries.emplace(key, Entry{.name = name});
  const std::string_view node = pod["spec"]["nodeName"].string_or("");
  const Node now = builder.text(format_time(Timestamp::of(house_.clock.wall())));
  Rewrite metadata{View()};
  metadata.set("name", builder.text(name));
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
