// ObjectCache: what is durable, ready to be asked. For each object its bytes and a small header
// (uid, labels, owners, selectable fields), by kind, namespace and name, and by the uid of its
// owners. Trees are parsed when somebody needs them (server/tree_cache.h). It follows the store by
// a watch of its own: readers call catch_up() first and see every write that was answered.
//
//   cache.catch_up();
//   const CachedObject* pod = cache.find(pods, "a", "train-0");
//   for (const CachedObject& job : cache.all_in(jobs, "a")) …
//
// Assumes: the house thread. Pointers hold until the next catch_up().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/in_parallel.h"
#include "base/result.h"
#include "objects/field_selector.h"
#include "objects/kind_registry.h"
#include "objects/label_selector.h"
#include "server/selectable_fields.h"
#include "server/tree_cache.h"
#include "store/store.h"

namespace muster::server {

struct Owner {
  std::string uid;
  bool blocks_deletion = false;

  friend bool operator==(const Owner&, const Owner&) = default;
};

struct CachedObject {
  objects::KindRegistry::Found kind;  // held: copies of this outlive a change of the kind
  std::string name_space;
  std::string name;
  store::Bytes bytes;
  store::Revision revision;
  std::string uid;
  std::vector<std::pair<std::string, std::string>> labels;  // sorted
  std::vector<std::string> fields;  // the values of the kind's selectable fields, in their order
  std::vector<Owner> owners;
  bool is_being_deleted = false;
  bool has_finalizers = false;
};

// One durable change, for those who react: garbage collection. Absent: null.
struct CacheChange {
  const CachedObject* before;
  const CachedObject* now;
};

class ObjectCache {
 public:
  using Objects = std::map<std::string, CachedObject, std::less<>>;  // by "namespace/name"

  ObjectCache(store::Store& store, const objects::KindRegistry& registry, TreeCache& trees);
  ObjectCache(const ObjectCache&) = delete;
  ObjectCache& operator=(const ObjectCache&) = delete;

  // Everything that is stored. Trees and headers of some are made while others are put in place.
  Result<> load(const InParallel& in_parallel);

  // Takes in everything that is durable by now.
  void catch_up();

  // Called for every change after load(), as it is taken in. Must not call the cache back.
  void set_on_change(UniqueFunction<void(const CacheChange&)> on_change) {
    on_change_ = std::move(on_change);
  }

  // The kind of a resource is another one now, or none. May be called while a change is taken in,
  // of an object of another kind. What is kept of each object is read anew: selectable fields are
  // the kind's.
  void kind_changed(std::string_view group, std::string_view plural);

  // The state that the cache shows.
  store::Revision revision() const { return revision_; }

  const CachedObject* find(const objects::Kind& kind, std::string_view name_space,
                           std::string_view name) const;

  // The objects of one namespace, or of all where it is empty, in the order of their keys.
  // (std::ranges::subrange does not compile with clang 14 and libstdc++ 12.)
  class Range {
   public:
    Range(Objects::const_iterator begin, Objects::const_iterator end) : begin_(begin), end_(end) {}
    Objects::const_iterator begin() const { return begin_; }
    Objects::const_iterator end() const { return end_; }
    bool empty() const { return begin_ == end_; }

   private:
    Objects::const_iterator begin_;
    Objects::const_iterator end_;
  };
  Range all_in(const objects::Kind& kind, std::string_view name_space) const;

  // Null where nothing has this uid.
  const CachedObject* find_uid(std::string_view uid) const;

  // Those that name this uid among their owners, in the order of their keys.
  std::vector<const CachedObject*> dependents_of(std::string_view uid) const;

  bool matches(const CachedObject& object, const objects::LabelSelector& labels,
               const objects::FieldSelector& fields) const;

 private:
  struct Collection {
    objects::KindRegistry::Found kind;
    SelectableFields fields;
    Objects objects;
  };
  using Place = std::pair<const Collection*, std::string>;
  // One that is being loaded.
  struct Described {
    Collection* collection;
    const store::Entry* entry;
    objects::Value tree = {};
    CachedObject object = {};
  };
  // By group and plural, without copies of either.
  struct ByResource {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const {
      const int groups = std::string_view(a.first).compare(b.first);
      return groups != 0 ? groups < 0 : std::string_view(a.second) < std::string_view(b.second);
    }
  };

  Collection* collection_of(std::string_view key);
  const Collection* collection_of(const objects::Kind& kind) const;
  void apply(const store::Entry& entry);
  void index(const Collection& collection, const std::string& at, const CachedObject& object);
  void unindex(const Collection& collection, const std::string& at, const CachedObject& object);
  static CachedObject describe(const Collection& collection, const store::Entry& entry,
                               const objects::Value& tree);
  std::vector<Described> find_collections(const std::vector<store::Entry>& entries);
  void take_in(std::vector<Described>& described);

  store::Store& store_;
  const objects::KindRegistry& registry_;
  TreeCache& trees_;
  std::map<std::pair<std::string, std::string>, Collection, ByResource> collections_;
  // Never iterated; a key is the uid of its object, and goes before that changes.
  std::unordered_map<std::string_view, const CachedObject*> by_uid_;
  std::map<std::string, std::set<Place>, std::less<>> by_owner_;
  std::unique_ptr<store::Watch> watch_;
  store::Revision revision_;
  UniqueFunction<void(const CacheChange&)> on_change_;
};

}  // namespace muster::server
