// SPDX-License-Identifier: Apache-2.0
#include "control/owner_loop.h"

#include <algorithm>
#include <string>
#include <utility>

#include "objects/metadata.h"

namespace muster::control {

using objects::Value;
using objects::View;

OwnerLoop::OwnerLoop(client::House house, client::ObjectCache& cache, Writer& writer,
                     Watched watched, Body body)
    : cache_(cache),
      watched_(std::move(watched)),
      body_(std::move(body)),
      loop_(house, cache, writer, [this](const Subject& subject) { return look_at(subject); }) {
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
}

void OwnerLoop::mark(View owner) {
  loop_.mark(subject_of(watched_.owner, owner));
}

const WriteOutcome* OwnerLoop::refusal_of(View owner) const {
  return loop_.refusal_of(subject_of(watched_.owner, owner));
}

void OwnerLoop::on_change(const client::CacheChange& change) {
  if (change.resource == watched_.owner) return mark(change.object());
  const auto& controlled = watched_.controlled;
  if (std::find(controlled.begin(), controlled.end(), change.resource) == controlled.end()) return;
  if (change.before) mark_owner_of(change.before);
  if (change.after) mark_owner_of(change.after);
}

void OwnerLoop::mark_owner_of(View object) {
  const View owner = objects::controller_of(object);
  if (owner["kind"].string_or("") != watched_.owner.kind ||
      owner["apiVersion"].string_or("") != watched_.owner.api_version()) {
    return;
  }
  loop_.mark(
      {watched_.owner,
       {std::string(objects::namespace_of(object)), std::string(owner["name"].string_or(""))},
       std::string(owner["uid"].string_or(""))});
}

Step OwnerLoop::look_at(const Subject& subject) {
  const Value owner = cache_.find(watched_.owner, subject.key);
  if (owner.is_absent() || objects::uid_of(owner) != subject.uid) return {};
  return body_(owner);
}

}  // namespace muster::control
