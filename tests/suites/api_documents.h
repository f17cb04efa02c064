// The files of api/ for tests: kinds, versions and shared types as values, and a walk over the
// schema of a kind in which references are already followed.
//
//   for (const ApiVersion& version : api.versions) walk_fields(api, version.schema, print);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "objects/kinds.h"
#include "objects/value.h"
#include "objects/yaml.h"

namespace muster::objects {

struct ApiVersion {
  std::string name;  // "core.v1.Pod", as the lists of tests/data/api_paths are named
  bool is_builtin;
  Value schema;
};

struct ApiDocuments {
  std::map<std::string, Value, std::less<>> types;
  std::vector<ApiVersion> versions;
  std::vector<Value> kinds;
};

inline ApiDocuments read_api_documents() {
  ApiDocuments api;
  for (const EmbeddedFile& file : api_files()) {
    const Value document = parse_yaml_document(file.text).must();
    for (const auto [name, type] : document["types"].members()) {
      api.types.emplace(name, document.part(type));
    }
    const View spec = document["spec"];
    if (!spec) continue;
    api.kinds.push_back(document);
    const std::string_view path = file.path;
    const std::string folder(path.substr(0, path.find('/')));
    for (const View version : spec["versions"].elements()) {
      api.versions.push_back({folder + "." + std::string(version["name"].string_or("")) + "." +
                                  std::string(spec["names"]["kind"].string_or("")),
                              spec["x-muster-builtin"].boolean_or(false),
                              document.part(version["schema"]["openAPIV3Schema"])});
    }
  }
  return api;
}

// A schema at its place: keys beside $ref go before those of the type.
class SchemaAtPlace {
 public:
  SchemaAtPlace(const ApiDocuments& api, View schema) : place_(schema) {
    if (const auto name = schema["$ref"].string()) {
      type_name_ = *name;
      const auto type = api.types.find(*name);
      if (type != api.types.end()) type_ = type->second;
    }
  }

  View operator[](std::string_view key) const {
    const View beside = place_[key];
    return beside ? beside : type_[key];
  }

  std::string_view type_name() const { return type_name_; }

 private:
  View place_;
  View type_;
  std::string_view type_name_;
};

using VisitField =
    std::function<void(const std::string& path, const SchemaAtPlace& schema, bool is_required)>;

inline bool has_element(View array, std::string_view text) {
  for (const View element : array.elements()) {
    if (element.string_or("") == text) return true;
  }
  return false;
}

// Every field below the schema, `spec.containers[].name`; maps are `labels{}`. A recursive type is
// entered once.
inline void walk_fields(const ApiDocuments& api, View view, const VisitField& visit,
                        const std::string& path = {}, bool is_required = false,
                        std::vector<std::string_view> above = {}) {
  const SchemaAtPlace schema(api, view);
  if (!path.empty()) visit(path, schema, is_required);
  if (!schema.type_name().empty()) {
    for (const std::string_view name : above) {
      if (name == schema.type_name()) return;
    }
    above.push_back(schema.type_name());
  }
  for (const auto [name, field] : schema["properties"].members()) {
    const std::string below = path.empty() ? std::string(name) : path + "." + std::string(name);
    walk_fields(api, field, visit, below, has_element(schema["required"], name), above);
  }
  if (const View items = schema["items"]) walk_fields(api, items, visit, path + "[]", false, above);
  const View values = schema["additionalProperties"];
  if (values.is_object()) walk_fields(api, values, visit, path + "{}", false, above);
}

}  // namespace muster::objects
