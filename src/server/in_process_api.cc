// SPDX-License-Identifier: Apache-2.0
#include "server/in_process_api.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "objects/json.h"
#include "server/access.h"
#include "server/audit_call.h"
#include "server/limits.h"
#include "server/read.h"
#include "server/reviews.h"
#include "server/stored_object.h"
#include "server/watch_feed.h"
#include "server/write.h"

namespace muster::server {

using client::Call;
using client::Verb;
using client::WatchCall;
using client::WatchEvent;
using client::WatchSink;
using objects::Value;

namespace {

// What Muster's own parts write belongs to Muster.
constexpr std::string_view own_field_manager = "muster";

std::string_view name_of(Verb verb) {
  switch (verb) {
    case Verb::get:
      return "get";
    case Verb::list:
      return "list";
    case Verb::create:
      return "create";
    case Verb::update:
      return "update";
    case Verb::patch:
      return "patch";
    case Verb::remove:
      return "delete";
  }
  return "get";
}

Outcome<Target> target_of(const Context& context, const objects::Resource& resource) {
  Target target;
  target.kind = context.registry.find_resource(resource.group, resource.plural);
  if (target.kind == nullptr) return failures::unknown_resource();
  target.version = target.kind->version(resource.version);
  if (target.version == nullptr || !target.version->served) return failures::unknown_resource();
  return target;
}

Outcome<Target> target_of(const Context& context, const Call& call) {
  Target target = ALLOWED(target_of(context, call.resource));
  if (target.is_namespaced()) target.name_space = call.name_space;
  target.name = call.name;
  target.subresource = call.subresource;
  ALLOWED(check_subresource(target, name_of(call.verb)));
  return target;
}

Outcome<Value> list_value(Context& context, const Call& call, const Target& target) {
  const Snapshot snapshot = ALLOWED(list(context, {.target = target,
                                                   .label_selector = call.label_selector,
                                                   .field_selector = call.field_selector}));
  const std::string text = ALLOWED(list_text(context, target, snapshot, ItemTypes::without_owners));
  return TRY(objects::parse_json(text, {.bytes_max = text.size()}));
}

// The trees that watches share too: no text is made of them, and nothing is parsed twice.
Outcome<client::Listed> list_items(Context& context, const Call& call, const Target& target) {
  const Snapshot snapshot = ALLOWED(list(context, {.target = target,
                                                   .label_selector = call.label_selector,
                                                   .field_selector = call.field_selector}));
  client::Listed listed{.resource_version = fmt::to_string(snapshot.revision.value), .items = {}};
  listed.items.reserve(snapshot.items.size());
  for (const Item& item : snapshot.items) {
    listed.items.push_back(
        ALLOWED(in_version(target, context.trees.tree_at(item.bytes, item.revision))));
  }
  return listed;
}

Outcome<Value> get_value(Context& context, const Target& target) {
  const Item item = ALLOWED(get(context, target));
  return in_version(target, context.trees.tree_at(item.bytes, item.revision));
}

template <typename T>
Result<T> as_result(Outcome<T> outcome) {
  if (!outcome) return outcome.error().to_error();
  return std::move(outcome).take();
}

std::optional<WatchEvent::Type> type_of(Change::Type type) {
  switch (type) {
    case Change::Type::added:
      return WatchEvent::Type::added;
    case Change::Type::modified:
      return WatchEvent::Type::modified;
    case Change::Type::deleted:
      return WatchEvent::Type::deleted;
    case Change::Type::bookmark:
    case Change::Type::initial_events_end:
      return WatchEvent::Type::bookmark;
  }
  return std::nullopt;
}

Value bookmark(store::Revision revision) {
  return Value::object(
      {{"metadata",
        Value::object({{"resourceVersion", Value::string(fmt::to_string(revision.value))}})}});
}

// Shared by the watch and the turns it has posted, so that none of them outlives what it calls.
struct WatchTurns {
  Context& context;
  WatchSink sink;
  std::unique_ptr<WatchFeed> feed = {};
  bool closed = false;
};

void turn(const std::shared_ptr<WatchTurns>& watch);

void post_turn(const std::shared_ptr<WatchTurns>& watch) {
  watch->context.house.post([watch] { turn(watch); });
}

void close(WatchTurns& watch, const Error& error) {
  watch.closed = true;
  if (watch.sink.on_closed) watch.sink.on_closed(error);
}

void deliver(WatchTurns& watch, const Change& change) {
  if (change.bytes.is_none()) {
    return watch.sink.on_event({WatchEvent::Type::bookmark, bookmark(change.revision)});
  }
  auto shown =
      in_version(watch.feed->target(), watch.context.trees.tree_at(change.bytes, change.revision));
  if (!shown) return close(watch, shown.error().to_error());
  watch.sink.on_event({*type_of(change.type), std::move(shown).take()});
}

void turn(const std::shared_ptr<WatchTurns>& watch) {
  if (watch->closed || watch->feed == nullptr) return;
  FeedStep step = watch->feed->take(watch_events_per_turn_max);
  for (const Change& change : step.changes) {
    if (watch->closed) return;
    deliver(*watch, change);
  }
  if (watch->closed) return;
  if (step.ended) {
    const Error ended = step.failure ? step.failure->to_error()
                                     : Error{ErrorCode::timeout, "the watch has run its time"};
    return close(*watch, ended);
  }
  if (step.more) post_turn(watch);
}

class InProcessWatch final : public client::Watch {
 public:
  explicit InProcessWatch(std::shared_ptr<WatchTurns> turns) : turns_(std::move(turns)) {}
  ~InProcessWatch() override {
    turns_->closed = true;
    turns_->feed.reset();
  }

 private:
  std::shared_ptr<WatchTurns> turns_;
};

class InProcessApi final : public client::Api {
 public:
  InProcessApi(Context& context, Identity identity)
      : context_(context), identity_(std::move(identity)) {}

  void call(Call call, client::Answer answer) override;
  void list(Call call, client::ListAnswer answer) override;
  std::unique_ptr<client::Watch> watch(WatchCall call, WatchSink sink) override;

 private:
  Outcome<Target> allowed_target(const Call& call) const;
  Outcome<std::unique_ptr<WatchFeed>> open(const WatchCall& call, Task on_ready);
  void answer_later(client::Answer answer, Outcome<Value> outcome);
  WriteRequest write_request(Call call, Target target) const;

  Context& context_;
  Identity identity_;
};

Outcome<Target> InProcessApi::allowed_target(const Call& call) const {
  Target target = ALLOWED(target_of(context_, call));
  ALLOWED(check_access(context_, target, name_of(call.verb), identity_));
  return target;
}

void InProcessApi::answer_later(client::Answer answer, Outcome<Value> outcome) {
  context_.house.post([answer = std::move(answer), outcome = std::move(outcome)]() mutable {
    answer(as_result(std::move(outcome)));
  });
}

WriteRequest InProcessApi::write_request(Call call, Target target) const {
  return {.target = std::move(target),
          .body = std::move(call.body),
          .identity = identity_,
          .field_manager = std::string(own_field_manager)};
}

void InProcessApi::call(Call call, client::Answer answer) {
  answer = audited(context_, identity_, call, name_of(call.verb), std::move(answer));
  context_.cache.catch_up();
  auto allowed = allowed_target(call);
  if (!allowed) return answer_later(std::move(answer), std::move(allowed).error());
  Target target = std::move(allowed).take();
  if (call.verb == Verb::get) return answer_later(std::move(answer), get_value(context_, target));
  if (call.verb == Verb::list) {
    return answer_later(std::move(answer), list_value(context_, call, target));
  }
  if (target.is("", "serviceaccounts") && target.subresource == "token") {
    auto reviewed = request_token(context_, write_request(std::move(call), std::move(target)));
    return answer_later(std::move(answer), reviewed ? Outcome<Value>(std::move(reviewed->object))
                                                    : Outcome<Value>(std::move(reviewed).error()));
  }
  WriteAnswer done = [target, answer = std::move(answer)](Outcome<Written> written) mutable {
    if (!written) return answer(written.error().to_error());
    answer(as_result(in_version(target, written->object)));
  };
  if (call.verb == Verb::remove) {
    return remove(context_,
                  {.target = std::move(target),
                   .propagation = call.propagation,
                   .grace_period_seconds = call.grace_period_seconds,
                   .preconditions = std::move(call.preconditions),
                   .identity = identity_},
                  std::move(done));
  }
  const Verb verb = call.verb;
  const objects::PatchType type = call.patch_type;
  const bool binds = target.subresource == "binding";
  WriteRequest request = write_request(std::move(call), std::move(target));
  if (binds) return bind(context_, std::move(request), std::move(done));
  if (verb == Verb::create) return create(context_, std::move(request), std::move(done));
  if (verb == Verb::update) return update(context_, std::move(request), std::move(done));
  patch(context_, std::move(request), type, std::move(done));
}

void InProcessApi::list(Call call, client::ListAnswer answer) {
  context_.cache.catch_up();
  const auto listed = [&]() -> Outcome<client::Listed> {
    return list_items(context_, call, ALLOWED(allowed_target(call)));
  };
  context_.house.post([answer = std::move(answer), outcome = listed()]() mutable {
    answer(as_result(std::move(outcome)));
  });
}

Outcome<std::unique_ptr<WatchFeed>> InProcessApi::open(const WatchCall& call, Task on_ready) {
  Target target = ALLOWED(target_of(context_, call.resource));
  if (target.is_namespaced()) target.name_space = call.name_space;
  ALLOWED(check_access(context_, target, "watch", identity_));
  return WatchFeed::open(context_,
                         {.target = std::move(target),
                          .label_selector = call.label_selector,
                          .field_selector = call.field_selector,
                          .resource_version = call.resource_version,
                          .allow_bookmarks = true},
                         std::move(on_ready));
}

std::unique_ptr<client::Watch> InProcessApi::watch(WatchCall call, WatchSink sink) {
  auto turns = std::make_shared<WatchTurns>(WatchTurns{context_, std::move(sink)});
  // The feed is a part of the turns: what it calls must not keep them alive.
  auto feed = open(call, [weak = std::weak_ptr(turns)] {
    if (const auto strong = weak.lock()) turn(strong);
  });
  if (feed) {
    turns->feed = std::move(feed).take();
    post_turn(turns);
  } else {
    context_.house.post([turns, failure = feed.error()] {
      if (!turns->closed) close(*turns, failure.to_error());
    });
  }
  return std::make_unique<InProcessWatch>(std::move(turns));
}

}  // namespace

std::unique_ptr<client::Api> make_in_process_api(Context& context, Identity identity) {
  return std::make_unique<InProcessApi>(context, std::move(identity));
}

}  // namespace muster::server
