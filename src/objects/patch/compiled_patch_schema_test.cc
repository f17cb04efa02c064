// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/compiled_patch_schema.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "objects/json.h"
#include "objects/kind_registry.h"
#include "objects/patch/patch.h"

namespace muster::objects {
namespace {

Value real_types() {
  std::ifstream file(MUSTER_SOURCE_FOLDER "/tests/data/strategic_merge_types.json");
  std::stringstream text;
  text << file.rdbuf();
  return parse_json(text.str()).must();
}

const KindRegistry& registry() {
  static const KindRegistry kinds = KindRegistry::built_in().must();
  return kinds;
}

// Every rule of the real type holds at the same place of ours.
void compare(View types, std::string_view type, const PatchSchema& schema, PatchPlace place,
             std::set<std::string_view>& seen) {
  if (!seen.insert(type).second) return;
  for (const MemberView row : types[type].members()) {
    SCOPED_TRACE(std::string(type) + "." + std::string(row.key));
    const PatchField field = schema.field(place, row.key);
    const std::string_view strategy = row.value["strategy"].string_or("");
    EXPECT_EQ(field.merge, strategy.starts_with("merge"));
    EXPECT_EQ(field.replace, strategy.starts_with("replace"));
    EXPECT_EQ(field.retain_keys, strategy.ends_with("retainKeys"));
    EXPECT_EQ(field.merge_key, row.value["key"].string_or(""));
    const std::string_view below = row.value["type"].string_or("");
    if (!below.empty()) compare(types, below, schema, field.below, seen);
  }
}

TEST(CompiledPatchSchema, has_every_rule_of_the_real_types) {
  const Value types = real_types();
  const std::pair<std::string_view, std::string_view> kinds[] = {
      {"", "Pod"}, {"", "Service"}, {"", "Node"}, {"", "Namespace"}, {"batch", "Job"}};
  for (const auto& [group, kind] : kinds) {
    SCOPED_TRACE(kind);
    const auto found = registry().find(group, kind);
    ASSERT_NE(found, nullptr);
    const CompiledPatchSchema schema(found->storage_version().schema.root());
    std::set<std::string_view> seen;
    compare(types["types"], types["kinds"][kind].string_or(""), schema, schema.root(), seen);
  }
}

TEST(CompiledPatchSchema, merges_containers_by_name_through_the_front) {
  const auto pod = registry().find("", "Pod");
  const CompiledPatchSchema schema(pod->storage_version().schema.root());
  const Value before =
      parse_json(R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b"}]}})").must();
  const Value patch = parse_json(R"({"spec":{"containers":[{"name":"a","image":"2"}]}})").must();
  EXPECT_EQ(to_json(apply_patch(PatchType::strategic_merge, before, patch, schema).must()),
            R"({"spec":{"containers":[{"name":"a","image":"2"},{"name":"b"}]}})");
}

TEST(CompiledPatchSchema, of_no_schema_knows_nothing) {
  const CompiledPatchSchema schema{SchemaNode()};
  EXPECT_EQ(schema.root(), patch_place_unknown);
  EXPECT_FALSE(schema.field(schema.root(), "containers").merge);
}

}  // namespace
}  // namespace muster::objects
