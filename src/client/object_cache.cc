// SPDX-License-Identifier: Apache-2.0
#include "client/object_cache.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "objects/metadata.h"

namespace muster::client {

using objects::key_of;
using objects::ObjectKey;
using objects::Resource;
using objects::uid_of;
using objects::Value;
using objects::View;

std::uint64_t version_number(std::string_view resource_version) {
  std::uint64_t number = 0;
  const char* end = resource_version.data() + resource_version.size();
  const auto [stopped, failure] = std::from_chars(resource_version.data(), end, number);
  return failure == std::errc() && stopped == end ? number : 0;
}

namespace {

std::uint64_t version_of(View object) {
  return version_number(objects::resource_version_of(object));
}

// What a server answers to a removal: the object while something keeps it, else a Status or, for
// some kinds, the last state.
bool is_still_there(View answer) {
  if (uid_of(answer).empty() || !objects::is_being_deleted(answer)) return false;
  const View metadata = answer["metadata"];
  return !metadata["finalizers"].empty() ||
         metadata["deletionGracePeriodSeconds"].integer_or(0) > 0;
}

}  // namespace

ObjectCache::ObjectCache(Api& api, House house, std::vector<Selection> selections) : house_(house) {
  for (Selection& selection : selections) {
    const Resource resource = selection.resource;
    ListWatchSink& sink = *this;
    tables_[resource].feed = std::make_unique<ListWatch>(std::move(selection), api, house, sink);
  }
}

ObjectCache::~ObjectCache() = default;

void ObjectCache::subscribe(Listener listener) {
  listeners_.push_back(std::move(listener));
}

void ObjectCache::start() {
  for (auto& [resource, table] : tables_) table.feed->start();
}

void ObjectCache::stop() {
  lifeline_.renew();
  when_synced_ = nullptr;
  for (auto& [resource, table] : tables_) table.feed->stop();
}

bool ObjectCache::has_synced() const {
  for (const auto& [resource, table] : tables_) {
    if (!table.feed->has_listed()) return false;
  }
  return true;
}

void ObjectCache::when_synced(Task task) {
  when_synced_ = std::move(task);
}

void ObjectCache::when_troubled(TroubleListener listener) {
  when_troubled_ = std::move(listener);
}

void ObjectCache::on_trouble(const Resource& resource, const Error& error) {
  if (when_troubled_) when_troubled_(resource, error);
}

Value ObjectCache::find(const Resource& resource, const ObjectKey& key) const {
  const Table* table = table_of(resource);
  if (table == nullptr) return {};
  const auto found = table->objects.find(key);
  return found == table->objects.end() ? Value() : found->second.object;
}

std::vector<Value> ObjectCache::all(const Resource& resource) const {
  std::vector<Value> found;
  const Table* table = table_of(resource);
  if (table == nullptr) return found;
  found.reserve(table->objects.size());
  for (const auto& [key, entry] : table->objects) found.push_back(entry.object);
  return found;
}

std::vector<Value> ObjectCache::in_namespace(const Resource& resource,
                                             std::string_view name_space) const {
  std::vector<Value> found;
  const Table* table = table_of(resource);
  if (table == nullptr) return found;
  const ObjectKey first{.name_space = std::string(name_space), .name = ""};
  for (auto at = table->objects.lower_bound(first);
       at != table->objects.end() && at->first.name_space == name_space; ++at) {
    found.push_back(at->second.object);
  }
  return found;
}

std::vector<Value> ObjectCache::owned_by(const Resource& resource, std::string_view uid) const {
  std::vector<Value> found;
  const Table* table = table_of(resource);
  if (table == nullptr) return found;
  const auto owned = table->by_owner.find(uid);
  if (owned == table->by_owner.end()) return found;
  found.reserve(owned->second.size());
  for (const ObjectKey& key : owned->second) found.push_back(table->objects.at(key).object);
  return found;
}

std::size_t ObjectCache::size(const Resource& resource) const {
  const Table* table = table_of(resource);
  return table == nullptr ? 0 : table->objects.size();
}

void ObjectCache::saw_written(const Resource& resource, const Value& object) {
  Table* table = table_of(resource);
  if (table == nullptr || uid_of(object).empty()) return;
  const std::uint64_t version = version_of(object);
  // The watch has been there already: this, or what became of it since, is known.
  if (version != 0 && version <= table->seen) return;
  const auto known = table->objects.find(key_of(object));
  if (known != table->objects.end() && known->second.version > version && version != 0) return;
  if (table->gone.contains(uid_of(object))) return;
  put(*table, {.object = object, .version = version, .ahead = true});
}

void ObjectCache::saw_removed(const Resource& resource, const Value& removed, const Value& answer) {
  if (is_still_there(answer)) {
    saw_written(resource, answer);
    return;
  }
  Table* table = table_of(resource);
  if (table == nullptr) return;
  const auto known = table->objects.find(key_of(removed));
  if (known == table->objects.end()) return;  // the watch was faster
  if (uid_of(known->second.object) != uid_of(removed)) return;
  table->gone.insert(std::string(uid_of(removed)));
  drop(*table, key_of(removed));
}

void ObjectCache::refresh(const Resource& resource, Task then) {
  Table* table = table_of(resource);
  if (table != nullptr) {
    table->feed->refresh(std::move(then));
  } else {
    house_.executor.post(std::move(then));
  }
}

std::vector<std::string> ObjectCache::troubles() const {
  std::vector<std::string> found;
  for (const auto& [resource, table] : tables_) {
    if (!table.feed->trouble()) continue;
    found.push_back(fmt::format("{}: {}", resource.plural, table.feed->trouble()->to_string()));
  }
  return found;
}

void ObjectCache::on_list(const Resource& resource, const Listed& list) {
  Table& table = *table_of(resource);
  table.seen = version_number(list.resource_version);
  // Of the first list nothing can be missing.
  const bool was_empty = table.objects.empty();
  std::set<ObjectKey> listed;
  std::set<std::string, std::less<>> still_to_go;
  for (const Value& item : list.items) {
    const ObjectKey key = key_of(item);
    if (!was_empty) listed.insert(key);
    if (table.gone.contains(uid_of(item))) {
      still_to_go.insert(std::string(uid_of(item)));  // the list is older than the removal
      continue;
    }
    const auto known = table.objects.find(key);
    const std::uint64_t version = version_of(item);
    if (known != table.objects.end() && known->second.ahead && known->second.version > version) {
      continue;
    }
    put(table, {.object = item, .version = version});
  }
  table.gone = std::move(still_to_go);
  std::vector<ObjectKey> missing;
  for (const auto& [key, entry] : table.objects) {
    if (was_empty) break;
    const bool is_newer = entry.ahead && entry.version > table.seen;
    if (!listed.contains(key) && !is_newer) missing.push_back(key);
  }
  for (const ObjectKey& key : missing) drop(table, key);
  tell_synced();
}

void ObjectCache::on_event(const Resource& resource, WatchEvent event) {
  Table& table = *table_of(resource);
  const std::uint64_t version = version_of(event.object);
  if (version != 0) {
    if (version < table.seen) return;  // told twice
    table.seen = version;
  }
  if (event.type == WatchEvent::Type::bookmark) return;
  const ObjectKey key = key_of(event.object);
  const auto known = table.objects.find(key);
  if (event.type == WatchEvent::Type::deleted) {
    if (const auto gone = table.gone.find(uid_of(event.object)); gone != table.gone.end()) {
      table.gone.erase(gone);
    }
    // Of another uid: it went before the present one of that name came.
    if (known != table.objects.end() && uid_of(known->second.object) == uid_of(event.object)) {
      drop(table, key);
    }
    return;
  }
  if (table.gone.contains(uid_of(event.object))) return;
  if (known != table.objects.end() && known->second.version > version && version != 0) return;
  put(table, {.object = std::move(event.object), .version = version});
}

ObjectCache::Table* ObjectCache::table_of(const Resource& resource) {
  const auto found = tables_.find(resource);
  return found == tables_.end() ? nullptr : &found->second;
}

const ObjectCache::Table* ObjectCache::table_of(const Resource& resource) const {
  const auto found = tables_.find(resource);
  return found == tables_.end() ? nullptr : &found->second;
}

void ObjectCache::put(Table& table, Entry entry) {
  const ObjectKey key = key_of(entry.object);
  const auto known = table.objects.find(key);
  if (known != table.objects.end()) {
    if (uid_of(known->second.object) != uid_of(entry.object)) {
      drop(table, key);
    } else if (known->second.version == entry.version && entry.version != 0) {
      known->second.ahead = known->second.ahead && entry.ahead;
      return;  // the same state from another side
    }
  }
  Entry& slot = table.objects[key];
  const Value before = std::exchange(slot, std::move(entry)).object;
  const Value after = slot.object;  // a listener may change the table
  if (before) index(table, key, before, false);
  index(table, key, after, true);
  tell(table, before, after);
}

void ObjectCache::drop(Table& table, const ObjectKey& key) {
  const auto known = table.objects.find(key);
  if (known == table.objects.end()) return;
  const Value before = known->second.object;
  index(table, key, before, false);
  table.objects.erase(known);
  tell(table, before, {});
}

void ObjectCache::index(Table& table, const ObjectKey& key, View object, bool add) {
  for (const View owner : object["metadata"]["ownerReferences"].elements()) {
    const std::string_view uid = owner["uid"].string_or("");
    const auto found = table.by_owner.find(uid);
    if (add) {
      (found == table.by_owner.end() ? table.by_owner[std::string(uid)] : found->second)
          .insert(key);
    } else if (found != table.by_owner.end()) {
      found->second.erase(key);
      if (found->second.empty()) table.by_owner.erase(found);
    }
  }
}

void ObjectCache::tell(const Table& table, const Value& before, const Value& after) {
  const CacheChange change{.resource = table.feed->resource(), .before = before, .after = after};
  for (Listener& listener : listeners_) listener(change);
}

void ObjectCache::tell_synced() {
  if (!has_synced() || !when_synced_) return;
  house_.executor.post(lifeline_.guard(std::exchange(when_synced_, nullptr)));
}

}  // namespace muster::client
