// UnservedLoop: tells people of objects that nothing here serves (core/lifecycle/run_unserved.h).
// Embedded only: on a real cluster somebody else may serve them.
//
//   UnservedLoop unserved(house, cache, writer);
//   unserved.start();                                // the cache has synced
//
// Assumes: the house thread; made before the cache starts, which follows core::unserved_kinds().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/object_cache.h"
#include "control/key_loop.h"

namespace muster::control {

class UnservedLoop {
 public:
  UnservedLoop(client::House house, client::ObjectCache& cache, Writer& writer);

  void start() { loop_.start(); }
  void stop() { loop_.stop(); }
  bool is_idle() const { return loop_.is_idle(); }

 private:
  void on_change(const client::CacheChange& change);
  Step look_at(const Subject& subject) const;

  client::House house_;
  client::ObjectCache& cache_;
  KeyLoop loop_;
};

}  // namespace muster::control
