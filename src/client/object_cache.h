// ObjectCache: the newest known state of every object of some resources, fed by their watches and
// by the answers to our own writes, so that a controller that has just created something never
// decides from a view without it.
//
//   ObjectCache cache(api, house, {{resources::jobs}, {resources::pods}});
//   cache.subscribe([](const CacheChange& change) { … });
//   cache.start();
//   for (const Value& pod : cache.owned_by(resources::pods, uid_of(job))) …
//
// Newest is told by resourceVersion, compared as a number (Kubernetes promises that since 1.35):
// an own answer at or below the version that the watch has reached is old news, and a watch event
// below an own answer is too. Versions that are no numbers take the last word heard. After an own
// removal, events about that uid are not believed until the watch has seen it go.
//
// Assumes: the house thread; listeners do not subscribe, start or stop. A name that comes back
// with another uid is heard as a removal and an addition. Without a numeric version an object may
// step back for a moment; writes go under resourceVersion, so nothing worse than a refusal comes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/list_watch.h"

namespace muster::client {

struct CacheChange {
  const objects::Resource& resource;
  const objects::Value& before;  // absent: it is new
  const objects::Value& after;   // absent: it is gone

  const objects::Value& object() const { return after.is_absent() ? before : after; }
};

class ObjectCache final : private ListWatchSink {
 public:
  using Listener = UniqueFunction<void(const CacheChange&)>;

  ObjectCache(Api& api, House house, std::vector<Selection> selections);
  ~ObjectCache() override;

  // Before start(). Listeners hear each change in the order in which they subscribed.
  void subscribe(Listener listener);

  void start();
  void stop();

  // Who hears why a resource cannot be followed, as ListWatchSink::on_trouble says. Before start().
  using TroubleListener = UniqueFunction<void(const objects::Resource&, const Error&)>;
  void when_troubled(TroubleListener listener);

  // Every resource has been listed once.
  bool has_synced() const;

  // Called once, as soon as has_synced(), on the executor. Set before start().
  void when_synced(Task task);

  // Absent where there is none.
  objects::Value find(const objects::Resource& resource, const objects::ObjectKey& key) const;

  // In the order of their keys. A resource that the cache does not follow has no objects.
  std::vector<objects::Value> all(const objects::Resource& resource) const;
  std::vector<objects::Value> in_namespace(const objects::Resource& resource,
                                           std::string_view name_space) const;

  // Those with an owner reference to this uid, in the order of their keys.
  std::vector<objects::Value> owned_by(const objects::Resource& resource,
                                       std::string_view uid) const;

  std::size_t size(const objects::Resource& resource) const;

  // The answer to an own create, update or patch; and to an own removal, which is the object while
  // it is still being deleted, or else says that it is gone.
  void saw_written(const objects::Resource& resource, const objects::Value& object);
  void saw_removed(const objects::Resource& resource, const objects::Value& removed,
                   const objects::Value& answer);

  // Calls back when the cache knows everything that was written before this call.
  void refresh(const objects::Resource& resource, Task then);

  // Why a resource cannot be followed at present, one sentence each.
  std::vector<std::string> troubles() const;

 private:
  struct Entry {
    objects::Value object;
    std::uint64_t version = 0;  // 0: no number
    bool ahead = false;         // an own answer that the watch has not reached
  };
  struct Table {
    std::unique_ptr<ListWatch> feed;
    std::map<objects::ObjectKey, Entry> objects;
    std::map<std::string, std::set<objects::ObjectKey>, std::less<>> by_owner;
    std::set<std::string, std::less<>> gone;  // uids that an own removal ended
    std::uint64_t seen = 0;                   // the version that list and watch have reached
  };

  void on_list(const objects::Resource& resource, const Listed& list) override;
  void on_event(const objects::Resource& resource, WatchEvent event) override;
  void on_trouble(const objects::Resource& resource, const Error& error) override;

  Table* table_of(const objects::Resource& resource);
  const Table* table_of(const objects::Resource& resource) const;

  void put(Table& table, Entry entry);
  void drop(Table& table, const objects::ObjectKey& key);
  void index(Table& table, const objects::ObjectKey& key, objects::View object, bool add);
  void tell(const Table& table, const objects::Value& before, const objects::Value& after);
  void tell_synced();

  House house_;
  std::map<objects::Resource, Table> tables_;
  std::vector<Listener> listeners_;
  Task when_synced_;
  TroubleListener when_troubled_;
  Lifeline lifeline_;
};

// A resourceVersion as a number; 0 where it is none.
std::uint64_t version_number(std::string_view resource_version);

}  // namespace muster::client
