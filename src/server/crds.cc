// SPDX-License-Identifier: Apache-2.0
#include "server/crds.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "objects/builder.h"
#include "objects/kinds.h"
#include "objects/limits.h"
#include "objects/resource.h"
#include "objects/yaml.h"

namespace muster::server {

using objects::Builder;
using objects::MemberView;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

// What a JSONSchemaProps has; a server that decodes strictly refuses every other key.
bool is_schema_key(std::string_view key) {
  constexpr std::string_view known[] = {"additionalProperties",
                                        "allOf",
                                        "anyOf",
                                        "default",
                                        "description",
                                        "enum",
                                        "exclusiveMaximum",
                                        "exclusiveMinimum",
                                        "format",
                                        "items",
                                        "maxItems",
                                        "maxLength",
                                        "maxProperties",
                                        "maximum",
                                        "minItems",
                                        "minLength",
                                        "minProperties",
                                        "minimum",
                                        "multipleOf",
                                        "not",
                                        "nullable",
                                        "oneOf",
                                        "pattern",
                                        "properties",
                                        "required",
                                        "title",
                                        "type",
                                        "uniqueItems",
                                        "x-kubernetes-embedded-resource",
                                        "x-kubernetes-int-or-string",
                                        "x-kubernetes-list-map-keys",
                                        "x-kubernetes-list-type",
                                        "x-kubernetes-map-type",
                                        "x-kubernetes-preserve-unknown-fields",
                                        "x-kubernetes-validations"};
  return std::binary_search(std::begin(known), std::end(known), key);
}

class DefinitionWriter {
 public:
  DefinitionWriter() {
    for (const objects::EmbeddedFile& file : objects::api_files()) {
      if (!file.path.starts_with("types/")) continue;
      types_.push_back(objects::parse_yaml_document(file.text).must());
    }
  }

  Value definition(const objects::Kind& kind) {
    Builder builder;
    builder.retain(kind.definition);
    for (const Value& types : types_) builder.retain(types);
    std::vector<Node::Member> members;
    for (const MemberView member : kind.definition.view().members()) {
      const Node value = member.key == "spec" ? spec(member.value, builder) : member.value.node();
      members.push_back({builder.text(member.key), value});
    }
    const Node root = builder.object(members);
    return std::move(builder).finish(root);
  }

 private:
  Node spec(View given, Builder& builder) {
    std::vector<Node::Member> members;
    for (const MemberView member : given.members()) {
      if (member.key.starts_with("x-muster-") || member.key == "conversion") continue;
      Node value = member.value.node();
      if (member.key == "versions") {
        std::vector<Node> versions;
        for (View each : member.value.elements()) versions.push_back(version(each, builder));
        value = builder.array(versions);
      }
      members.push_back({builder.text(member.key), value});
    }
    const Node::Member strategy[] = {{Builder::literal("strategy"), Builder::literal("None")}};
    members.push_back({Builder::literal("conversion"), builder.object(strategy)});
    return builder.object(members);
  }

  Node version(View given, Builder& builder) {
    std::vector<Node::Member> members;
    for (const MemberView member : given.members()) {
      if (member.key.starts_with("x-muster-")) continue;
      Node value = member.value.node();
      if (member.key == "schema") {
        const Node::Member written[] = {{Builder::literal("openAPIV3Schema"),
                                         schema(member.value["openAPIV3Schema"], builder, 0)}};
        value = builder.object(written);
      }
      members.push_back({builder.text(member.key), value});
    }
    return builder.object(members);
  }

  // A schema with references written out: keys beside a reference go over those of the type.
  Node schema(View given, Builder& builder, std::size_t depth) {
    CHECK(depth < objects::schema_depth_max, "the types of our own kinds do not recur");
    if (given["$ref"].string_or("") == "meta.v1.ObjectMeta") return plain_object(builder);
    const View type = type_of(given);
    std::vector<Node::Member> members;
    for (const MemberView member : type.members()) {
      if (!given[member.key]) append(member, builder, depth, members);
    }
    for (const MemberView member : given.members()) append(member, builder, depth, members);
    return builder.object(members);
  }

  void append(const MemberView& member, Builder& builder, std::size_t depth,
              std::vector<Node::Member>& members) {
    if (!is_schema_key(member.key)) return;
    Node value = member.value.node();
    if (member.key == "properties") {
      value = properties(member.value, builder, depth);
    } else if (member.key == "items" ||
               (member.key == "additionalProperties" && member.value.is_object())) {
      value = schema(member.value, builder, depth + 1);
    }
    members.push_back({builder.text(member.key), value});
  }

  Node properties(View given, Builder& builder, std::size_t depth) {
    std::vector<Node::Member> members;
    for (const MemberView member : given.members()) {
      members.push_back({builder.text(member.key), schema(member.value, builder, depth + 1)});
    }
    return builder.object(members);
  }

  static Node plain_object(Builder& builder) {
    const Node::Member members[] = {{Builder::literal("type"), Builder::literal("object")}};
    return builder.object(members);
  }

  View type_of(View given) const {
    const auto name = given["$ref"].string();
    if (!name) return {};
    for (const Value& types : types_) {
      if (const View type = types["types"][*name]) return type;
    }
    return {};
  }

  std::vector<Value> types_;
};

}  // namespace

std::string custom_resource_definitions(const objects::KindRegistry& registry) {
  DefinitionWriter writer;
  std::string text;
  for (const objects::KindRegistry::Found& kind : registry.kinds()) {
    // Only what this program brings: the other kinds belong to projects that install their own.
    if (!kind->is_built_in || kind->group != objects::resources::kueue_group) continue;
    if (!text.empty()) text += "---\n";
    text += objects::to_yaml(writer.definition(*kind));
  }
  return text;
}

}  // namespace muster::server
