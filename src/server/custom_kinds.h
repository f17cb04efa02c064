// CustomKinds: makes kinds of the CustomResourceDefinitions that are stored, as they come, change
// and go. A kind is served from the moment its definition is durable and its names are free;
// discovery and OpenAPI follow with the next request. The definition's status is written after.
//
//   CustomKinds kinds(context, registry);
//   TRY(kinds.load());                     // before the cache: its objects need their kinds
//   TRY(cache.load());
//   kinds.start();
//   cache.set_on_change([&](const CacheChange& change) { kinds.on_change(change); });
//
//   stored ─► names free? ─no─► NamesAccepted=False, asked again when a name of its group is freed
//               │yes
//               ▼
//   served, Established ─► DELETE ─► Terminating: creates are refused, instances are deleted
//                                        │ none is left
//                                        ▼
//                                    finalizer removed ─► erased ─► not served, watches end
//
// A definition of a kind that Muster brings along is kept, established and without effect; its
// deletion touches no instance. Assumes: the house thread; the registry is the one of the context.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/context.h"
#include "server/custom_definition.h"
#include "server/object_cache.h"
#include "server/write.h"

namespace muster::server {

class CustomKinds {
 public:
  CustomKinds(Context& context, objects::KindRegistry& registry);
  CustomKinds(const CustomKinds&) = delete;
  CustomKinds& operator=(const CustomKinds&) = delete;

  Result<> load();
  void start();
  void on_change(const CacheChange& change);

 private:
  struct Definition {
    objects::Value tree = {};
    NamesDecision names = {};
    bool first_class = false;
    bool served = false;
  };

  void take_in(const std::string& name, const objects::Value& tree, store::Revision revision);
  void forget(const std::string& name);
  UsedNames used_names(std::string_view group) const;
  void serve(Definition& definition, const Definition& before, store::Revision revision);
  void reconsider_group(std::string_view group);

  void owe(const std::string& name);
  void post_turn();
  void turn();
  void settle(const std::string& name);
  void clean_up(const CachedObject& cached, const objects::Value& tree);
  std::size_t remove_instances(const std::string& name, const objects::KindRegistry::Found& kind);
  void write_status(const CachedObject& cached, const objects::Value& next);
  void drop_finalizer(const CachedObject& cached, const objects::Value& tree);
  WriteAnswer counted(std::string name);

  Context& context_;
  objects::KindRegistry& registry_;
  std::map<std::string, Definition, std::less<>> definitions_;
  std::set<std::string, std::less<>> owed_;            // whose status may have to be written
  std::set<std::string, std::less<>> terminating_;     // whose instances are being deleted
  std::vector<objects::KindRegistry::Found> retired_;  // whose watchers are not told yet
  std::size_t under_way_ = 0;
  bool turn_posted_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

// No instance is made while the kind's definition is being deleted, or when it is gone.
Outcome<> check_kind_stays(const Context& context, const Target& target);

}  // namespace muster::server
