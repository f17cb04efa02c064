// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/structural.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "objects/limits.h"

namespace muster::objects {

namespace {

enum class Level { root, item, field };

constexpr std::string_view types[] = {"array", "boolean", "integer", "number", "object", "string"};
constexpr std::string_view unsupported[] = {"id",          "additionalItems", "patternProperties",
                                            "definitions", "dependencies",    "$ref"};
constexpr std::string_view branch_lists[] = {"allOf", "anyOf", "oneOf"};

bool is_set(View schema, std::string_view key) {
  return schema[key].boolean_or(false);
}

bool contains(View list, std::string_view text) {
  for (View element : list.elements()) {
    if (element.string() == text) return true;
  }
  return false;
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
  // Which keys may stand together is asked first; only a schema without such errors is asked
  // whether it is structural.
  StructuralCheck(FieldErrors& errors, FieldErrors& structural)
      : errors_(errors), structural_(structural) {}

  void check(View schema, Level level, const PathFrame& path, std::size_t depth) {
    if (!is_schema(schema, path, depth)) return;
    check_keys(schema, path);
    check_type(schema, level, path);
    check_extensions(schema, path);
    check_rules_of(schema, path);
    check_list(schema, path);
    check_resource(schema, level, path);
    check_values(schema, path, depth, true);
    if (const View items = schema["items"]) {
      if (items.is_array()) {
        forbid(path.field("items"), "items must be a schema object and not an array");
      } else {
        check(items, Level::item, path.field("items"), depth + 1);
      }
    } else if (schema["type"].string() == "array") {
      require_structure(path.field("items"), "must be specified");
    }
    const PathFrame properties = path.field("properties");
    for (MemberView property : schema["properties"].members()) {
      check(property.value, Level::field, properties.map_key(property.key), depth + 1);
    }
    check_additional(schema, level, path, depth);
  }

 private:
  bool is_schema(View schema, const PathFrame& path, std::size_t depth) {
    if (errors_.is_full()) return false;
    if (!schema.is_object()) {
      errors_.add(FieldError::type_invalid(path.to_string(), schema, "must be an object"));
      return false;
    }
    if (depth > schema_depth_max) {
      forbid(path, "is nested too deeply");
      return false;
    }
    return true;
  }

  void forbid(const PathFrame& path, std::string detail) {
    errors_.add(FieldError::forbidden(path.to_string(), std::move(detail)));
  }
  void require(const PathFrame& path, std::string detail) {
    errors_.add(FieldError::required(path.to_string(), std::move(detail)));
  }
  void refuse(const PathFrame& path, View value, std::string detail) {
    errors_.add(FieldError::invalid(path.to_string(), value, std::move(detail)));
  }
  void forbid_structure(const PathFrame& path, std::string detail) {
    structural_.add(FieldError::forbidden(path.to_string(), std::move(detail)));
  }
  void require_structure(const PathFrame& path, std::string detail) {
    structural_.add(FieldError::required(path.to_string(), std::move(detail)));
  }
  void refuse_structure(const PathFrame& path, View value, std::string detail) {
    structural_.add(FieldError::invalid(path.to_string(), value, std::move(detail)));
  }

  void check_keys(View schema, const PathFrame& path) {
    for (const std::string_view key : unsupported) {
      if (schema[key]) forbid(path.field(key), std::string(key) + " is not supported");
    }
    for (MemberView member : schema.members()) {
      if (!member.key.starts_with("x-muster-")) continue;
      forbid(path.field(member.key), "is reserved for the kinds that Muster brings along");
    }
    if (is_set(schema, "uniqueItems")) {
      forbid(path.field("uniqueItems"),
             "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
    const View preserve = schema["x-kubernetes-preserve-unknown-fields"];
    if (preserve && !preserve.boolean_or(false)) {
      refuse(path.field("x-kubernetes-preserve-unknown-fields"), preserve,
             "must be true or undefined");
    }
  }

  void check_type(View schema, Level level, const PathFrame& path) {
    const View type = schema["type"];
    const PathFrame at = path.field("type");
    const std::string_view name = type.string_or("");
    if (type && name == "null") {
      forbid(at, "type cannot be set to null, use nullable as an alternative");
    } else if (type && std::find(std::begin(types), std::end(types), name) == std::end(types)) {
      const std::string supported[] = {"array", "boolean", "integer", "number", "object", "string"};
      errors_.add(FieldError::not_supported(at.to_string(), type, supported));
    }
    const bool embedded = is_set(schema, "x-kubernetes-embedded-resource");
    if (embedded && name != "object") {
      const std::string detail = "must be object if x-kubernetes-embedded-resource is true";
      if (name.empty()) {
        require_structure(at, detail);
      } else {
        refuse_structure(at, type, detail);
      }
    } else if (name.empty() && !is_set(schema, "x-kubernetes-int-or-string") &&
               !is_set(schema, "x-kubernetes-preserve-unknown-fields")) {
      require_structure(at, level == Level::root ? "must not be empty at the root"
                            : level == Level::item
                                ? "must not be empty for specified array items"
                                : "must not be empty for specified object fields");
    }
    if (level == Level::root && !name.empty() && name != "object") {
      refuse_structure(at, type, "must be object at the root");
    }
  }

  void check_extensions(View schema, const PathFrame& path) {
    if (is_set(schema, "x-kubernetes-int-or-string")) {
      for (const std::string_view key :
           {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"}) {
        if (!is_set(schema, key)) continue;
        refuse_structure(path.field(key), schema[key],
                         "must be false if x-kubernetes-int-or-string is true");
      }
    }
    if (const View map_type = schema["x-kubernetes-map-type"]) {
      const std::string detail = "must be object if x-kubernetes-map-type is specified";
      if (!schema["type"]) {
        require(path.field("type"), detail);
      } else if (schema["type"].string() != "object") {
        refuse(path.field("type"), schema["type"], detail);
      }
      if (map_type.string() != "atomic" && map_type.string() != "granular") {
        const std::string supported[] = {"atomic", "granular"};
        errors_.add(FieldError::not_supported(path.field("x-kubernetes-map-type").to_string(),
                                              map_type, supported));
      }
    }
  }

  void check_rules_of(View schema, const PathFrame& path) {
    const PathFrame parent = path.field("x-kubernetes-validations");
    std::size_t index = 0;
    for (View rule : schema["x-kubernetes-validations"].elements()) {
      const PathFrame at = parent.element(index++);
      if (rule["rule"].string_or("").find_first_not_of(" \t\r\n") == std::string_view::npos) {
        require(at.field("rule"), "rule is not specified");
      }
      const View reason = rule["reason"];
      const std::string reasons[] = {"FieldValueDuplicate", "FieldValueForbidden",
                                     "FieldValueInvalid", "FieldValueRequired"};
      if (reason && std::find(std::begin(reasons), std::end(reasons), reason.string_or("")) ==
                        std::end(reasons)) {
        errors_.add(FieldError::not_supported(at.field("reason").to_string(), reason, reasons));
      }
      const View field_path = rule["fieldPath"];
      if (field_path && !leads_somewhere(schema, field_path.string_or(""))) {
        refuse(at.field("fieldPath"), field_path, "must be a valid path");
      }
    }
  }

  // `.spec.name` or `.labels['a.b']`, through properties and additional properties.
  static bool leads_somewhere(View schema, std::string_view path) {
    while (!path.empty()) {
      std::string_view key;
      if (path.starts_with("['")) {
        const std::size_t end = path.find("']");
        if (end == std::string_view::npos) return false;
        key = path.substr(2, end - 2);
        path.remove_prefix(end + 2);
      } else if (path.starts_with('.')) {
        const std::size_t end = std::min(path.find_first_of(".[", 1), path.size());
        key = path.substr(1, end - 1);
        path.remove_prefix(end);
      } else {
        return false;
      }
      const View property = schema["properties"][key];
      schema = property ? property : schema["additionalProperties"];
      if (!schema.is_object()) return false;
    }
    return true;
  }

  void check_list(View schema, const PathFrame& path) {
    const View list_type = schema["x-kubernetes-list-type"];
    const View keys = schema["x-kubernetes-list-map-keys"];
    const std::string_view name = list_type.string_or("");
    const PathFrame at = path.field("x-kubernetes-list-type");
    if (list_type && schema["type"].string() != "array") {
      const std::string detail = "must be array if x-kubernetes-list-type is specified";
      if (!schema["type"]) {
        require(path.field("type"), detail);
      } else {
        refuse(path.field("type"), schema["type"], detail);
      }
    }
    if (list_type && name != "atomic" && name != "set" && name != "map") {
      const std::string supported[] = {"atomic", "set", "map"};
      errors_.add(FieldError::not_supported(at.to_string(), list_type, supported));
    }
    if (!keys.empty() && name != "map") {
      const std::string detail = "must be map if x-kubernetes-list-map-keys is non-empty";
      if (!list_type) {
        require(at, detail);
      } else {
        refuse(at, list_type, detail);
      }
    }
    if (name == "map") check_map_keys(schema, keys, path);
    if ((name == "set" || name == "map") && is_set(schema["items"], "nullable")) {
      forbid(path.field("items").field("nullable"),
             "cannot be nullable when x-kubernetes-list-type is " + std::string(name));
    }
  }

  void check_map_keys(View schema, View keys, const PathFrame& path) {
    const PathFrame at = path.field("x-kubernetes-list-map-keys");
    const PathFrame items_path = path.field("items");
    const View items = schema["items"];
    if (keys.empty()) require(at, "must not be empty if x-kubernetes-list-type is map");
    if (!items) {
      require(items_path, "must have a schema if x-kubernetes-list-type is map");
      return;
    }
    if (items["type"].string() != "object") {
      refuse(items_path.field("type"), items["type"] ? items["type"] : Value::string("").view(),
             "must be object if parent array's x-kubernetes-list-type is map");
      return;
    }
    std::size_t index = 0;
    for (View key : keys.elements()) {
      const std::string_view name = key.string_or("");
      for (std::size_t i = 0; i < index; ++i) {
        if (keys[i] == key) refuse(at, keys, "must not contain duplicate entries");
      }
      ++index;
      const View property = items["properties"][name];
      const PathFrame properties = items_path.field("properties");
      const PathFrame property_path = properties.map_key(name);
      if (!property) {
        refuse(at, keys, "entries must all be names of item properties");
        continue;
      }
      const std::string_view type = property["type"].string_or("");
      if (type == "array" || type == "object") {
        refuse(property_path.field("type"), items["type"],
               "must be a scalar type if parent array's x-kubernetes-list-type is map");
      }
      if (!property["default"] && !contains(items["required"], name)) {
        require(property_path.field("default"),
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be "
                "a required property");
      }
      if (is_set(property, "nullable")) {
        forbid(property_path.field("nullable"),
               "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
      }
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
      refuse_structure(at.field("type"), Value::string(property["type"].string_or("")),
                       "must be string");
    }
    const View metadata = schema["properties"]["metadata"];
    const PathFrame metadata_path = properties.map_key("metadata");
    if (is_resource && metadata && metadata["type"].string() != "object") {
      refuse_structure(metadata_path.field("type"), Value::string(metadata["type"].string_or("")),
                       "must be object");
    }
    if (level == Level::root && metadata) check_metadata_schema(metadata, metadata_path);
    if (embedded && schema["additionalProperties"]) {
      forbid_structure(path.field("additionalProperties"),
                       "must not be used if x-kubernetes-embedded-resource is set");
    }
    if (embedded && !is_set(schema, "x-kubernetes-preserve-unknown-fields") &&
        schema["properties"].empty()) {
      require_structure(properties,
                        "must not be empty if x-kubernetes-embedded-resource is true without "
                        "x-kubernetes-preserve-unknown-fields");
    }
    if (level == Level::root && is_set(schema, "nullable")) {
      forbid_structure(path.field("nullable"), "nullable cannot be true at the root");
    }
  }

  // The server has its own schema of metadata; a CRD may narrow names and nothing else.
  void check_metadata_schema(View metadata, const PathFrame& path) {
    bool allowed = true;
    for (MemberView member : metadata.members()) {
      allowed = allowed && (member.key == "type" || member.key == "properties" ||
                            member.key == "description" || member.key == "default");
    }
    for (MemberView property : metadata["properties"].members()) {
      allowed = allowed && (property.key == "name" || property.key == "generateName");
    }
    if (allowed) return;
    forbid_structure(path,
                     "must not specify anything other than name and generateName, but metadata is "
                     "implicitly specified");
  }

  void check_additional(View schema, Level level, const PathFrame& path, std::size_t depth) {
    const View additional = schema["additionalProperties"];
    if (!additional) return;
    const PathFrame at = path.field("additionalProperties");
    if (level == Level::root) forbid_structure(at, "must not be used at the root");
    const bool allows = additional.is_object() || additional.boolean_or(false);
    if (!schema["properties"].empty() && allows) {
      forbid(at, "additionalProperties and properties are mutual exclusive");
    }
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
    if (const View branch = schema["not"])
      check_branch(branch, path.field("not"), depth + 1, false);
  }

  void check_branch(View branch, const PathFrame& path, std::size_t depth, bool may_choose) {
    if (!is_schema(branch, path, depth)) return;
    if (!(may_choose && is_int_or_string_choice(branch["anyOf"]))) {
      check_values(branch, path, depth, false);
    }
    if (const View items = branch["items"]) {
      check_branch(items, path.field("items"), depth + 1, false);
    }
    const PathFrame properties = path.field("properties");
    for (MemberView property : branch["properties"].members()) {
      check_branch(property.value, properties.map_key(property.key), depth + 1, false);
    }
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
      forbid_structure(path.field(entry.key),
                       "must be " + std::string(entry.state) + " to be structural");
    }
    check_keys(branch, path);
  }

  FieldErrors& errors_;
  FieldErrors& structural_;
};

}  // namespace

void check_structural(View schema, const PathFrame& path, FieldErrors& errors) {
  FieldErrors keys;
  FieldErrors structural;
  StructuralCheck(keys, structural).check(schema, Level::root, path, 0);
  errors.add_all(keys.empty() ? std::move(structural) : std::move(keys));
}

}  // namespace muster::objects
