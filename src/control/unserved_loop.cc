// SPDX-License-Identifier: Apache-2.0
#include "control/unserved_loop.h"

#include <algorithm>

#include "core/lifecycle/run_unserved.h"
#include "objects/metadata.h"

namespace muster::control {

using objects::Value;

UnservedLoop::UnservedLoop(client::House house, client::ObjectCache& cache, Writer& writer)
    : house_(house),
      cache_(cache),
      loop_(house, cache, writer, [this](const Subject& subject) { return look_at(subject); }) {
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
}

// Only what somebody wants of it matters: its status is ours.
void UnservedLoop::on_change(const client::CacheChange& change) {
  const auto kinds = core::unserved_kinds();
  if (std::find(kinds.begin(), kinds.end(), change.resource) == kinds.end()) return;
  if (!change.after) return;
  if (change.before && change.before["spec"] == change.after["spec"]) return;
  loop_.mark(subject_of(change.resource, change.after));
}

Step UnservedLoop::look_at(const Subject& subject) const {
  const Value object = cache_.find(subject.resource, subject.key);
  if (objects::uid_of(object) != subject.uid) return {};
  return {.edits = core::run_unserved(subject.resource, object, house_.clock.wall())};
}

}  // namespace muster::control
