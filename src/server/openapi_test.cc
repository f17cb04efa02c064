// SPDX-License-Identifier: Apache-2.0
#include "server/openapi.h"

#include <gtest/gtest.h>

#include "objects/json.h"
#include "objects/yaml.h"
#include "server/openapi_v2.h"

namespace muster::server {
namespace {

using objects::MemberView;
using objects::Value;
using objects::View;

constexpr std::string_view prefix = "#/components/schemas/";

void expect_references_to_exist(View schema, View schemas, std::string_view before = prefix) {
  if (const auto reference = schema["$ref"].string()) {
    ASSERT_TRUE(reference->starts_with(before));
    EXPECT_TRUE(schemas[reference->substr(before.size())].is_object()) << *reference;
  }
  for (MemberView member : schema.members()) {
    expect_references_to_exist(member.value, schemas, before);
  }
  for (View element : schema.elements()) expect_references_to_exist(element, schemas, before);
}

class OpenApiTest : public testing::Test {
 protected:
  objects::KindRegistry registry_ = objects::KindRegistry::built_in().must();
};

// kubectl looks for exactly this before it lets the server validate fields.
TEST_F(OpenApiTest, every_kind_can_be_patched_with_field_validation) {
  OpenApi openapi(registry_);
  const Value index = objects::parse_json(openapi.index().text).must();
  std::size_t patches = 0;
  for (MemberView entry : index["paths"].members()) {
    const TaggedText* text = openapi.document(entry.key);
    ASSERT_NE(text, nullptr) << entry.key;
    const Value document = objects::parse_json(text->text, {.bytes_max = text->text.size()}).must();
    const std::string hash = text->etag.substr(1, text->etag.size() - 2);
    EXPECT_EQ(entry.value["serverRelativeURL"].string_or(""),
              "/openapi/v3/" + std::string(entry.key) + "?hash=" + hash);
    expect_references_to_exist(document, document["components"]["schemas"]);
    EXPECT_EQ(text->text.find("x-muster-"), std::string::npos);
    for (MemberView path : document["paths"].members()) {
      const View patch = path.value["patch"];
      if (!patch || path.key.ends_with("/status")) continue;
      EXPECT_TRUE(patch["x-kubernetes-group-version-kind"]["kind"].is_string());
      EXPECT_EQ(patch["parameters"][2]["name"].string_or(""), "fieldValidation");
      ++patches;
    }
  }
  std::size_t served = 0;
  for (const auto& kind : registry_.kinds()) {
    if (kind->is_stored) served += kind->versions.size();
  }
  EXPECT_EQ(patches, served);
}

TEST_F(OpenApiTest, merge_keys_of_strategic_patches_are_there) {
  OpenApi openapi(registry_);
  const TaggedText* text = openapi.document("api/v1");
  ASSERT_NE(text, nullptr);
  const Value document = objects::parse_json(text->text, {.bytes_max = text->text.size()}).must();
  const View schemas = document["components"]["schemas"];
  EXPECT_EQ(objects::to_json(schemas["io.k8s.api.core.v1.Pod"]["x-kubernetes-group-version-kind"]),
            R"([{"group":"","kind":"Pod","version":"v1"}])");
  EXPECT_EQ(objects::to_json(schemas["io.k8s.api.core.v1.Pod"]["properties"]["spec"]["allOf"]),
            R"([{"$ref":"#/components/schemas/io.k8s.api.core.v1.PodSpec"}])");
  const View containers = schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"];
  EXPECT_EQ(containers["x-kubernetes-patch-merge-key"].string_or(""), "name");
}

TEST_F(OpenApiTest, a_kind_of_a_tenant_gets_metadata_and_changes_its_hash_alone) {
  OpenApi before(registry_);
  const Value definition = objects::parse_yaml_document(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {size: {type: integer}}}}
)")
                               .must();
  ASSERT_TRUE(registry_.add(definition).empty());
  OpenApi after(registry_);
  EXPECT_EQ(before.document("apis/example.com/v1"), nullptr);
  const TaggedText* text = after.document("apis/example.com/v1");
  ASSERT_NE(text, nullptr);
  EXPECT_NE(text->text.find("#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"),
            std::string::npos);
  EXPECT_EQ(before.document("api/v1")->etag, after.document("api/v1")->etag);
  EXPECT_NE(before.index().etag, after.index().etag);
}

// kubectl gives up on the whole document where a reference leads nowhere.
TEST_F(OpenApiTest, the_older_form_has_every_definition_that_it_names) {
  OpenApi openapi(registry_);
  const TaggedText& text = openapi.swagger(false);
  const Value swagger = objects::parse_json(text.text, {.bytes_max = text.text.size()}).must();
  const View definitions = swagger["definitions"];
  expect_references_to_exist(swagger, definitions, "#/definitions/");
  const View pod = definitions["io.k8s.api.core.v1.Pod"];
  EXPECT_EQ(pod["properties"]["spec"]["$ref"].string_or(""),
            "#/definitions/io.k8s.api.core.v1.PodSpec");
  const View patch = swagger["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"]["patch"];
  EXPECT_EQ(patch["parameters"][2]["name"].string_or(""), "fieldValidation");
  EXPECT_LT(openapi.swagger(true).text.size(), text.text.size());
}

TEST(GnosticTest, is_protobuf_of_the_same) {
  const Value swagger = objects::parse_json(R"({"swagger":"2.0","info":{"title":"a","version":"b"},
      "paths":{},"definitions":{"T":{"type":"object","x-y":[1]}}})")
                            .must();
  using namespace std::string_literals;
  EXPECT_EQ(to_gnostic(swagger), "\x0a\x03"s + "2.0" + "\x12\x06\x0a\x01" + "a" + "\x12\x01" + "b" +
                                     "\x42\x00"s +
                                     "\x4a\x21\x0a\x1f\x0a\x01T\x12\x1a\xb2\x01\x08\x0a\x06" +
                                     "object" + "\xfa\x01\x0c\x0a\x03x-y\x12\x05\x12\x03[1]");
}

}  // namespace
}  // namespace muster::server
