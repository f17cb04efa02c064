// SPDX-License-Identifier: Apache-2.0
#include "control/unserved_loop.h"

#include <algorithm>

#include "core/lifecycle/run_unserved.h"
#include "core/loose_pod.h"
#include "objects/metadata.h"

namespace muster::control {

using objects::Value;

namespace {

// Of pods, which are many, only those few that Muster does not place.
bool may_be_unserved(const objects::Resource& resource, const Value& object) {
  if (resource == objects::resources::pods) return core::names_other_scheduler(object);
  const auto kinds = core::unserved_kinds();
  return std::find(kinds.begin(), kinds.end(), resource) != kinds.end();
}

}  // namespace

UnservedLoop::UnservedLoop(client::House house, client::ObjectCache& cache, Writer& writer)
    : house_(house),
      cache_(cache),
      loop_(house, cache, writer, [this](const Subject& subject) { return look_at(subject); }) {
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
}

// Only what somebody wants of it matters: its status is ours.
void UnservedLoop::on_change(const client::CacheChange& change) {
  if (!change.after || !may_be_unserved(change.resource, change.after)) return;
  if (change.before && change.before["spec"] == change.after["spec"]) return;
  loop_.mark(subject_of(change.resource, change.after));
}

Step UnservedLoop::look_at(const Subject& subject) const {
  const Value object = cache_.find(subject.resource, subject.key);
  if (objects::uid_of(object) != subject.uid) return {};
  return {.edits = core::run_unserved(subject.resource, object, house_.clock.wall())};
}

}  // namespace muster::control
