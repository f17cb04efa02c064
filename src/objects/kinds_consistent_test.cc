// SPDX-License-Identifier: Apache-2.0
// api/ is edited by hand: these tests find the slips that no published definition shows.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "objects/json.h"
#include "tests/suites/api_documents.h"

namespace muster::objects {
namespace {

// All schemas in api/, each once: the kinds as far as they are written in their files, and types.
void for_each_schema(const ApiDocuments& api,
                     const std::function<void(const std::string& where, View schema)>& visit,
                     bool with_custom_kinds = true) {
  const std::function<void(const std::string&, View)> descend = [&](const std::string& where,
                                                                    View schema) {
    visit(where, schema);
    for (const auto [name, field] : schema["properties"].members()) {
      descend(where + "." + std::string(name), field);
    }
    if (const View items = schema["items"]) descend(where + "[]", items);
    if (const View values = schema["additionalProperties"]; values.is_object()) {
      descend(where + "{}", values);
    }
  };
  for (const auto& [name, type] : api.types) descend(name, type);
  for (const ApiVersion& version : api.versions) {
    if (version.is_builtin || with_custom_kinds) descend(version.name, version.schema);
  }
}

TEST(KindsConsistent, every_reference_has_a_type_and_every_type_a_reference) {
  const ApiDocuments api = read_api_documents();
  // Requests and answers carry these; no kind does.
  std::set<std::string, std::less<>> referred = {"meta.v1.DeleteOptions", "meta.v1.ListMeta",
                                                 "meta.v1.Status"};
  for_each_schema(api, [&](const std::string& where, View schema) {
    const auto name = schema["$ref"].string();
    if (!name) return;
    referred.emplace(*name);
    EXPECT_TRUE(api.types.contains(*name)) << where << " refers to " << *name;
  });
  for (const auto& [name, type] : api.types) {
    EXPECT_TRUE(referred.contains(name)) << "nothing refers to " << name;
  }
}

TEST(KindsConsistent, required_fields_and_list_keys_exist) {
  const ApiDocuments api = read_api_documents();
  for_each_schema(api, [&](const std::string& where, View view) {
    const SchemaAtPlace schema(api, view);
    for (const View name : schema["required"].elements()) {
      EXPECT_TRUE(schema["properties"][name.string_or("")])
          << where << " requires " << name.string_or("?");
    }
    const SchemaAtPlace items(api, schema["items"]);
    for (const std::string_view list : {"x-kubernetes-list-map-keys", "x-muster-unique"}) {
      for (const View key : schema[list].elements()) {
        EXPECT_TRUE(items["properties"][key.string_or("")])
            << where << " is keyed by " << key.string_or("?");
      }
    }
    const auto merge_key = schema["x-kubernetes-patch-merge-key"].string();
    if (merge_key) {
      EXPECT_TRUE(items["properties"][*merge_key]) << where;
    }
  });
}

TEST(KindsConsistent, defaults_are_allowed_values) {
  const ApiDocuments api = read_api_documents();
  for_each_schema(api, [&](const std::string& where, View schema) {
    const View value = schema["default"];
    const View choices = schema["enum"];
    if (!value || !choices) return;
    bool allowed = false;
    for (const View choice : choices.elements()) allowed = allowed || choice == value;
    EXPECT_TRUE(allowed) << where << " defaults to " << to_json(value);
  });
}

// The number of each field in its message; fields of an inlined message have a space of their own.
void expect_distinct_numbers(const std::string& where, View schema) {
  std::map<std::string, std::int64_t, std::less<>> message_of_field;
  for (const View message : schema["x-muster-proto-inline"].elements()) {
    for (const View field : message["fields"].elements()) {
      message_of_field.emplace(field.string_or(""), message["number"].integer_or(0));
      EXPECT_TRUE(schema["properties"][field.string_or("")]) << where;
    }
  }
  std::set<std::pair<std::int64_t, std::int64_t>> taken;
  for (const auto [name, field] : schema["properties"].members()) {
    const auto number = field["x-muster-proto"].integer();
    if (!number) continue;
    const auto inlined = message_of_field.find(name);
    const std::int64_t message = inlined == message_of_field.end() ? 0 : inlined->second;
    EXPECT_TRUE(taken.emplace(message, *number).second)
        << where << "." << name << " has the number of another field";
  }
}

TEST(KindsConsistent, protobuf_numbers_are_distinct_and_complete) {
  const ApiDocuments api = read_api_documents();
  const auto check = [&](const std::string& where, View schema) {
    expect_distinct_numbers(where, schema);
    // Kueue gives its visibility kinds no form in protobuf.
    const bool is_custom = where.starts_with("embedded.") || where.starts_with("visibility.");
    for (const auto [name, field] : schema["properties"].members()) {
      const bool is_type_meta = name == "apiVersion" || name == "kind";
      if (is_custom || is_type_meta) continue;
      EXPECT_TRUE(field["x-muster-proto"].is_integer()) << where << "." << name;
    }
  };
  for_each_schema(api, check, false);
}

TEST(KindsConsistent, a_kind_has_one_storage_version_and_the_name_of_its_file) {
  const ApiDocuments api = read_api_documents();
  for (const Value& kind : api.kinds) {
    const View spec = kind["spec"];
    const std::string plural(spec["names"]["plural"].string_or(""));
    const std::string group(spec["group"].string_or(""));
    EXPECT_EQ(kind["metadata"]["name"].string_or(""),
              group.empty() ? plural : plural + "." + group);
    int storage_versions = 0;
    for (const View version : spec["versions"].elements()) {
      if (version["storage"].boolean_or(false)) ++storage_versions;
    }
    EXPECT_EQ(storage_versions, spec["x-muster-stored-as"] ? 0 : 1) << plural;
  }
}

}  // namespace
}  // namespace muster::objects
