// SPDX-License-Identifier: Apache-2.0
// api/ has every field of the published definitions, of the same type, and no other; for CRDs also
// the same defaults and demands. The lists in tests/data/api_paths were made from the definitions
// by tools/generate_api.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/sha1.h"
#include "objects/json.h"
#include "tests/suites/api_documents.h"

namespace muster::objects {
namespace {

std::vector<std::string> published_fields(const std::string& name) {
  std::ifstream file(std::string(MUSTER_SOURCE_FOLDER) + "/tests/data/api_paths/" + name + ".txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// The formats that published definitions have, and the two that they hide in the type's name.
bool is_published(std::string_view format) {
  return format == "int32" || format == "int64" || format == "double" || format == "byte" ||
         format == "date-time" || format == "micro-time" || format == "duration";
}

std::string describe(const SchemaAtPlace& schema) {
  if (schema["x-kubernetes-int-or-string"].boolean_or(false)) return "int-or-string";
  std::string text(schema["type"].string_or("any"));
  if (text == "array") {
    text += " " + std::string(schema["x-kubernetes-list-type"].string_or("atomic"));
    for (const View key : schema["x-kubernetes-list-map-keys"].elements()) {
      text += " " + std::string(key.string_or(""));
    }
  } else if (text == "object" && schema["x-kubernetes-map-type"].string_or("") == "atomic") {
    text += " atomic";
  } else if (const auto format = schema["format"].string_or(""); is_published(format)) {
    text += " " + std::string(format);
  }
  return text;
}

// What a CRD's schema says about values, in the order of the lists.
std::string demands(const SchemaAtPlace& schema) {
  std::string text;
  for (const std::string_view key :
       {"default", "enum", "maxItems", "maxLength", "maxProperties", "maximum", "minItems",
        "minLength", "minProperties", "minimum", "pattern"}) {
    if (const View value = schema[key]) text += fmt::format(" {}={}", key, to_json(value));
  }
  if (const View rules = schema["x-kubernetes-validations"]) {
    text += fmt::format(" rules={}", rules.size());
  }
  return text;
}

// metadata is the same for every kind; the list of Namespace has it.
std::vector<std::string> our_fields(const ApiDocuments& api, const ApiVersion& version) {
  std::vector<std::string> lines;
  const bool with_metadata = version.name == "core.v1.Namespace";
  const auto add = [&](const std::string& path, const SchemaAtPlace& schema, bool is_required) {
    if (!with_metadata && path.starts_with("metadata")) return;
    lines.push_back(path + " " + describe(schema));
    if (version.is_builtin) return;
    lines.back() += demands(schema) + (is_required ? " required" : "");
  };
  walk_fields(api, version.schema, add);
  std::ranges::sort(lines);
  return lines;
}

// As the tool folds the lists of CRDs: what is deep is one line, its number and its hash.
std::vector<std::string> folded(const std::vector<std::string>& lines) {
  constexpr std::ptrdiff_t steps_shown = 6;
  std::vector<std::string> shown;
  std::string deep;
  std::size_t deep_count = 0;
  for (const std::string& line : lines) {
    const std::string_view path = std::string_view(line).substr(0, line.find(' '));
    if (std::ranges::count(path, '.') < steps_shown) {
      shown.push_back(line);
      continue;
    }
    if (deep_count++ > 0) deep += '\n';
    deep += line;
  }
  if (deep_count > 0) shown.push_back(fmt::format("~deeper {} {}", deep_count, hex(sha1(deep))));
  return shown;
}

std::string only_in(const std::vector<std::string>& some, const std::vector<std::string>& other) {
  std::vector<std::string> missing;
  std::ranges::set_difference(some, other, std::back_inserter(missing));
  std::string text;
  for (const std::string& line : missing) text += "\n  " + line;
  return text;
}

TEST(KindsComplete, every_published_field_is_in_api_and_no_other) {
  const ApiDocuments api = read_api_documents();
  ASSERT_FALSE(api.versions.empty());
  for (const ApiVersion& version : api.versions) {
    const auto published = published_fields(version.name);
    ASSERT_FALSE(published.empty()) << "no list of published fields for " << version.name;
    auto ours = our_fields(api, version);
    if (published.back().starts_with("~deeper ")) ours = folded(ours);
    EXPECT_EQ(only_in(published, ours), "") << version.name << " misses these";
    EXPECT_EQ(only_in(ours, published), "") << version.name << " has these and should not";
  }
}

TEST(KindsComplete, every_published_kind_is_in_api) {
  const ApiDocuments api = read_api_documents();
  const std::string folder = std::string(MUSTER_SOURCE_FOLDER) + "/tests/data/api_paths";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    EXPECT_NE(std::ranges::find(api.versions, name, &ApiVersion::name), api.versions.end())
        << "api/ has no " << name;
  }
}

}  // namespace
}  // namespace muster::objects
