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

Result<> ObjectCache::load() {
  std::string start;
  while (true) {
    const auto page =
        TRY(store_.list({.prefix = registry_prefix, .at = revision_, .start = start}));
    revision_ = page.revision;
    for (const store::Entry& entry : page.entries) {
      apply(entry.key.view(), entry.value, entry.revision);
    }
    if (page.remaining == 0) break;
    start = std::string(page.entries.back().key.view()) + '\0';
  }
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
      apply(event->key.view(), event->value, event->revision);
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

CachedObject ObjectCache::describe(const Collection& collection, std::string_view key,
                                   const store::Bytes& value, store::Revision revision) {
  const KeyParts parts = parse_key(key).value_or(KeyParts());
  const Value tree = trees_.tree_of(value);
  const View metadata = tree["metadata"];
  CachedObject object{.kind = collection.kind,
                      .name_space = std::string(parts.name_space),
                      .name = std::string(parts.name),
                      .bytes = value,
                      .revision = revision,
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

void ObjectCache::apply(std::string_view key, const store::Bytes& value, store::Revision revision) {
  Collection* collection = collection_of(key);
  if (collection == nullptr) return;
  const KeyParts parts = parse_key(key).value_or(KeyParts());
  const std::string at = place_of(parts.name_space, parts.name);
  const auto present = collection->objects.find(at);
  CachedObject before;
  const bool was_there = present != collection->objects.end();
  if (was_there) {
    unindex(*collection, at, present->second);
    before = std::move(present->second);
  }
  const CachedObject* now = nullptr;
  if (value.is_none()) {
    if (was_there) collection->objects.erase(present);
  } else {
    CachedObject next = describe(*collection, key, value, revision);
    // At a start they come in their order, each behind the last.
    CachedObject& place =
        was_there ? present->second
                  : collection->objects.try_emplace(collection->objects.end(), at)->second;
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
