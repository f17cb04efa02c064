// ClaimProtection: a claim that pods use, and a volume that is bound, stay until they are free.
// Each gets a finalizer when it is made (`kubernetes.io/pvc-protection`, `…/pv-protection`), which
// is taken away when it is being deleted and nobody uses it.
//
//   protect_storage(admission);                                   // part of admission
//   cache.set_on_change([&](const CacheChange& change) { protection.on_change(change); });
//
// Assumes: the house thread. It keeps nothing over a restart: at load everything that is being
// deleted is looked at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>

#include "server/admission.h"
#include "server/context.h"
#include "server/object_cache.h"

namespace muster::server {

// Of claims and volumes that are created.
void protect_storage(Admission& admission);

class ClaimProtection {
 public:
  explicit ClaimProtection(Context& context) : context_(context) {}
  ClaimProtection(const ClaimProtection&) = delete;
  ClaimProtection& operator=(const ClaimProtection&) = delete;

  // The cache is loaded.
  void start();

  void on_change(const CacheChange& change);

 private:
  void look_at(const CachedObject& object);
  void post_turn();
  void turn();
  bool is_used(const CachedObject& object) const;
  bool pods_use(std::string_view name_space, std::string_view claim) const;
  void release(const CachedObject& object);

  Context& context_;
  std::set<std::string> uids_;          // of those to look at
  std::set<std::string> uids_waiting_;  // of those that are used
  bool turn_posted_ = false;
  // Answers of the store may come when this is gone.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::server
