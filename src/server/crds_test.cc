// SPDX-License-Identifier: Apache-2.0
#include "server/crds.h"

#include <gtest/gtest.h>

#include "objects/yaml.h"

namespace muster::server {
namespace {

using objects::Value;
using objects::View;

// What a real server does with them is shown by tests/peers; here: our own reader of CRDs, which
// refuses what a real server refuses, takes them under another group's name.
TEST(Crds, every_kind_of_ours_is_a_definition_that_a_tenant_might_apply) {
  auto registry = objects::KindRegistry::built_in().must();
  const std::string text = custom_resource_definitions(registry);
  EXPECT_EQ(text.find("x-muster-"), std::string::npos);
  EXPECT_EQ(text.find("$ref"), std::string::npos);
  const auto documents = objects::parse_yaml(text, {.bytes_max = text.size()}).must();
  EXPECT_EQ(documents.size(), 11U);
  for (const objects::YamlDocument& document : documents) {
    const View spec = document.value["spec"];
    EXPECT_EQ(spec["group"].string_or(""), "kueue.x-k8s.io");
    EXPECT_EQ(spec["conversion"]["strategy"].string_or(""), "None");
    std::size_t stored = 0;
    for (View version : spec["versions"].elements()) {
      if (!version["storage"].boolean_or(false)) continue;
      EXPECT_EQ(version["name"].string_or(""), "v1beta2");
      ++stored;
    }
    EXPECT_EQ(stored, 1U);
  }
}

TEST(Crds, our_own_checks_of_definitions_accept_them) {
  const auto built_in = objects::KindRegistry::built_in().must();
  const std::string text = custom_resource_definitions(built_in);
  objects::KindRegistry empty;
  for (const objects::YamlDocument& document :
       objects::parse_yaml(text, {.bytes_max = text.size()}).must()) {
    const objects::FieldErrors errors = empty.add(document.value);
    EXPECT_TRUE(errors.empty()) << document.value["metadata"]["name"].string_or("") << ": "
                                << errors.to_string();
  }
  EXPECT_EQ(empty.kinds().size(), 11U);
}

}  // namespace
}  // namespace muster::server
