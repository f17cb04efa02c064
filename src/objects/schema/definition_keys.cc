// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/definition_keys.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "objects/limits.h"
#include "objects/schema/definition_rules.h"

namespace muster::objects {

namespace {

constexpr std::string_view types[] = {"array", "boolean", "integer", "number", "object", "string"};
constexpr std::string_view branch_lists[] = {"allOf", "oneOf", "anyOf"};

bool is_set(View schema, std::string_view key) {
  return schema[key].boolean_or(false);
}

bool contains(View list, std::string_view text) {
  for (View element : list.elements()) {
    if (element.string() == text) return true;
  }
  return false;
}

// What a place inherits from those above it.
struct Inherited {
  std::string no_default = {};      // why there may be no default; empty: there may
  std::string uncorrelatable = {};  // path of the part whose old elements cannot be told apart
  bool inside_metadata = false;
  bool is_branch = false;
};

class KeysCheck {
 public:
  explicit KeysCheck(bool with_rules) : with_rules_(with_rules) {}

  void check(View schema, const PathFrame& path, bool is_root, const Inherited& inherited,
             std::size_t depth) {
    if (!is_schema(schema, path, depth)) return;
    const std::size_t errors_before = found_.keys.size();
    check_own(schema, path, inherited);
    check_additional(schema, path, inherited, depth);
    check_properties(schema, path, is_root, inherited, depth);
    check_branches(schema, path, inherited, depth);
    check_items(schema, path, inherited, depth);
    check_map_type(schema, path);
    check_list(schema, path);
    check_rule_texts(schema, path, found_.keys);
    const bool asks_rules = with_rules_ && !inherited.is_branch;
    if (!asks_rules || found_.keys.size() != errors_before) return;
    check_rule_programs(schema, path,
                        {.is_resource = is_root || is_set(schema, "x-kubernetes-embedded-resource"),
                         .uncorrelatable = inherited.uncorrelatable},
                        found_.rules);
  }

  KeyErrors take() { return std::move(found_); }

 private:
  bool is_schema(View schema, const PathFrame& path, std::size_t depth) {
    if (found_.keys.is_full()) return false;
    if (!schema.is_object()) {
      found_.keys.add(FieldError::type_invalid(path.to_string(), schema, "must be an object"));
      return false;
    }
    if (depth > schema_depth_max) {
      forbid(path, "is nested too deeply");
      return false;
    }
    return true;
  }

  void forbid(const PathFrame& path, std::string detail) {
    found_.keys.add(FieldError::forbidden(path.to_string(), std::move(detail)));
  }
  void require(const PathFrame& path, std::string detail) {
    found_.keys.add(FieldError::required(path.to_string(), std::move(detail)));
  }
  void refuse(const PathFrame& path, View value, std::string detail) {
    found_.keys.add(FieldError::invalid(path.to_string(), value, std::move(detail)));
  }

  void check_own(View schema, const PathFrame& path, const Inherited& inherited) {
    const View type = schema["type"];
    const std::string_view name = type.string_or("");
    const PathFrame type_path = path.field("type");
    if (!name.empty() && std::find(std::begin(types), std::end(types), name) == std::end(types)) {
      const std::string supported[] = {"array", "boolean", "integer", "number", "object", "string"};
      found_.keys.add(FieldError::not_supported(type_path.to_string(), type, supported));
    }
    if (schema["default"] && !schema["default"].is_null() && !inherited.no_default.empty()) {
      forbid(path.field("default"), "must not be set " + inherited.no_default);
    }
    for (const std::string_view key :
         {"id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"}) {
      if (schema[key]) forbid(path.field(key), std::string(key) + " is not supported");
    }
    if (name == "null") {
      forbid(type_path, "type cannot be set to null, use nullable as an alternative");
    }
    if (schema["items"].is_array()) {
      forbid(path.field("items"), "items must be a schema object and not an array");
    }
    if (inherited.inside_metadata && is_set(schema, "x-kubernetes-embedded-resource")) {
      forbid(path.field("x-kubernetes-embedded-resource"),
             "must not be used inside of resource meta");
    }
    for (const MemberView member : schema.members()) {
      if (!member.key.starts_with("x-muster-")) continue;
      forbid(path.field(member.key), "is reserved for the kinds that Muster brings along");
    }
    if (is_set(schema, "uniqueItems")) {
      forbid(path.field("uniqueItems"),
             "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
  }

  void check_additional(View schema, const PathFrame& path, const Inherited& inherited,
                        std::size_t depth) {
    const View additional = schema["additionalProperties"];
    if (!additional) return;
    const PathFrame at = path.field("additionalProperties");
    if (!schema["properties"].empty() &&
        (additional.is_object() || !additional.boolean_or(false))) {
      forbid(at, "additionalProperties and properties are mutual exclusive");
    }
    if (!additional.is_object()) return;
    Inherited below = inherited;
    if (inherited.inside_metadata) {
      below.no_default = "inside additionalProperties applying to object metadata";
    }
    check(additional, at, false, below, depth + 1);
  }

  void check_properties(View schema, const PathFrame& path, bool is_root,
                        const Inherited& inherited, std::size_t depth) {
    const PathFrame properties = path.field("properties");
    const bool atomic = schema["x-kubernetes-map-type"].string_or("") == "atomic";
    const bool is_resource = is_root || is_set(schema, "x-kubernetes-embedded-resource");
    for (const MemberView property : schema["properties"].members()) {
      Inherited below = inherited;
      if (atomic && below.uncorrelatable.empty()) below.uncorrelatable = path.to_string();
      const bool is_meta =
          property.key == "metadata" || property.key == "kind" || property.key == "apiVersion";
      if (is_resource && is_meta) {
        below.inside_metadata = true;
        if (is_root) below.no_default = "in top-level " + std::string(property.key);
      }
      check(property.value, properties.map_key(property.key), false, below, depth + 1);
    }
  }

  void check_branches(View schema, const PathFrame& path, const Inherited& inherited,
                      std::size_t depth) {
    Inherited below = inherited;
    below.is_branch = true;
    if (const View branch = schema["not"]) {
      check(branch, path.field("not"), false, below, depth + 1);
    }
    for (const std::string_view list : branch_lists) {
      const PathFrame parent = path.field(list);
      std::size_t index = 0;
      for (View branch : schema[list].elements()) {
        check(branch, parent.element(index++), false, below, depth + 1);
      }
    }
  }

  void check_items(View schema, const PathFrame& path, const Inherited& inherited,
                   std::size_t depth) {
    const View items = schema["items"];
    if (!items || items.is_array()) return;
    Inherited below = inherited;
    const bool is_map = schema["x-kubernetes-list-type"].string_or("") == "map";
    if (!is_map && below.uncorrelatable.empty()) below.uncorrelatable = path.to_string();
    check(items, path.field("items"), false, below, depth + 1);
  }

  void check_map_type(View schema, const PathFrame& path) {
    const View preserve = schema["x-kubernetes-preserve-unknown-fields"];
    if (preserve && !preserve.boolean_or(false)) {
      refuse(path.field("x-kubernetes-preserve-unknown-fields"), preserve,
             "must be true or undefined");
    }
    const View map_type = schema["x-kubernetes-map-type"];
    if (!map_type) return;
    const std::string detail = "must be object if x-kubernetes-map-type is specified";
    if (!schema["type"]) {
      require(path.field("type"), detail);
    } else if (schema["type"].string() != "object") {
      refuse(path.field("type"), schema["type"], detail);
    }
    if (map_type.string() != "atomic" && map_type.string() != "granular") {
      const std::string supported[] = {"atomic", "granular"};
      found_.keys.add(FieldError::not_supported(path.field("x-kubernetes-map-type").to_string(),
                                                map_type, supported));
    }
  }

  // Elements of a set are compared as a whole.
  void check_set(View items, const PathFrame& path) {
    constexpr std::string_view detail =
        "must be atomic as item of a list with x-kubernetes-list-type=set";
    const View list_type = items["x-kubernetes-list-type"];
    if (items["type"].string() == "array" && list_type && list_type.string() != "atomic") {
      refuse(path.field("x-kubernetes-list-type"), list_type, std::string(detail));
    }
    if (items["type"].string() == "object" && items["x-kubernetes-map-type"].string() != "atomic") {
      // The peer shows the list type of the items here.
      refuse(path.field("x-kubernetes-map-type"), list_type ? list_type : Value::null().view(),
             std::string(detail));
    }
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
    } else if (name == "set" && schema["items"].is_object()) {
      check_set(schema["items"], path.field("items"));
    }
    if (list_type && name != "atomic" && name != "set" && name != "map") {
      const std::string supported[] = {"atomic", "set", "map"};
      found_.keys.add(FieldError::not_supported(at.to_string(), list_type, supported));
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
    if (name == "map" || name == "set") check_element_keys(schema, name, path);
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
    }
  }

  // Keys must be there, and tell elements apart.
  void check_element_keys(View schema, std::string_view list_type, const PathFrame& path) {
    const View items = schema["items"];
    if (!items.is_object()) return;
    const PathFrame items_path = path.field("items");
    if (is_set(items, "nullable")) {
      forbid(items_path.field("nullable"),
             "cannot be nullable when x-kubernetes-list-type is " + std::string(list_type));
    }
    if (list_type != "map") return;
    const PathFrame properties = items_path.field("properties");
    for (View key : schema["x-kubernetes-list-map-keys"].elements()) {
      const std::string_view name = key.string_or("");
      const View property = items["properties"][name];
      if (!property) continue;
      const PathFrame property_path = properties.map_key(name);
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

  KeyErrors found_;
  bool with_rules_;
};

}  // namespace

KeyErrors check_schema_keys(View schema, const PathFrame& path, bool with_rules) {
  KeysCheck check(with_rules);
  check.check(schema, path, true, {}, 0);
  return check.take();
}

}  // namespace muster::objects
