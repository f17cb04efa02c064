// RoleKeeper: keeps the RoleIndex at what the store has, the default roles at what they are meant
// to be, and aggregated ClusterRoles at the sum of the roles they choose.
//
//   RoleKeeper keeper(context, index);
//   keeper.start();                     // the cache is loaded: reads it, and writes what is
//   missing cache.set_on_change([&](const CacheChange& change) { keeper.on_change(change); });
//
// Assumes: the house thread. Default roles hold from start() on, though they are durable only a
// moment later: controllers need not wait for their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "server/context.h"
#include "server/object_cache.h"
#include "server/role_index.h"
#include "server/write.h"

namespace muster::server {

// Default roles that are being written at a time.
inline constexpr std::size_t role_writes_max = 16;

class RoleKeeper {
 public:
  RoleKeeper(Context& context, RoleIndex& index) : context_(context), index_(index) {}
  RoleKeeper(const RoleKeeper&) = delete;
  RoleKeeper& operator=(const RoleKeeper&) = delete;
  ~RoleKeeper() { *alive_ = false; }

  // Reads the roles that there are. With the defaults it also brings those up to date.
  void start(bool with_defaults);

  void on_change(const CacheChange& change);

 private:
  struct Work {
    objects::Value object;
    bool recreate = false;  // the binding that is there refers to another role
  };

  void ensure_default(const objects::Value& wanted);
  void write_next();
  void write(const Work& work);
  void aggregate_later();
  void aggregate();
  objects::KindRegistry::Found kind_of(const objects::Value& object) const;

  Context& context_;
  RoleIndex& index_;
  std::deque<Work> work_;  // default objects to be written
  bool keeps_ = false;
  bool aggregation_posted_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::server
