// SPDX-License-Identifier: Apache-2.0
#include "tests/client/fake_api.h"

#include <fmt/format.h>

#include <utility>

#include "base/timestamp.h"
#include "objects/edit.h"
#include "objects/metadata.h"

namespace muster::client {

using objects::key_of;
using objects::ObjectKey;
using objects::Resource;
using objects::uid_of;
using objects::Value;
using objects::View;

namespace {

Value set(const Value& object, std::initializer_list<objects::Step> path, const Value& value) {
  return objects::with(object, path, value).must();
}

Value part_or_absent(const Value& object, std::string_view member) {
  return Value::copy_of(object[member]);
}

}  // namespace

class FakeApi::Handle final : public Watch {
 public:
  Handle(FakeApi& api, std::uint64_t id) : api_(api), id_(id) {}
  ~Handle() override { api_.watches_.erase(id_); }

 private:
  FakeApi& api_;
  std::uint64_t id_;
};

void FakeApi::call(Call call, Answer answer) {
  ++calls_[{call.verb, call.resource}];
  executor_.post(
      lifeline_.guard([this, call = std::move(call), answer = std::move(answer)]() mutable {
        const bool is_refused = refused_ && refused_(call);
        const bool is_lost = lost_ && lost_(call);
        Result<Value> result =
            is_refused ? Result<Value>(Error{refusal_, "refused by the test"}) : perform(call);
        if (is_lost) result = Error{ErrorCode::unavailable, "lost by the test"};
        executor_.post_at(
            clock_.monotonic() + answer_delay_,
            lifeline_.guard([answer = std::move(answer), result = std::move(result)]() mutable {
              answer(std::move(result));
            }));
      }));
}

std::unique_ptr<Watch> FakeApi::watch(WatchCall call, WatchSink sink) {
  const std::uint64_t id = watcher_next_++;
  const Resource resource = call.resource;
  const std::uint64_t from = std::stoull("0" + call.resource_version);
  watches_[id] = {.call = std::move(call), .sink = std::move(sink)};
  if (from + 1 < first_version_) {
    executor_.post(lifeline_.guard([this, id] {
      const auto found = watches_.find(id);
      if (found == watches_.end()) return;
      found->second.is_closed = true;
      found->second.sink.on_closed(Error{ErrorCode::expired, "too old resource version"});
    }));
    return std::make_unique<Handle>(*this, id);
  }
  for (const Happened& happened : history_) {
    if (happened.version > from && happened.resource == resource) deliver(id, happened);
  }
  return std::make_unique<Handle>(*this, id);
}

void FakeApi::deliver(std::uint64_t watcher, const Happened& happened) {
  const auto found = watches_.find(watcher);
  if (found == watches_.end() || found->second.is_closed) return;
  const WatchCall& call = found->second.call;
  if (!call.name_space.empty() && call.name_space != objects::namespace_of(happened.object)) return;
  for (int i = 0; i < (events_twice_ ? 2 : 1); ++i) {
    executor_.post_at(
        clock_.monotonic() + watch_delay_,
        lifeline_.guard([this, watcher, type = happened.type, object = happened.object] {
          const auto alive = watches_.find(watcher);
          if (alive == watches_.end() || alive->second.is_closed) return;
          alive->second.sink.on_event({.type = type, .object = object});
        }));
  }
}

void FakeApi::close_watches(const Resource& resource, ErrorCode code) {
  for (auto& [id, watcher] : watches_) {
    if (!(watcher.call.resource == resource) || watcher.is_closed) continue;
    watcher.is_closed = true;
    executor_.post(lifeline_.guard([this, id = id, code] {
      const auto found = watches_.find(id);
      if (found != watches_.end()) found->second.sink.on_closed(Error{code, "closed by the test"});
    }));
  }
}

Value FakeApi::create(const Resource& resource, const Value& object) {
  Call call{.verb = Verb::create, .resource = resource};
  call.name_space = std::string(objects::namespace_of(object));
  call.body = object;
  return perform(call).must();
}

Value FakeApi::replace(const Resource& resource, const Value& object) {
  Call call{.verb = Verb::update, .resource = resource};
  call.name_space = std::string(objects::namespace_of(object));
  call.name = std::string(objects::name_of(object));
  call.body = object;
  return perform(call).must();
}

Value FakeApi::replace_status(const Resource& resource, const Value& object) {
  Call call{.verb = Verb::update, .resource = resource};
  call.name_space = std::string(objects::namespace_of(object));
  call.name = std::string(objects::name_of(object));
  call.subresource = "status";
  call.body = object;
  return perform(call).must();
}

void FakeApi::remove(const Resource& resource, const ObjectKey& key,
                     std::optional<std::int64_t> grace_period_seconds) {
  Call call{.verb = Verb::remove, .resource = resource};
  call.name_space = key.name_space;
  call.name = key.name;
  call.grace_period_seconds = grace_period_seconds;
  perform(call).must();
}

Value FakeApi::find(const Resource& resource, const ObjectKey& key) const {
  const auto table = tables_.find(resource);
  if (table == tables_.end()) return {};
  const auto object = table->second.find(key);
  return object == table->second.end() ? Value() : object->second;
}

std::vector<Value> FakeApi::all(const Resource& resource) const {
  std::vector<Value> objects;
  const auto table = tables_.find(resource);
  if (table == tables_.end()) return objects;
  for (const auto& [key, object] : table->second) objects.push_back(object);
  return objects;
}

void FakeApi::refuse(ErrorCode code, Matches matches) {
  refusal_ = code;
  refused_ = std::move(matches);
}

void FakeApi::lose_answers(Matches matches) {
  lost_ = std::move(matches);
}

void FakeApi::stop_faults() {
  refused_ = nullptr;
  lost_ = nullptr;
}

std::size_t FakeApi::calls(Verb verb, const Resource& resource) const {
  const auto found = calls_.find({verb, resource});
  return found == calls_.end() ? 0 : found->second;
}

Result<Value> FakeApi::perform(const Call& call) {
  switch (call.verb) {
    case Verb::get:
      return found(call);
    case Verb::list:
      return do_list(call);
    case Verb::create:
      return call.subresource == "binding" ? do_bind(call) : do_create(call);
    case Verb::update:
      return do_update(call);
    case Verb::patch:
      return do_patch(call);
    case Verb::remove:
      return do_remove(call);
  }
  return Error::internal("no such verb");
}

Result<Value> FakeApi::found(const Call& call) const {
  Value object = find(call.resource, {call.name_space, call.name});
  if (object.is_absent()) return Error{ErrorCode::not_found, "not found"};
  return object;
}

Result<Value> FakeApi::do_list(const Call& call) const {
  Value items = Value::array({});
  std::size_t count = 0;
  for (const Value& object : all(call.resource)) {
    if (!call.name_space.empty() && objects::namespace_of(object) != call.name_space) continue;
    items = objects::with(items, {count++}, object).must();
  }
  return Value::object(
      {{"metadata", Value::object({{"resourceVersion", Value::string(std::to_string(version_))}})},
       {"items", items}});
}

Result<Value> FakeApi::do_create(const Call& call) {
  if (find(call.resource, key_of(call.body))) {
    return Error{ErrorCode::already_exists, "it is there"};
  }
  Value object = call.body;
  object = set(object, {"metadata", "uid"}, Value::string(fmt::format("uid-{}", uid_next_++)));
  object = set(object, {"metadata", "generation"}, Value::integer(1));
  object = set(object, {"metadata", "creationTimestamp"},
               Value::string(format_time(Timestamp::of(clock_.wall()))));
  return store(call.resource, WatchEvent::Type::added, object);
}

Result<Value> FakeApi::do_update(const Call& call) {
  const Value old = TRY(found(call));
  const auto wanted = objects::resource_version_of(call.body);
  if (!wanted.empty() && wanted != objects::resource_version_of(old)) {
    return Error{ErrorCode::conflict, "the object has been modified"};
  }
  Value next;
  if (call.subresource == "status") {
    next = set(old, {"status"}, part_or_absent(call.body, "status"));
  } else {
    next = call.body;
    for (const std::string_view kept : {"uid", "generation", "creationTimestamp"}) {
      next = set(next, {"metadata", kept}, Value::copy_of(old["metadata"][kept]));
    }
    if (old["status"]) next = set(next, {"status"}, part_or_absent(old, "status"));
    if (!(next["spec"] == old["spec"])) {
      next = set(next, {"metadata", "generation"}, Value::integer(objects::generation_of(old) + 1));
    }
  }
  if (next.view() == old.view()) return old;
  const bool is_going = objects::is_being_deleted(old) && next["metadata"]["finalizers"].empty() &&
                        old["metadata"]["deletionGracePeriodSeconds"].integer_or(0) == 0;
  if (is_going) return erase(call.resource, next);
  return store(call.resource, WatchEvent::Type::modified, next);
}

// A merge patch as events need it: top members are replaced.
Result<Value> FakeApi::do_patch(const Call& call) {
  Value next = TRY(found(call));
  for (const auto& [member, value] : call.body.view().members()) {
    next = set(next, {member}, Value::copy_of(value));
  }
  return store(call.resource, WatchEvent::Type::modified, next);
}

Result<Value> FakeApi::do_remove(const Call& call) {
  const Value old = TRY(found(call));
  if (!call.preconditions.uid.empty() && call.preconditions.uid != uid_of(old)) {
    return Error{ErrorCode::conflict, "another uid"};
  }
  const bool is_pod = call.resource == objects::resources::pods;
  const bool is_bound = !old["spec"]["nodeName"].string_or("").empty();
  const std::int64_t grace = is_pod && is_bound ? call.grace_period_seconds.value_or(30) : 0;
  if (old["metadata"]["finalizers"].empty() && grace == 0) {
    erase(call.resource, old);
    return Value::object({{"kind", Value::string("Status")}, {"status", Value::string("Success")}});
  }
  Value next = old;
  if (!objects::is_being_deleted(old)) {
    next = set(next, {"metadata", "deletionTimestamp"},
               Value::string(format_time(Timestamp::of(clock_.wall()))));
  }
  next = set(next, {"metadata", "deletionGracePeriodSeconds"}, Value::integer(grace));
  return store(call.resource, WatchEvent::Type::modified, next);
}

Result<Value> FakeApi::do_bind(const Call& call) {
  Value pod = TRY(found(call));
  if (!pod["spec"]["nodeName"].string_or("").empty()) {
    return Error{ErrorCode::conflict, "it has a node"};
  }
  pod = set(pod, {"spec", "nodeName"}, Value::copy_of(call.body["target"]["name"]));
  for (const auto& [name, value] : objects::annotations_of(call.body).members()) {
    pod = set(pod, {"metadata", "annotations", name}, Value::copy_of(value));
  }
  store(call.resource, WatchEvent::Type::modified, pod);
  return Value::object({{"kind", Value::string("Status")}, {"status", Value::string("Success")}});
}

Value FakeApi::store(const Resource& resource, WatchEvent::Type type, const Value& object) {
  const Value stored =
      set(object, {"metadata", "resourceVersion"}, Value::string(std::to_string(++version_)));
  if (type == WatchEvent::Type::deleted) {
    tables_[resource].erase(key_of(stored));
  } else {
    tables_[resource][key_of(stored)] = stored;
  }
  history_.push_back({.version = version_, .resource = resource, .type = type, .object = stored});
  for (const auto& [id, watcher] : watches_) {
    if (watcher.call.resource == resource) deliver(id, history_.back());
  }
  return stored;
}

Value FakeApi::erase(const Resource& resource, const Value& object) {
  const Value last = store(resource, WatchEvent::Type::deleted, object);
  executor_.post(lifeline_.guard([this, uid = std::string(uid_of(last))] { collect_owned(uid); }));
  return last;
}

void FakeApi::collect_owned(std::string_view uid) {
  std::vector<std::pair<Resource, ObjectKey>> owned;
  for (const auto& [resource, table] : tables_) {
    for (const auto& [key, object] : table) {
      for (const View owner : object["metadata"]["ownerReferences"].elements()) {
        if (owner["uid"].string_or("") == uid) owned.emplace_back(resource, key);
      }
    }
  }
  for (const auto& [resource, key] : owned) {
    if (!objects::is_being_deleted(find(resource, key))) remove(resource, key);
  }
}

}  // namespace muster::client
