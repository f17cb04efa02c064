// SPDX-License-Identifier: Apache-2.0
#include "objects/metadata.h"

#include <vector>

#include "base/timestamp.h"
#include "objects/builder.h"
#include "objects/edit.h"

namespace muster::objects {

ObjectKey key_of(View object) {
  return {std::string(namespace_of(object)), std::string(name_of(object))};
}

View controller_of(View object) {
  for (View owner : object["metadata"]["ownerReferences"].elements()) {
    if (owner["controller"].boolean_or(false)) return owner;
  }
  return {};
}

bool has_finalizer(View object, std::string_view finalizer) {
  for (View each : object["metadata"]["finalizers"].elements()) {
    if (each.string_or("") == finalizer) return true;
  }
  return false;
}

std::optional<Instant> instant_of(View timestamp) {
  const auto text = timestamp.string();
  if (!text) return std::nullopt;
  const auto parsed = parse_time(*text);
  if (!parsed) return std::nullopt;
  return parsed->saturated_instant();
}

View condition(View object, std::string_view type) {
  for (View each : object["status"]["conditions"].elements()) {
    if (each["type"].string_or("") == type) return each;
  }
  return {};
}

namespace {

bool says(View present, const Condition& wanted) {
  const bool same_text = present["status"].string_or("") == wanted.status &&
                         present["reason"].string_or("") == wanted.reason &&
                         present["message"].string_or("") == wanted.message;
  return same_text && (wanted.observed_generation == 0 ||
                       present["observedGeneration"].integer_or(0) == wanted.observed_generation);
}

Node written(Builder& builder, const Condition& wanted, View present, Instant now) {
  const View since = present["lastTransitionTime"];
  const bool stays = since.is_string() && present["status"].string_or("") == wanted.status;
  std::vector<Node::Member> members = {
      {builder.text("lastTransitionTime"),
       builder.text(stays ? std::string(since.string_or("")) : format_time(Timestamp::of(now)))},
      {builder.text("message"), builder.text(wanted.message)},
      {builder.text("reason"), builder.text(wanted.reason)},
      {builder.text("status"), builder.text(wanted.status)},
      {builder.text("type"), builder.text(wanted.type)}};
  if (wanted.observed_generation != 0) {
    members.push_back(
        {builder.text("observedGeneration"), Builder::integer(wanted.observed_generation)});
  }
  return builder.object(members);
}

}  // namespace

Value with_condition(const Value& object, const Condition& wanted, Instant now) {
  const View present = condition(object, wanted.type);
  if (present && says(present, wanted)) return object;
  Builder builder;
  builder.retain(object);
  std::vector<Node> conditions;
  bool replaced = false;
  for (View each : object["status"]["conditions"].elements()) {
    const bool is_it = each["type"].string_or("") == wanted.type;
    replaced = replaced || is_it;
    conditions.push_back(is_it ? written(builder, wanted, present, now) : each.node());
  }
  if (!replaced) conditions.push_back(written(builder, wanted, {}, now));
  const Node list = builder.array(conditions);
  const Value made = std::move(builder).finish(list);
  auto edited = with(object, {"status", "conditions"}, made);
  return edited ? *edited : object;
}

}  // namespace muster::objects
