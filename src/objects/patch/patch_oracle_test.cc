// SPDX-License-Identifier: Apache-2.0
//
// Patches against recordings of the libraries inside kube-apiserver 1.35. A case where Muster
// differs on purpose says so: `differs` has the reason, `ours` what Muster does.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "objects/builder.h"
#include "objects/json.h"
#include "objects/patch/directives.h"
#include "objects/patch/patch.h"
#include "tests/suites/table_patch_schema.h"

namespace muster::objects {
namespace {

Value read_data(const std::string& name) {
  std::ifstream file(std::string(MUSTER_SOURCE_FOLDER "/tests/data/") + name);
  std::stringstream text;
  text << file.rdbuf();
  return parse_json(text.str()).must();
}

// The recording holds what the real server's decoder would drop; drop it here too.
Value decoded(View result) {
  Builder builder;
  const Node root = *fresh_content(result, Patched::kept, builder);
  return std::move(builder).finish(root);
}

class Recording {
 public:
  Recording(const std::string& name, PatchType type) : type_(type), cases_(read_data(name)) {}

  void check() {
    EXPECT_GE(cases_.view().size(), 100U);
    for (const View recorded : cases_.view().elements()) check(recorded);
  }

 private:
  const PatchSchema& schema(std::string_view kind) {
    auto& schema = schemas_[kind];
    if (schema == nullptr) schema = std::make_unique<TablePatchSchema>(types_, kind);
    return *schema;
  }

  void check(View recorded) {
    SCOPED_TRACE(to_json(recorded));
    const View expected = recorded["differs"] ? recorded["ours"] : recorded;
    const auto applied =
        apply_patch(type_, cases_.part(recorded["given"]), cases_.part(recorded["patch"]),
                    schema(recorded["kind"].string_or("")));
    if (const auto message = expected["error"].string()) {
      ASSERT_FALSE(applied) << to_json(*applied);
      EXPECT_EQ(applied.error().message, *message);
      return;
    }
    ASSERT_TRUE(applied) << applied.error().message;
    const bool strategic = type_ == PatchType::strategic_merge;
    const Value wanted =
        strategic ? decoded(expected["result"]) : Value::copy_of(expected["result"]);
    EXPECT_TRUE(applied->view() == wanted.view()) << to_json(*applied);
  }

  PatchType type_;
  Value cases_;
  Value types_ = read_data("strategic_merge_types.json");
  std::map<std::string_view, std::unique_ptr<TablePatchSchema>> schemas_;
};

TEST(PatchOracle, json_patches_give_what_the_real_library_gives) {
  Recording("json_patch_oracle.json", PatchType::json).check();
}

TEST(PatchOracle, merge_patches_give_what_the_real_library_gives) {
  Recording("merge_patch_oracle.json", PatchType::merge).check();
}

TEST(PatchOracle, strategic_merge_patches_give_what_the_real_library_gives) {
  Recording("strategic_merge_oracle.json", PatchType::strategic_merge).check();
}

}  // namespace
}  // namespace muster::objects
