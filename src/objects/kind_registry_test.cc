// SPDX-License-Identifier: Apache-2.0
#include "objects/kind_registry.h"

#include <gtest/gtest.h>

#include "objects/json.h"

namespace muster::objects {
namespace {

Value json(std::string_view text) {
  return parse_json(text).must();
}

Value definition(std::string_view schema) {
  return json(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"things.x.io"},"spec":{"group":"x.io","scope":"Namespaced",
    "names":{"kind":"Thing","plural":"things","shortNames":["th"]},
    "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)" +
              std::string(schema) + "}}]}}");
}

TEST(KindRegistryTest, built_in_kinds_are_found_by_every_name) {
  const KindRegistry registry = KindRegistry::built_in().must();
  ASSERT_TRUE(registry.find("", "Pod"));
  EXPECT_EQ(registry.find_resource("", "pods")->kind, "Pod");
  EXPECT_EQ(registry.find_name("po")->kind, "Pod");
  EXPECT_EQ(registry.find_name("workload")->kind, "Workload");
  EXPECT_EQ(registry.find("kueue.x-k8s.io", "Workload")->storage_version().name, "v1beta2");
  EXPECT_NE(registry.find("kueue.x-k8s.io", "Workload")->version("v1beta1"), nullptr);
  EXPECT_EQ(registry.find("kueue.x-k8s.io", "Workload")->qualified_name(),
            "Workload.kueue.x-k8s.io");
  EXPECT_FALSE(registry.find("", "Nope"));
}

TEST(KindRegistryTest, a_definition_is_added_replaced_and_removed) {
  KindRegistry registry = KindRegistry::built_in().must();
  EXPECT_TRUE(registry.add(definition(R"({"type":"object"})")).empty());
  const auto held = registry.find_name("th");
  ASSERT_TRUE(held);
  EXPECT_TRUE(registry
                  .add(definition(R"({"type":"object","properties":{"spec":{
      "type":"object","x-kubernetes-preserve-unknown-fields":true}}})"))
                  .empty());
  EXPECT_TRUE(registry.find_name("th")->storage_version().schema.root().field("spec"));
  EXPECT_FALSE(held->storage_version().schema.root().field("spec"));
  EXPECT_TRUE(registry.remove("x.io", "things"));
  EXPECT_FALSE(registry.find_name("th"));
  EXPECT_TRUE(held->storage_version().schema.root().field("metadata"));
}

TEST(KindRegistryTest, built_in_kinds_cannot_be_removed) {
  KindRegistry registry = KindRegistry::built_in().must();
  EXPECT_FALSE(registry.remove("", "pods"));
}

TEST(KindRegistryTest, a_bad_definition_leaves_the_registry_as_it_was) {
  KindRegistry registry = KindRegistry::built_in().must();
  const FieldErrors errors = registry.add(definition(R"({"type":"object","properties":{
      "spec":{"type":"object","properties":{"e":{"type":"string","$ref":"#/x"}}}}})"));
  EXPECT_EQ(errors.to_string(),
            "spec.validation.openAPIV3Schema.properties[spec].properties[e].$ref: Forbidden: $ref "
            "is not supported");
  EXPECT_FALSE(registry.find_name("things"));
}

TEST(KindRegistryTest, our_own_keys_are_refused_from_tenants) {
  KindRegistry registry = KindRegistry::built_in().must();
  EXPECT_FALSE(registry.add(definition(R"({"type":"object","x-muster-default-rule":"pod-status"})"))
                   .empty());
}

}  // namespace
}  // namespace muster::objects
