// SPDX-License-Identifier: Apache-2.0
#include "core/draft.h"

#include <algorithm>

#include "objects/builder.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Builder;
using objects::Step;
using objects::Value;
using objects::View;

Draft& Draft::set(std::initializer_list<Step> path, const Value& value) {
  if (auto edited = objects::with(object_, path, value)) object_ = *std::move(edited);
  return *this;
}

Draft& Draft::drop(std::initializer_list<Step> path) {
  if (auto edited = objects::without(object_, path)) object_ = *std::move(edited);
  return *this;
}

Draft& Draft::set_or_drop(std::initializer_list<Step> path, const Value& value) {
  const View view = value;
  const bool says_nothing = view.is_absent() || view.is_null() ||
                            ((view.is_object() || view.is_array()) && view.empty()) ||
                            (view.is_string() && view.string_or("").empty());
  return says_nothing ? drop(path) : set(path, value);
}

Value string_map(const StringPairs& pairs) {
  Builder builder;
  std::vector<objects::Node::Member> members;
  for (const auto& [key, text] : pairs) {
    const auto same_key = [&key = key](const objects::Node::Member& member) {
      return std::string_view(member.key.text, member.key.size) == key;
    };
    const auto there = std::find_if(members.begin(), members.end(), same_key);
    if (there != members.end()) {
      there->value = builder.text(text);
    } else {
      members.push_back({builder.text(key), builder.text(text)});
    }
  }
  const objects::Node root = builder.object(members);
  return std::move(builder).finish(root);
}

Value list_of(std::span<const Value> elements) {
  Builder builder;
  std::vector<objects::Node> nodes;
  for (const Value& each : elements) nodes.push_back(builder.embed(each));
  const objects::Node root = builder.array(nodes);
  return std::move(builder).finish(root);
}

Value strings_of(std::span<const std::string> texts) {
  Builder builder;
  std::vector<objects::Node> nodes;
  for (const std::string& each : texts) nodes.push_back(builder.text(each));
  const objects::Node root = builder.array(nodes);
  return std::move(builder).finish(root);
}

Value without_finalizer(const Value& object, std::string_view finalizer) {
  std::vector<std::string> kept;
  for (View each : object["metadata"]["finalizers"].elements()) {
    const std::string_view text = each.string_or("");
    if (text != finalizer) kept.emplace_back(text);
  }
  return Draft(object).set_or_drop({"metadata", "finalizers"}, strings_of(kept)).value();
}

Value controller_reference(std::string_view api_version, std::string_view kind, View owner) {
  return Value::object({{"apiVersion", Value::string(api_version)},
                        {"kind", Value::string(kind)},
                        {"name", Value::string(objects::name_of(owner))},
                        {"uid", Value::string(objects::uid_of(owner))},
                        {"controller", Value::boolean(true)},
                        {"blockOwnerDeletion", Value::boolean(true)}});
}

}  // namespace muster::core
