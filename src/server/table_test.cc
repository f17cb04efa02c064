// SPDX-License-Identifier: Apache-2.0
#include "server/table.h"

#include <gtest/gtest.h>

#include "objects/json.h"
#include "objects/yaml.h"

namespace muster::server {
namespace {

using objects::Value;
using objects::View;

// The cells themselves are in tests/scenarios/table/.
class TableTest : public testing::Test {
 protected:
  Value parse(std::string_view text) const { return objects::parse_yaml_document(text).must(); }

  TablePrinter printer(std::string_view group, std::string_view kind,
                       std::string_view version) const {
    const auto found = registry_.find(group, kind);
    return TablePrinter(*found, *found->version(version));
  }

  objects::KindRegistry registry_ = objects::KindRegistry::built_in().must();
};

TEST_F(TableTest, every_cell_that_api_names_exists) {
  for (const auto& kind : registry_.kinds()) {
    for (const objects::KindVersion& version : kind->versions) {
      for (View column : version.definition["additionalPrinterColumns"].elements()) {
        const auto name = column["x-muster-cell"].string();
        if (name) {
          EXPECT_NE(find_cell(*name), nullptr) << *name;
        }
      }
    }
  }
}

TEST_F(TableTest, an_event_of_a_watch_has_columns_only_if_it_is_the_first) {
  const Value lease = parse("{metadata: {name: a, resourceVersion: '7'}, spec: {}}");
  const TablePrinter leases = printer("coordination.k8s.io", "Lease", "v1");
  const Value first = leases.object(lease, {});
  EXPECT_EQ(first["columnDefinitions"].size(), 3U);
  const Value later = leases.object(lease, {.columns = false});
  EXPECT_EQ(objects::to_json(later),
            R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},)"
            R"("columnDefinitions":null,"rows":[{"cells":["a","","\u003cunknown\u003e"],)"
            R"("object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
            R"("metadata":{"name":"a","resourceVersion":"7"}}}]})");
}

TEST_F(TableTest, a_list_keeps_what_the_next_page_needs) {
  const Value list = parse(
      "{metadata: {resourceVersion: '9', continue: t, remainingItemCount: 3}, items: "
      "[{metadata: {name: a}}]}");
  const Value table =
      printer("", "Namespace", "v1")
          .list(list, {.shape = Shape::table_v1beta1, .include = IncludeObject::none});
  EXPECT_EQ(objects::to_json(table["metadata"]),
            R"({"resourceVersion":"9","continue":"t","remainingItemCount":3})");
  EXPECT_EQ(table["apiVersion"].string_or(""), "meta.k8s.io/v1beta1");
  EXPECT_TRUE(table["rows"][std::size_t{0}]["object"].is_null());
}

TEST_F(TableTest, the_whole_object_may_come_along) {
  const Value pod = parse("{metadata: {name: a}, spec: {nodeName: n1}}");
  const Value table = printer("", "Pod", "v1").object(pod, {.include = IncludeObject::object});
  EXPECT_EQ(objects::to_json(table["rows"][std::size_t{0}]["object"]), objects::to_json(pod));
  EXPECT_EQ(parse_include_object(""), IncludeObject::metadata);
  EXPECT_EQ(parse_include_object("All"), std::nullopt);
}

TEST_F(TableTest, a_kind_without_columns_shows_its_age) {
  const Value definition = parse(R"(
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Cluster
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
)");
  ASSERT_TRUE(registry_.add(definition).empty());
  const Value thing = parse("{metadata: {name: a, creationTimestamp: '1970-01-01T00:00:00Z'}}");
  const Value table = printer("example.com", "Thing", "v1")
                          .object(thing, {.now = Instant() + Span::of_seconds(90)});
  EXPECT_EQ(objects::to_json(table["rows"][std::size_t{0}]["cells"]), R"(["a","90s"])");
}

TEST_F(TableTest, metadata_alone) {
  const Value list = parse("{metadata: {resourceVersion: '9'}, items: [{metadata: {name: a}}]}");
  EXPECT_EQ(objects::to_json(partial_metadata_list(list, Shape::partial_metadata)),
            R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1",)"
            R"("metadata":{"resourceVersion":"9"},"items":[{"kind":"PartialObjectMetadata",)"
            R"("apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}}]})");
}

}  // namespace
}  // namespace muster::server
