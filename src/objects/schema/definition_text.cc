// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/definition_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "objects/field_error.h"
#include "objects/limits.h"

namespace muster::objects {

namespace {

enum class Shape {
  text,
  flag,
  number,
  pointer,
  schema,
  schemas,
  schema_map,
  items,
  additional,
  rules
};

struct GoField {
  std::string_view name;
  std::string_view key;
  Shape shape;
};

constexpr GoField schema_fields[] = {
    {"ID", "id", Shape::text},
    {"Schema", "$schema", Shape::text},
    {"Ref", "$ref", Shape::pointer},
    {"Description", "description", Shape::text},
    {"Type", "type", Shape::text},
    {"Nullable", "nullable", Shape::flag},
    {"Format", "format", Shape::text},
    {"Title", "title", Shape::text},
    {"Default", "default", Shape::pointer},
    {"Maximum", "maximum", Shape::pointer},
    {"ExclusiveMaximum", "exclusiveMaximum", Shape::flag},
    {"Minimum", "minimum", Shape::pointer},
    {"ExclusiveMinimum", "exclusiveMinimum", Shape::flag},
    {"MaxLength", "maxLength", Shape::pointer},
    {"MinLength", "minLength", Shape::pointer},
    {"Pattern", "pattern", Shape::text},
    {"MaxItems", "maxItems", Shape::pointer},
    {"MinItems", "minItems", Shape::pointer},
    {"UniqueItems", "uniqueItems", Shape::flag},
    {"MultipleOf", "multipleOf", Shape::pointer},
    {"Enum", "enum", Shape::pointer},
    {"MaxProperties", "maxProperties", Shape::pointer},
    {"MinProperties", "minProperties", Shape::pointer},
    {"Required", "required", Shape::pointer},
    {"Items", "items", Shape::items},
    {"AllOf", "allOf", Shape::schemas},
    {"OneOf", "oneOf", Shape::schemas},
    {"AnyOf", "anyOf", Shape::schemas},
    {"Not", "not", Shape::schema},
    {"Properties", "properties", Shape::schema_map},
    {"AdditionalProperties", "additionalProperties", Shape::additional},
    {"PatternProperties", "patternProperties", Shape::schema_map},
    {"Dependencies", "dependencies", Shape::pointer},
    {"AdditionalItems", "additionalItems", Shape::additional},
    {"Definitions", "definitions", Shape::schema_map},
    {"ExternalDocs", "externalDocs", Shape::pointer},
    {"Example", "example", Shape::pointer},
    {"XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", Shape::pointer},
    {"XEmbeddedResource", "x-kubernetes-embedded-resource", Shape::flag},
    {"XIntOrString", "x-kubernetes-int-or-string", Shape::flag},
    {"XListMapKeys", "x-kubernetes-list-map-keys", Shape::pointer},
    {"XListType", "x-kubernetes-list-type", Shape::pointer},
    {"XMapType", "x-kubernetes-map-type", Shape::pointer},
    {"XValidations", "x-kubernetes-validations", Shape::rules},
};

constexpr GoField rule_fields[] = {
    {"Rule", "rule", Shape::text},
    {"Message", "message", Shape::text},
    {"MessageExpression", "messageExpression", Shape::text},
    {"Reason", "reason", Shape::pointer},
    {"FieldPath", "fieldPath", Shape::text},
    {"OptionalOldSelf", "optionalOldSelf", Shape::pointer},
};

constexpr GoField column_fields[] = {
    {"Name", "name", Shape::text},           {"Type", "type", Shape::text},
    {"Format", "format", Shape::text},       {"Description", "description", Shape::text},
    {"Priority", "priority", Shape::number}, {"JSONPath", "jsonPath", Shape::text},
};

void append_schema(View schema, std::size_t depth, std::string& out);

void append_json(View value, std::string& out) {
  out += value ? go_json(value, MemberOrder::sorted) : "null";
}

void append_text(std::string_view text, std::string& out) {
  out += go_json(Value::string(text), MemberOrder::sorted);
}

template <class Each>
void append_list(View list, std::string& out, Each each) {
  if (list.empty()) {
    out += "null";
    return;
  }
  out += '[';
  bool first = true;
  for (View element : list.elements()) {
    if (!first) out += ',';
    first = false;
    each(element);
  }
  out += ']';
}

void append_map(View map, std::size_t depth, std::string& out) {
  if (map.empty()) {
    out += "null";
    return;
  }
  std::vector<MemberView> members;
  for (const MemberView member : map.members()) members.push_back(member);
  std::sort(members.begin(), members.end(),
            [](const MemberView& a, const MemberView& b) { return a.key < b.key; });
  out += '{';
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) out += ',';
    append_text(members[i].key, out);
    out += ':';
    append_schema(members[i].value, depth + 1, out);
  }
  out += '}';
}

void append_additional(View value, std::size_t depth, std::string& out) {
  if (!value) {
    out += "null";
    return;
  }
  const bool allows = value.is_object() || value.boolean_or(false);
  out += fmt::format(R"({{"Allows":{},"Schema":)", allows);
  append_schema(value.is_object() ? value : View(), depth + 1, out);
  out += '}';
}

void append_items(View value, std::size_t depth, std::string& out) {
  if (!value) {
    out += "null";
    return;
  }
  out += R"({"Schema":)";
  append_schema(value.is_object() ? value : View(), depth + 1, out);
  out += R"(,"JSONSchemas":)";
  append_list(value, out, [&](View each) { append_schema(each, depth + 1, out); });
  out += '}';
}

void append_value(View value, const GoField& field, std::size_t depth, std::string& out) {
  switch (field.shape) {
    case Shape::text:
      return append_text(value.string_or(""), out);
    case Shape::flag:
      out += value.boolean_or(false) ? "true" : "false";
      return;
    case Shape::number:
      out += fmt::to_string(value.integer_or(0));
      return;
    case Shape::pointer:
      return append_json(value, out);
    case Shape::schema:
      return append_schema(value, depth + 1, out);
    case Shape::schemas:
      return append_list(value, out, [&](View each) { append_schema(each, depth + 1, out); });
    case Shape::schema_map:
      return append_map(value, depth, out);
    case Shape::items:
      return append_items(value, depth, out);
    case Shape::additional:
      return append_additional(value, depth, out);
    case Shape::rules:
      return append_list(value, out, [&](View each) { out += go_rule(each); });
  }
}

template <std::size_t count>
void append_struct(View object, const GoField (&fields)[count], std::size_t depth,
                   std::string& out) {
  out += '{';
  bool first = true;
  for (const GoField& field : fields) {
    if (!first) out += ',';
    first = false;
    out += fmt::format("\"{}\":", field.name);
    append_value(object[field.key], field, depth, out);
  }
  out += '}';
}

void append_schema(View schema, std::size_t depth, std::string& out) {
  if (!schema.is_object() || depth > schema_depth_max) {
    out += "null";
    return;
  }
  append_struct(schema, schema_fields, depth, out);
}

void append_subresources(View subresources, std::string& out) {
  if (!subresources) {
    out += "null";
    return;
  }
  const View scale = subresources["scale"];
  out += fmt::format(R"({{"Status":{},"Scale":)", subresources["status"] ? "{}" : "null");
  if (!scale) {
    out += "null}";
    return;
  }
  out += R"({"SpecReplicasPath":)";
  append_text(scale["specReplicasPath"].string_or(""), out);
  out += R"(,"StatusReplicasPath":)";
  append_text(scale["statusReplicasPath"].string_or(""), out);
  out += R"(,"LabelSelectorPath":)";
  append_json(scale["labelSelectorPath"], out);
  out += "}}";
}

void append_version(View version, const SharedParts& shared, std::string& out) {
  out += R"({"Name":)";
  append_text(version["name"].string_or(""), out);
  out += fmt::format(R"(,"Served":{},"Storage":{},"Deprecated":{},"DeprecationWarning":)",
                     version["served"].boolean_or(false), version["storage"].boolean_or(false),
                     version["deprecated"].boolean_or(false));
  append_json(version["deprecationWarning"], out);
  out += R"(,"Schema":)";
  if (shared.schema || !version["schema"]) {
    out += "null";
  } else {
    out += R"({"OpenAPIV3Schema":)";
    append_schema(version["schema"]["openAPIV3Schema"], 0, out);
    out += '}';
  }
  out += R"(,"Subresources":)";
  append_subresources(shared.subresources ? View() : version["subresources"], out);
  out += R"(,"AdditionalPrinterColumns":)";
  append_list(shared.columns ? View() : version["additionalPrinterColumns"], out,
              [&](View each) { append_struct(each, column_fields, 0, out); });
  out += R"(,"SelectableFields":)";
  append_list(shared.selectable_fields ? View() : version["selectableFields"], out, [&](View each) {
    out += R"({"JSONPath":)";
    append_text(each["jsonPath"].string_or(""), out);
    out += '}';
  });
  out += '}';
}

bool all_alike(View versions, std::string_view part) {
  const View first = versions[std::size_t{0}][part];
  for (View version : versions.elements()) {
    if (!(version[part] == first)) return false;
  }
  return true;
}

}  // namespace

SharedParts shared_parts(View versions) {
  return {.schema = all_alike(versions, "schema"),
          .subresources = all_alike(versions, "subresources"),
          .columns = all_alike(versions, "additionalPrinterColumns"),
          .selectable_fields = all_alike(versions, "selectableFields")};
}

std::string go_versions(View versions, const SharedParts& shared) {
  if (!versions.is_array()) return "null";
  std::string out = "[";
  bool first = true;
  for (View version : versions.elements()) {
    if (!first) out += ',';
    first = false;
    append_version(version, shared, out);
  }
  return out + "]";
}

std::string go_schema(View schema) {
  std::string out;
  append_schema(schema, 0, out);
  return out;
}

std::string go_rule(View rule) {
  std::string out;
  append_struct(rule, rule_fields, 0, out);
  return out;
}

}  // namespace muster::objects
