// SPDX-License-Identifier: Apache-2.0
#include "server/object_cache.h"

#include <algorithm>

#include "objects/metadata.h"
#include "server/stored_object.h"

namespace muster::server {

using objects::FieldSelector;
using objects::Kind;
using objects::LabelSelector;
using objects::MemberView;
using objects::Value;
using objects::View;

namespace {

// Enough for all threads to have something to do, few enough to lie in memory beside all the rest.
constexpr std::size_t loaded_at_once = 4'096;
constexpr std::size_t piece_entries = 256;

std::string place_of(std::string_view name_space, std::string_view name) {
  std::string at(name_space);
  if (!at.empty()) at += '/';
  at += name;
  return at;
}

}  // namespace

ObjectCache::ObjectCache(store::Store& store, const objects::KindRegistry& registry,
                         TreeCache& trees)
    : store_(store), registry_(registry), trees_(trees) {}

Result<> ObjectCache::load(const InParallel& in_parallel) {
  std::string start;
  store::ListPage page;
  std::vector<Described> ready;  // of the page before
  do {
    auto next = TRY(store_.list(
        {.prefix = registry_prefix, .at = revision_, .limit = loaded_at_once, .start = start}));
    revision_ = next.revision;
    by_uid_.reserve(by_uid_.size() + next.entries.size() + next.remaining);
    std::vector<Described> described = find_collections(next.entries);
    const std::size_t pieces = (described.size() + piece_entries - 1) / piece_entries;
    in_parallel(pieces + 1, [&](std::size_t piece) {
      if (piece == 0) return take_in(ready);
      const std::size_t end = std::min(piece * piece_entries, described.size());
      for (std::size_t i = (piece - 1) * piece_entries; i < end; ++i) {
        Described& each = described[i];
        each.tree = TreeCache::read(each.entry->value);
        each.object = describe(*each.collection, *each.entry, each.tree);
      }
    });
    page = std::move(next);
    ready = std::move(described);
    if (!page.entries.empty()) start = std::string(page.entries.back().key.view()) + '\0';
  } while (page.remaining > 0);
  take_in(ready);
  watch_ = TRY(store_.watch_from(revision_, registry_prefix, [this] { catch_up(); }));
  catch_up();
  return {};
}

void ObjectCache::catch_up() {
  if (watch_ == nullptr) return;
  while (true) {
    auto batch = watch_->take(4'096);
    // The watch is served in every turn of the house, so it is never far behind; it fails when the
    // store has stopped, and then what is known stays known.
    if (!batch) return watch_.reset();
    for (const store::EventPointer& event : batch->events) {
      apply({event->key, event->value, event->revision});
    }
    revision_ = std::max(revision_, batch->revision);
    if (!batch->more) return;
  }
}

ObjectCache::Collection* ObjectCache::collection_of(std::string_view key) {
  const auto parts = parse_key(key);
  if (!parts) return nullptr;
  const auto found = collections_.find(std::pair(parts->group, parts->plural));
  if (found != collections_.end()) return &found->second;
  auto kind = registry_.find_resource(parts->group, parts->plural);
  if (kind == nullptr) return nullptr;
  SelectableFields fields(*kind);
  std::pair<std::string, std::string> which(parts->group, parts->plural);
  return &collections_.emplace(std::move(which), Collection{std::move(kind), std::move(fields), {}})
              .first->second;
}

void ObjectCache::kind_changed(std::string_view group, std::string_view plural) {
  const auto found = collections_.find(std::pair(group, plural));
  if (found == collections_.end()) return;
  Collection& collection = found->second;
  auto kind = registry_.find_resource(group, plural);
  if (kind == nullptr) {
    for (const auto& [at, object] : collection.objects) unindex(collection, at, object);
    collections_.erase(found);
    return;
  }
  collection.fields = SelectableFields(*kind);
  collection.kind = std::move(kind);
  for (auto& [at, object] : collection.objects) {
    object.kind = collection.kind;
    object.fields = collection.fields.read(trees_.tree_of(object.bytes));
  }
}

const ObjectCache::Collection* ObjectCache::collection_of(const Kind& kind) const {
  const Kind& stored = kind.stored_kind();
  const auto found =
      collections_.find(std::pair<std::string_view, std::string_view>(stored.group, stored.plural));
  return found == collections_.end() ? nullptr : &found->second;
}

CachedObject ObjectCache::describe(const Collection& collection, const store::Entry& entry,
                                   const Value& tree) {
  const KeyParts parts = parse_key(entry.key.view()).value_or(KeyParts());
  const View metadata = tree["metadata"];
  CachedObject object{.kind = collection.kind,
                      .name_space = std::string(parts.name_space),
                      .name = std::string(parts.name),
                      .bytes = entry.value,
                      .revision = entry.revision,
                      .uid = std::string(metadata["uid"].string_or("")),
                      .labels = {},
                      .fields = collection.fields.read(tree),
                      .owners = {},
                      .is_being_deleted = objects::is_being_deleted(tree),
                      .has_finalizers = !metadata["finalizers"].empty()};
  for (const MemberView label : metadata["labels"].members()) {
    object.labels.emplace_back(label.key, label.value.string_or(""));
  }
  std::ranges::sort(object.labels);
  for (View owner : metadata["ownerReferences"].elements()) {
    object.owners.push_back(
        {std::string(owner["uid"].string_or("")), owner["blockOwnerDeletion"].boolean_or(false)});
  }
  return object;
}

// Those of kinds that nobody knows stay where they are.
std::vector<ObjectCache::Described> ObjectCache::find_collections(
    const std::vector<store::Entry>& entries) {
  std::vector<Described> found;
  found.reserve(entries.size());
  for (const store::Entry& entry : entries) {
    if (Collection* const collection = collection_of(entry.key.view())) {
      found.push_back({.collection = collection, .entry = &entry});
    }
  }
  return found;
}

// In the order of their keys, so that each comes behind the last.
void ObjectCache::take_in(std::vector<Described>& described) {
  for (Described& each : described) {
    trees_.remember(each.entry->value, each.tree);
    Objects& objects = each.collection->objects;
    const std::string at = place_of(each.object.name_space, each.object.name);
    CachedObject& place = objects.try_emplace(objects.end(), at)->second;
    place = std::move(each.object);
    index(*each.collection, at, place);
  }
}

void ObjectCache::apply(const store::Entry& entry) {
  Collection* collection = collection_of(entry.key.view());
  if (collection == nullptr) return;
  const KeyParts parts = parse_key(entry.key.view()).value_or(KeyParts());
  const std::string at = place_of(parts.name_space, parts.name);
  const auto present = collection->objects.lower_bound(at);
  CachedObject before;
  const bool was_there = present != collection->objects.end() && present->first == at;
  if (was_there) {
    unindex(*collection, at, present->second);
    before = std::move(present->second);
  }
  const CachedObject* now = nullptr;
  if (entry.value.is_none()) {
    if (was_there) collection->objects.erase(present);
  } else {
    CachedObject next = describe(*collection, entry, trees_.tree_of(entry.value));
    CachedObject& place =
        was_there ? present->second : collection->objects.try_emplace(present, at)->second;
    place = std::move(next);
    index(*collection, at, place);
    now = &place;
  }
  if (on_change_) on_change_({was_there ? &before : nullptr, now});
}

void ObjectCache::index(const Collection& collection, const std::string& at,
                        const CachedObject& object) {
  by_uid_.insert_or_assign(object.uid, &object);
  for (const Owner& owner : object.owners) by_owner_[owner.uid].insert(Place(&collection, at));
}

void ObjectCache::unindex(const Collection& collection, const std::string& at,
                          const CachedObject& object) {
  by_uid_.erase(object.uid);
  for (const Owner& owner : object.owners) {
    const auto places = by_owner_.find(owner.uid);
    if (places == by_owner_.end()) continue;
    places->second.erase(Place(&collection, at));
    if (places->second.empty()) by_owner_.erase(places);
  }
}

const CachedObject* ObjectCache::find(const Kind& kind, std::string_view name_space,
                                      std::string_view name) const {
  const Collection* collection = collection_of(kind);
  if (collection == nullptr) return nullptr;
  const auto found = collection->objects.find(place_of(name_space, name));
  return found == collection->objects.end() ? nullptr : &found->second;
}

ObjectCache::Range ObjectCache::all_in(const Kind& kind, std::string_view name_space) const {
  static const Objects none;
  const Collection* collection = collection_of(kind);
  if (collection == nullptr) return Range(none.begin(), none.end());
  const Objects& all = collection->objects;
  if (name_space.empty()) return Range(all.begin(), all.end());
  std::string first(name_space);
  first += '/';
  std::string last(name_space);
  last += static_cast<char>('/' + 1);
  return Range(all.lower_bound(first), all.lower_bound(last));
}

const CachedObject* ObjectCache::find_uid(std::string_view uid) const {
  const auto found = by_uid_.find(uid);
  return found == by_uid_.end() ? nullptr : found->second;
}

std::vector<const CachedObject*> ObjectCache::dependents_of(std::string_view uid) const {
  std::vector<const CachedObject*> found;
  const auto places = by_owner_.find(uid);
  if (places == by_owner_.end()) return found;
  for (const auto& [collection, at] : places->second) {
    found.push_back(&collection->objects.at(at));
  }
  // The set is in the order of addresses: names decide, so that two runs are the same.
  std::ranges::sort(found, {}, [](const CachedObject* object) {
    return std::tie(object->kind->group, object->kind->plural, object->name_space, object->name);
  });
  return found;
}

bool ObjectCache::matches(const CachedObject& object, const LabelSelector& labels,
                          const FieldSelector& fields) const {
  const auto label = [&object](std::string_view key) -> std::optional<std::string_view> {
    const auto found = std::ranges::lower_bound(object.labels, key, {},
                                                &std::pair<std::string, std::string>::first);
    if (found == object.labels.end() || found->first != key) return std::nullopt;
    return found->second;
  };
  if (!labels.matches_by(label)) return false;
  const Collection* collection = collection_of(*object.kind);
  return fields.matches_by([&](std::string_view field) -> std::string_view {
    if (field == "metadata.name") return object.name;
    if (field == "metadata.namespace") return object.name_space;
    return collection->fields.value(object.fields, field);
  });
}

}  // namespace muster::server
