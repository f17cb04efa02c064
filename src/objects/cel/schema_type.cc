// SPDX-License-Identifier: Apache-2.0
#include "objects/cel/schema_type.h"

namespace muster::objects::cel {

namespace {

Kind kind_of_text(std::string_view format) {
  if (format == "date-time" || format == "date") return Kind::timestamp;
  if (format == "duration") return Kind::duration;
  // Base64 text is bytes there, which nothing here has a kind for.
  return format == "byte" ? Kind::dynamic : Kind::text;
}

}  // namespace

TypeOfSchema type_of_schema(View schema) {
  TypeOfSchema type;
  if (!schema.is_object() || schema["x-kubernetes-int-or-string"].boolean_or(false)) return type;
  const std::string_view name = schema["type"].string_or("");
  if (name == "string") {
    type.kind = kind_of_text(schema["format"].string_or(""));
  } else if (name == "integer") {
    type.kind = Kind::integer;
  } else if (name == "number") {
    type.kind = Kind::real;
  } else if (name == "boolean") {
    type.kind = Kind::boolean;
  } else if (name == "array" && schema["items"].is_object()) {
    type.kind = Kind::list;
    type.element = type_of_schema(schema["items"]).kind;
    type.schema = schema;
  } else if (name == "object") {
    type.schema = schema;
    if (!schema["additionalProperties"].is_object()) return type;
    type.kind = Kind::map;
    type.key = Kind::text;
    type.element = type_of_schema(schema["additionalProperties"]).kind;
  }
  return type;
}

View resource_field(std::string_view name) {
  static const Value text = Value::object({{"type", Value::string("string")}});
  static const Value names = Value::object({{"name", text}, {"generateName", text}});
  static const Value metadata =
      Value::object({{"type", Value::string("object")}, {"properties", names}});
  return name == "metadata" ? metadata.view() : text.view();
}

}  // namespace muster::objects::cel
