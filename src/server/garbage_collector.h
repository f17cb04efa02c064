// GarbageCollector: what must go because something else went. An object whose owners are all gone
// is deleted; an owner that is deleted in the foreground waits for the dependents that block it;
// one that is orphaned is taken out of theirs. A namespace takes its contents along.
//
//   cache.set_on_change([&](const CacheChange& change) { collector.on_change(change); });
//   collector.start();        // and looks at everything once: nothing is remembered over a restart
//
//   owners of an object          it
//   ─────────────────────────    ─────────────────────────────────────────────
//   one is there for good        stays; references to the others are removed
//   all gone                     is deleted in the background
//   one waits for dependents     is deleted, in the foreground where it has dependents itself
//
// Owners are known by uid: another object of the same name is somebody else. An owner of a kind
// that is not served here counts as there. Work is done on the house thread in bounded turns, with
// a bounded number of writes under way; a write that was overtaken is decided anew by the change
// that overtook it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "server/context.h"
#include "server/object_cache.h"
#include "server/write.h"

namespace muster::server {

class GarbageCollector {
 public:
  explicit GarbageCollector(Context& context);
  GarbageCollector(const GarbageCollector&) = delete;
  GarbageCollector& operator=(const GarbageCollector&) = delete;

  // The cache is loaded.
  void start();

  void on_change(const CacheChange& change);

  // Nothing to look at and nothing under way.
  bool is_idle() const { return queue_.empty() && under_way_ == 0; }

 private:
  void enqueue_uid(const std::string& uid);
  void enqueue_namespace(const std::string& name);
  void enqueue(std::string item);
  void post_turn();
  void turn();
  void examine(const CachedObject& object);
  void examine_dying(const CachedObject& object, const objects::Value& tree);
  void examine_owners(const CachedObject& object, const objects::Value& tree);
  void release_dependents(const CachedObject& owner);
  void examine_namespace(const std::string& name);
  bool remove_contents(const std::string& name_space);

  void remove_object(const CachedObject& object, client::Propagation propagation);
  void patch_metadata(const CachedObject& object, std::string_view field,
                      const objects::Value& value);
  Target target_of(const CachedObject& object) const;
  WriteAnswer counted(std::string item);

  Context& context_;
  std::deque<std::string> queue_;  // "uid/…" and "namespace/…"
  std::set<std::string> queued_;
  std::set<std::string> ending_namespaces_;
  std::size_t under_way_ = 0;
  bool turn_posted_ = false;
  // Answers of the store may come when this is gone.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::server
