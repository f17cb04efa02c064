// SPDX-License-Identifier: Apache-2.0
#include "objects/schema.h"

#include <gtest/gtest.h>

#include <string>

#include "objects/json.h"
#include "objects/schema/compile.h"

namespace muster::objects {
namespace {

Value json(std::string_view text) {
  return parse_json(text).must();
}

Schema compile(std::string_view types, std::string_view schema,
               SchemaStyle style = SchemaStyle::native) {
  SchemaCompiler compiler;
  if (!types.empty()) compiler.add_types(json(types)).must();
  const auto root = compiler.add(json(schema), {.style = style, .kind = "Thing"}).must();
  return Schema(std::move(compiler).finish().must(), root);
}

TEST(SchemaTest, fields_items_and_additional_properties_are_found) {
  const Schema schema = compile("", R"({"type":"object","properties":{
      "labels":{"type":"object","additionalProperties":{"type":"string"}},
      "list":{"type":"array","items":{"type":"integer","format":"int32"}}}})");
  const SchemaNode root = schema.root();
  EXPECT_EQ(root.field("labels").member("any").type(), SchemaType::string);
  EXPECT_EQ(root.field("list").items().format(), "int32");
  EXPECT_TRUE(root.field("nope").is_none());
  EXPECT_TRUE(root.field("nope").field("deeper").items().is_none());
}

TEST(SchemaTest, merge_keys_and_topology_are_visible) {
  const Schema schema = compile(R"({"types":{"core.v1.Port":{"type":"object","properties":{
      "containerPort":{"type":"integer"},"protocol":{"type":"string","default":"TCP"}}}}})",
                                R"({"type":"object","properties":{
      "ports":{"type":"array","x-kubernetes-list-type":"map",
        "x-kubernetes-list-map-keys":["containerPort","protocol"],
        "x-kubernetes-patch-merge-key":"containerPort","x-kubernetes-patch-strategy":"merge",
        "items":{"$ref":"core.v1.Port"}},
      "selector":{"type":"object","x-kubernetes-map-type":"atomic",
        "x-kubernetes-patch-strategy":"merge,retainKeys"}}})");
  const SchemaNode ports = schema.root().field("ports");
  EXPECT_EQ(ports.list_type(), ListType::map);
  ASSERT_EQ(ports.list_map_keys().size(), 2u);
  EXPECT_EQ(ports.list_map_keys()[1], "protocol");
  EXPECT_EQ(ports.patch_merge_key(), "containerPort");
  EXPECT_TRUE(ports.patch_strategy().merge);
  EXPECT_FALSE(ports.patch_strategy().retain_keys);
  EXPECT_TRUE(schema.root().field("selector").patch_strategy().retain_keys);
  EXPECT_EQ(schema.root().field("selector").map_type(), MapType::atomic);
  EXPECT_EQ(ports.items().type_name(), "core.v1.Port");
  EXPECT_EQ(ports.items().field("protocol").default_value().string_or(""), "TCP");
}

TEST(SchemaTest, a_shared_type_is_compiled_once_and_may_be_recursive) {
  const Schema schema = compile(R"({"types":{"x.v1.Tree":{"type":"object","properties":{
      "left":{"$ref":"x.v1.Tree"},"right":{"$ref":"x.v1.Tree","x-muster-proto":2}}}}})",
                                R"({"type":"object","properties":{"tree":{"$ref":"x.v1.Tree"}}})");
  const SchemaNode tree = schema.root().field("tree");
  EXPECT_EQ(tree, tree.field("left"));
  EXPECT_EQ(tree, tree.field("right").field("left"));
}

TEST(SchemaTest, keys_beside_a_reference_apply_at_that_place_only) {
  const Schema schema = compile(R"({"types":{"x.v1.Name":{"type":"string","format":"dns-label"}}})",
                                R"({"type":"object","properties":{
      "a":{"$ref":"x.v1.Name","default":"z","x-muster-immutable":true},
      "b":{"$ref":"x.v1.Name"}}})");
  EXPECT_EQ(schema.root().field("a").default_value().string_or(""), "z");
  EXPECT_EQ(schema.root().field("a").format(), "dns-label");
  EXPECT_TRUE(schema.root().field("a").is_immutable());
  EXPECT_FALSE(schema.root().field("b").default_value());
}

TEST(SchemaTest, references_that_lead_nowhere_are_refused) {
  SchemaCompiler compiler;
  const auto root = compiler.add(json(R"({"properties":{"a":{"$ref":"no.such"}}})"), {});
  ASSERT_FALSE(root);
  EXPECT_EQ(root.error().field, "properties[a].$ref");
}

TEST(SchemaTest, tenants_may_not_refer_and_may_not_nest_without_end) {
  SchemaCompiler compiler;
  EXPECT_FALSE(compiler.add(json(R"({"properties":{"a":{"$ref":"meta.v1.ObjectMeta"}}})"),
                            {.trust = SchemaTrust::tenant}));
}

TEST(SchemaTest, many_fields_are_all_found) {
  std::string properties;
  for (int i = 0; i < 500; ++i) {
    properties +=
        (i == 0 ? "" : ",") + ("\"field" + std::to_string(i)) + "\":{\"type\":\"string\"}";
  }
  const Schema schema = compile("", "{\"type\":\"object\",\"properties\":{" + properties + "}}");
  for (int i = 0; i < 500; ++i) {
    EXPECT_TRUE(schema.root().field("field" + std::to_string(i)));
  }
  EXPECT_FALSE(schema.root().field("field500"));
  EXPECT_FALSE(schema.root().field(""));
}

}  // namespace
}  // namespace muster::objects
