// OwnerLoop: a KeyLoop over the objects of one kind, looked at when they change or when something
// that they control does.
//
//   OwnerLoop loop(house, cache, writer, {resources::replica_sets, {resources::pods}}, body);
//
// Assumes: as KeyLoop; made before the cache starts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "client/object_cache.h"
#include "control/key_loop.h"
#include "objects/resource.h"

namespace muster::control {

class OwnerLoop {
 public:
  struct Watched {
    objects::Resource owner;
    std::vector<objects::Resource> controlled;
  };
  // The owner as it is now; absent: it is gone.
  using Body = UniqueFunction<Step(const objects::Value& owner)>;

  OwnerLoop(client::House house, client::ObjectCache& cache, Writer& writer, Watched watched,
            Body body);

  void start() { loop_.start(); }
  void stop() { loop_.stop(); }
  bool is_idle() const { return loop_.is_idle(); }

  void mark(objects::View owner);

  // As KeyLoop says.
  const WriteOutcome* refusal_of(objects::View owner) const;

 private:
  void on_change(const client::CacheChange& change);
  void mark_owner_of(objects::View object);
  Step look_at(const Subject& subject);

  client::ObjectCache& cache_;
  Watched watched_;
  Body body_;
  KeyLoop loop_;
};

}  // namespace muster::control
