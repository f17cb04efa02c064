// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/structural.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/limits.h"
#include "objects/schema/definition_keys.h"
#include "objects/schema/definition_text.h"
#include "objects/schema/patterns.h"

namespace muster::objects {

namespace {

enum class Level { root, item, field };

constexpr std::string_view branch_lists[] = {"anyOf", "allOf", "oneOf"};

// What the server cannot keep in its form of a structural schema: others are not asked whether
// they are structural.
constexpr std::string_view inexpressible[] = {"id",          "additionalItems", "patternProperties",
                                              "definitions", "dependencies",    "$ref"};

bool is_set(View schema, std::string_view key) {
  return schema[key].boolean_or(false);
}

// `anyOf: [{type: integer}, {type: string}]`, which int-or-string may carry.
bool is_int_or_string_choice(View any_of) {
  return any_of.size() == 2 && any_of[std::size_t{0}].size() == 1 &&
         any_of[std::size_t{1}].size() == 1 &&
         any_of[std::size_t{0}]["type"].string() == "integer" &&
         any_of[std::size_t{1}]["type"].string() == "string";
}

class StructuralCheck {
 public:
  bool is_expressible() const { return is_expressible_; }
  std::vector<FieldError> take() { return std::move(errors_); }

  void check(View schema, Level level, const PathFrame& path, std::size_t depth) {
    if (!may_look(schema, depth)) return;
    if (const View items = schema["items"]) {
      if (items.is_object()) check(items, Level::item, path.field("items"), depth + 1);
    } else if (schema["type"].string() == "array") {
      require(path.field("items"), "must be specified");
    }
    const PathFrame properties = path.field("properties");
    for (const MemberView property : schema["properties"].members()) {
      check(property.value, Level::field, properties.map_key(property.key), depth + 1);
    }
    check_additional(schema, level, path, depth);
    check_extensions(schema, path);
    check_values(schema, path, depth, true);
    check_type(schema, level, path);
    check_resource(schema, level, path);
  }

 private:
  bool may_look(View schema, std::size_t depth) {
    if (!schema.is_object() || depth > schema_depth_max || errors_.size() >= field_errors_max) {
      return false;
    }
    for (const std::string_view key : inexpressible) {
      if (schema[key]) is_expressible_ = false;
    }
    if (schema["items"].is_array() || schema["type"].string_or("") == "null") {
      is_expressible_ = false;
    }
    return true;
  }

  void forbid(const PathFrame& path, std::string detail) {
    errors_.push_back(FieldError::forbidden(path.to_string(), std::move(detail)));
  }
  void require(const PathFrame& path, std::string detail) {
    errors_.push_back(FieldError::required(path.to_string(), std::move(detail)));
  }
  void refuse(const PathFrame& path, View value, std::string detail) {
    errors_.push_back(FieldError::invalid(path.to_string(), value, std::move(detail)));
  }

  void check_type(View schema, Level level, const PathFrame& path) {
    const View type = schema["type"];
    const PathFrame at = path.field("type");
    const std::string_view name = type.string_or("");
    if (is_set(schema, "x-kubernetes-embedded-resource") && name != "object") {
      const std::string detail = "must be object if x-kubernetes-embedded-resource is true";
      if (name.empty()) {
        require(at, detail);
      } else {
        refuse(at, type, detail);
      }
    } else if (name.empty() && !is_set(schema, "x-kubernetes-int-or-string") &&
               !is_set(schema, "x-kubernetes-preserve-unknown-fields")) {
      require(at, level == Level::root   ? "must not be empty at the root"
                  : level == Level::item ? "must not be empty for specified array items"
                                         : "must not be empty for specified object fields");
    }
    if (level == Level::root && !name.empty() && name != "object") {
      refuse(at, type, "must be object at the root");
    }
  }

  void check_extensions(View schema, const PathFrame& path) {
    if (!is_set(schema, "x-kubernetes-int-or-string")) return;
    for (const std::string_view key :
         {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"}) {
      if (!is_set(schema, key)) continue;
      refuse(path.field(key), schema[key], "must be false if x-kubernetes-int-or-string is true");
    }
  }

  void check_resource(View schema, Level level, const PathFrame& path) {
    const bool embedded = is_set(schema, "x-kubernetes-embedded-resource");
    const bool is_resource = level == Level::root || embedded;
    const PathFrame properties = path.field("properties");
    for (const std::string_view key : {"apiVersion", "kind"}) {
      const View property = schema["properties"][key];
      if (!is_resource || !property || property["type"].string() == "string") continue;
      const PathFrame at = properties.map_key(key);
      refuse(at.field("type"), Value::string(property["type"].string_or("")), "must be string");
    }
    const View metadata = schema["properties"]["metadata"];
    const PathFrame metadata_path = properties.map_key("metadata");
    if (is_resource && metadata && metadata["type"].string() != "object") {
      refuse(metadata_path.field("type"), Value::string(metadata["type"].string_or("")),
             "must be object");
    }
    if (level == Level::root && metadata) check_metadata_schema(metadata, metadata_path);
    if (embedded && schema["additionalProperties"]) {
      forbid(path.field("additionalProperties"),
             "must not be used if x-kubernetes-embedded-resource is set");
    }
    if (embedded && !is_set(schema, "x-kubernetes-preserve-unknown-fields") &&
        schema["properties"].empty()) {
      require(properties,
              "must not be empty if x-kubernetes-embedded-resource is true without "
              "x-kubernetes-preserve-unknown-fields");
    }
  }

  // The server has its own schema of metadata; a CRD may narrow names and nothing else.
  void check_metadata_schema(View metadata, const PathFrame& path) {
    bool allowed = true;
    for (const MemberView member : metadata.members()) {
      allowed = allowed && (member.key == "type" || member.key == "properties" ||
                            member.key == "description" || member.key == "default");
    }
    for (const MemberView property : metadata["properties"].members()) {
      allowed = allowed && (property.key == "name" || property.key == "generateName");
    }
    if (allowed) return;
    forbid(path,
           "must not specify anything other than name and generateName, but metadata is "
           "implicitly specified");
  }

  void check_additional(View schema, Level level, const PathFrame& path, std::size_t depth) {
    const View additional = schema["additionalProperties"];
    if (!additional) return;
    const PathFrame at = path.field("additionalProperties");
    if (level == Level::root) forbid(at, "must not be used at the root");
    if (additional.is_object()) check(additional, Level::field, at, depth + 1);
  }

  // Branches may only narrow values: no types, no defaults, no structure of their own.
  void check_values(View schema, const PathFrame& path, std::size_t depth, bool is_outer) {
    const bool int_or_string = is_outer && is_set(schema, "x-kubernetes-int-or-string");
    for (const std::string_view list : branch_lists) {
      if (list == "anyOf" && int_or_string && is_int_or_string_choice(schema["anyOf"])) continue;
      const PathFrame parent = path.field(list);
      std::size_t index = 0;
      for (View branch : schema[list].elements()) {
        const bool first = list == "allOf" && index == 0 && int_or_string;
        check_branch(branch, parent.element(index++), depth + 1, first);
      }
    }
    if (const View branch = schema["not"]) {
      check_branch(branch, path.field("not"), depth + 1, false);
    }
    const View pattern = schema["pattern"];
    if (pattern.string_or("").empty()) return;
    if (const std::string complaint = pattern_complaint(pattern.string_or(""));
        !complaint.empty()) {
      refuse(path.field("pattern"), pattern, complaint);
    }
  }

  void check_branch(View branch, const PathFrame& path, std::size_t depth, bool may_choose) {
    if (!may_look(branch, depth)) return;
    if (!(may_choose && is_int_or_string_choice(branch["anyOf"]))) {
      check_values(branch, path, depth, false);
    }
    if (const View items = branch["items"]) {
      check_branch(items, path.field("items"), depth + 1, false);
    }
    const PathFrame properties = path.field("properties");
    for (const MemberView property : branch["properties"].members()) {
      check_branch(property.value, properties.map_key(property.key), depth + 1, false);
    }
    check_branch_keys(branch, path);
    if (branch["properties"]["metadata"]) {
      forbid(properties.map_key("metadata"), "must not be specified in a nested context");
    }
  }

  void check_branch_keys(View branch, const PathFrame& path) {
    struct Forbidden {
      std::string_view key;
      std::string_view state;
    };
    static constexpr Forbidden forbidden[] = {
        {"type", "empty"},
        {"additionalProperties", "undefined"},
        {"default", "undefined"},
        {"title", "empty"},
        {"description", "empty"},
        {"nullable", "false"},
        {"x-kubernetes-preserve-unknown-fields", "false"},
        {"x-kubernetes-embedded-resource", "false"},
        {"x-kubernetes-int-or-string", "false"},
        {"x-kubernetes-list-map-keys", "empty"},
        {"x-kubernetes-list-type", "undefined"},
        {"x-kubernetes-map-type", "undefined"},
        {"x-kubernetes-validations", "empty"},
    };
    for (const Forbidden& entry : forbidden) {
      const View value = branch[entry.key];
      if (!value || (entry.state == "false" && !value.boolean_or(true))) continue;
      forbid(path.field(entry.key), "must be " + std::string(entry.state) + " to be structural");
    }
  }

  std::vector<FieldError> errors_;
  bool is_expressible_ = true;
};

// In the order of the peer's fields: the first that is not allowed is the one that is told.
void check_root_beside_status(View schema, const std::string& path, FieldErrors& errors) {
  const std::string_view type = schema["type"].string_or("");
  if (!type.empty() && type != "object") {
    errors.add(FieldError::invalid(path + ".type", schema["type"],
                                   "only \"object\" is allowed as the type at the root of the "
                                   "schema if the status subresource is enabled"));
    return;
  }
  constexpr std::string_view unwanted[] = {"id",
                                           "$schema",
                                           "$ref",
                                           "nullable",
                                           "default",
                                           "enum",
                                           "maxProperties",
                                           "minProperties",
                                           "allOf",
                                           "oneOf",
                                           "anyOf",
                                           "not",
                                           "additionalProperties",
                                           "patternProperties",
                                           "dependencies",
                                           "additionalItems",
                                           "definitions",
                                           "x-kubernetes-embedded-resource",
                                           "x-kubernetes-int-or-string",
                                           "x-kubernetes-list-map-keys",
                                           "x-kubernetes-list-type",
                                           "x-kubernetes-map-type"};
  const bool says_too_much =
      std::any_of(std::begin(unwanted), std::end(unwanted), [&](std::string_view key) {
        const View value = schema[key];
        return value && !(value == Value::boolean(false).view());
      });
  if (!says_too_much) return;
  errors.add(FieldError{FieldError::Type::invalid, path, go_schema(schema),
                        "only [Description Type Format Title Maximum ExclusiveMaximum Minimum "
                        "ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems "
                        "UniqueItems MultipleOf Required Items Properties ExternalDocs Example "
                        "XPreserveUnknownFields XValidations] fields are allowed at the root of "
                        "the schema if the status subresource is enabled"});
}

}  // namespace

void check_definition_schema(View schema, const std::string& path, bool has_status,
                             FieldErrors& errors) {
  const PathFrame root;
  const PathFrame at = root.field(path);
  if (has_status) check_root_beside_status(schema, path, errors);
  if (is_set(schema, "nullable")) {
    errors.add(FieldError::forbidden(path + ".nullable", "nullable cannot be true at the root"));
  }
  StructuralCheck structure;
  structure.check(schema, Level::root, at, 0);
  std::vector<FieldError> found = structure.take();
  std::sort(found.begin(), found.end(),
            [](const FieldError& a, const FieldError& b) { return a.to_string() < b.to_string(); });
  const bool is_structural = structure.is_expressible() && found.empty();
  if (structure.is_expressible()) {
    for (FieldError& error : found) errors.add(std::move(error));
  }
  KeyErrors keys = check_schema_keys(schema, at, is_structural);
  errors.add_all(std::move(keys.keys));
  errors.add_all(std::move(keys.rules));
}

}  // namespace muster::objects
