// SPDX-License-Identifier: Apache-2.0
#include "server/openapi_v2.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace muster::server {

using objects::Builder;
using objects::MemberView;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view component_prefix = "#/components/schemas/";
constexpr std::string_view definition_prefix = "#/definitions/";

// The name of the component that a schema refers to, by itself or as the one part it consists of.
std::string_view referred(View schema) {
  std::string_view target = schema["$ref"].string_or("");
  if (target.empty() && schema["allOf"].size() == 1) {
    target = schema["allOf"][0]["$ref"].string_or("");
  }
  if (!target.starts_with(component_prefix)) return {};
  return target.substr(component_prefix.size());
}

bool is_dropped(std::string_view keyword) {
  constexpr std::string_view dropped[] = {"allOf", "anyOf", "not", "nullable", "oneOf"};
  return std::find(std::begin(dropped), std::end(dropped), keyword) != std::end(dropped);
}

// Fields that a schema lets pass must not be refused by who reads it: it says nothing about them.
bool is_open(View schema) {
  if (schema["x-kubernetes-preserve-unknown-fields"].boolean_or(false)) return true;
  if (schema["x-kubernetes-int-or-string"].boolean_or(false)) return true;
  return schema["type"].string_or("") == "array" && !schema["items"].is_object();
}

bool is_said_of_open(std::string_view keyword) {
  return keyword == "description" || keyword.starts_with("x-");
}

}  // namespace

Node OpenApiV2::reference(std::string_view name, View from) {
  std::vector<Node::Member> members;
  members.push_back(
      {Builder::literal("$ref"), builder_.text(fmt::format("{}{}", definition_prefix, name))});
  for (const MemberView member : from.members()) {
    if (is_said_of_open(member.key)) {
      members.push_back({builder_.text(member.key), builder_.copy(member.value)});
    }
  }
  return builder_.object(members);
}

void OpenApiV2::add_keyword(const MemberView& member, std::vector<Node::Member>& to) {
  const auto set = [&](Node value) { to.push_back({builder_.text(member.key), value}); };
  if (member.key == "properties") {
    std::vector<Node::Member> properties;
    for (const MemberView property : member.value.members()) {
      properties.push_back({builder_.text(property.key), schema(property.value)});
    }
    if (!properties.empty()) set(builder_.object(properties));
  } else if (member.key == "items" || member.key == "additionalProperties") {
    set(member.value.is_object() ? schema(member.value) : builder_.copy(member.value));
  } else if (!is_dropped(member.key)) {
    set(builder_.copy(member.value));
  }
}

Node OpenApiV2::schema(View from) {
  if (const std::string_view name = referred(from); !name.empty()) return reference(name, from);
  std::vector<Node::Member> members;
  const bool open = is_open(from);
  for (const MemberView member : from.members()) {
    if (open && !is_said_of_open(member.key)) continue;
    add_keyword(member, members);
  }
  return builder_.object(members);
}

Node OpenApiV2::operation(View from) {
  std::vector<Node> parameters;
  for (const View parameter : from["parameters"].elements()) {
    const Node::Member members[] = {
        {Builder::literal("name"), builder_.copy(parameter["name"])},
        {Builder::literal("in"), builder_.copy(parameter["in"])},
        {Builder::literal("type"), builder_.copy(parameter["schema"]["type"])}};
    parameters.push_back(builder_.object(members));
  }
  const View answer = from["responses"]["200"]["content"]["application/json"]["schema"];
  const Node::Member answered[] = {{Builder::literal("description"), Builder::literal("OK")},
                                   {Builder::literal("schema"), schema(answer)}};
  const Node::Member codes[] = {{Builder::literal("200"), builder_.object(answered)}};
  const Node::Member members[] = {{Builder::literal("parameters"), builder_.array(parameters)},
                                  {Builder::literal("responses"), builder_.object(codes)},
                                  {Builder::literal("x-kubernetes-group-version-kind"),
                                   builder_.copy(from["x-kubernetes-group-version-kind"])}};
  return builder_.object(members);
}

Node OpenApiV2::path(View from) {
  std::vector<Node::Member> members;
  for (const MemberView method : from.members()) {
    members.push_back({builder_.text(method.key), operation(method.value)});
  }
  return builder_.object(members);
}

void OpenApiV2::add(View document) {
  for (const MemberView component : document["components"]["schemas"].members()) {
    if (!known_.emplace(component.key).second) continue;
    definitions_.push_back({builder_.text(component.key), schema(component.value)});
  }
  for (const MemberView each : document["paths"].members()) {
    paths_.push_back({builder_.text(each.key), path(each.value)});
  }
}

Value OpenApiV2::finish() && {
  const Node::Member info[] = {{Builder::literal("title"), Builder::literal("Muster")},
                               {Builder::literal("version"), Builder::literal("v1.35.0")}};
  const Node::Member members[] = {{Builder::literal("swagger"), Builder::literal("2.0")},
                                  {Builder::literal("info"), builder_.object(info)},
                                  {Builder::literal("paths"), builder_.object(paths_)},
                                  {Builder::literal("definitions"), builder_.object(definitions_)}};
  const Node root = builder_.object(members);
  return std::move(builder_).finish(root);
}

}  // namespace muster::server
