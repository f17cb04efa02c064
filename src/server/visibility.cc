// SPDX-License-Identifier: Apache-2.0
#include "server/visibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "core/model/cluster_state.h"
#include "core/model/queue_report.h"
#include "objects/builder.h"
#include "objects/metadata.h"
#include "server/limits.h"

namespace muster::server {

using core::WaitingWorkload;
using objects::Builder;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

// A part of those who wait.
struct Window {
  std::int64_t offset = 0;
  std::int64_t limit = 0;

  std::int64_t end() const { return saturating_add(offset, limit); }
};

Outcome<Window> window_of(const Query& query) {
  const auto offset = query.integer("offset");
  if (!offset) return offset.error();
  const auto limit = query.integer("limit");
  if (!limit) return limit.error();
  std::int64_t count = limit->value_or(0);
  if (count == 0) count = pending_workloads_default;
  return Window{.offset = std::max<std::int64_t>(offset->value_or(0), 0),
                .limit = std::clamp<std::int64_t>(count, 0, pending_workloads_max)};
}

// Where somebody waits.
struct Standing {
  const WaitingWorkload* workload = nullptr;
  std::int64_t in_cluster_queue = 0;
  std::int64_t in_local_queue = 0;
};

class Answer {
 public:
  void add(const Standing& standing) {
    const WaitingWorkload& waiting = *standing.workload;
    const View object = waiting.object;
    std::vector<Node> pairs;
    put(pairs, "metadata", metadata_of(object));
    put(pairs, "priority", Builder::integer(waiting.priority));
    put(pairs, "localQueueName", builder_.text(object["spec"]["queueName"].string_or("")));
    put(pairs, "positionInClusterQueue", Builder::integer(standing.in_cluster_queue));
    put(pairs, "positionInLocalQueue", Builder::integer(standing.in_local_queue));
    items_.push_back(builder_.object_of_pairs(pairs));
  }

  Value finish(const Target& target) {
    std::vector<Node> pairs;
    put(pairs, "kind", builder_.text(target.kind->kind));
    put(pairs, "apiVersion", builder_.text(target.api_version()));
    put(pairs, "metadata", builder_.object({}));
    put(pairs, "items", builder_.array(items_));
    const Node node = builder_.object_of_pairs(pairs);
    return std::move(builder_).finish(node);
  }

 private:
  void put(std::vector<Node>& pairs, std::string_view key, const Node& value) {
    pairs.push_back(builder_.text(key));
    pairs.push_back(value);
  }

  // Name, age and owners; nothing that a user of the queue might not want to show.
  Node metadata_of(View object) {
    std::vector<Node> pairs;
    put(pairs, "name", builder_.text(objects::name_of(object)));
    put(pairs, "namespace", builder_.text(objects::namespace_of(object)));
    const View metadata = object["metadata"];
    put(pairs, "creationTimestamp", builder_.text(metadata["creationTimestamp"].string_or("")));
    std::vector<Node> owners;
    for (const View owner : metadata["ownerReferences"].elements()) {
      std::vector<Node> owner_pairs;
      for (const std::string_view key : {"apiVersion", "kind", "name", "uid"}) {
        put(owner_pairs, key, builder_.text(owner[key].string_or("")));
      }
      owners.push_back(builder_.object_of_pairs(owner_pairs));
    }
    if (!owners.empty()) put(pairs, "ownerReferences", builder_.array(owners));
    return builder_.object_of_pairs(pairs);
  }

  Builder builder_;
  std::vector<Node> items_;
};

Value of_cluster_queue(const std::vector<WaitingWorkload>& waiting, const Target& target,
                       const Window& window) {
  Answer answer;
  std::map<std::string_view, std::int64_t> seen;  // by LocalQueue
  const auto end = std::min<std::int64_t>(window.end(), static_cast<std::int64_t>(waiting.size()));
  for (std::int64_t at = 0; at < end; ++at) {
    const WaitingWorkload& each = waiting[static_cast<std::size_t>(at)];
    const std::int64_t before = seen[each.local_queue]++;
    if (at >= window.offset) answer.add({&each, at, before});
  }
  return answer.finish(target);
}

Value of_local_queue(const std::vector<WaitingWorkload>& waiting, std::string_view local_queue,
                     const Target& target, const Window& window) {
  Answer answer;
  std::int64_t seen = 0;
  for (std::size_t at = 0; at < waiting.size() && seen < window.end(); ++at) {
    if (waiting[at].local_queue != local_queue) continue;
    if (seen >= window.offset) answer.add({&waiting[at], static_cast<std::int64_t>(at), seen});
    ++seen;
  }
  return answer.finish(target);
}

Failure unknown(const Target& target) {
  return failures::not_found({.group = visibility_group, .resource = target.kind->singular},
                             target.name);
}

}  // namespace

Outcome<Value> pending_workloads_of(const core::ClusterState* queues, const Target& target,
                                    const Query& query) {
  const Window window = ALLOWED(window_of(query));
  if (queues == nullptr) return unknown(target);
  const core::Tables& tables = queues->tables();
  if (!target.is_namespaced()) {
    const auto waiting = core::waiting_in(tables, target.name);
    if (!waiting) return unknown(target);
    return of_cluster_queue(*waiting, target, window);
  }
  const std::string key = fmt::format("{}/{}", target.name_space, target.name);
  const core::LocalQueueId id = core::find_local_queue(tables, key);
  if (id.is_none() || tables.local_queues[id].spec.stop_policy != core::StopPolicy::none) {
    return unknown(target);
  }
  const auto waiting = core::waiting_in(tables, tables.local_queues[id].spec.cluster_queue);
  return of_local_queue(waiting.value_or(std::vector<WaitingWorkload>()), key, target, window);
}

}  // namespace muster::server
