// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>

#include "objects/json.h"
#include "server/openapi_v2.h"

namespace muster::server {

using objects::MemberView;
using objects::View;

namespace {

// One protobuf message as it grows.
class Message {
 public:
  void text(std::uint32_t field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    bytes_ += value;
  }
  void message(std::uint32_t field, const Message& value) { text(field, value.bytes_); }
  void number(std::uint32_t field, std::uint64_t value) {
    tag(field, 0);
    varint(value);
  }
  void real(std::uint32_t field, double value) {
    tag(field, 1);
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) {
      bytes_ += static_cast<char>((bits >> shift) & 0xffU);
    }
  }
  std::string take() && { return std::move(bytes_); }

 private:
  void tag(std::uint32_t field, std::uint32_t type) { varint((field << 3) | type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7fU) | 0x80U);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

// gnostic carries what has no form of its own as YAML, which JSON is.
Message any(View value) {
  Message made;
  made.text(2, objects::to_json(value));
  return made;
}

Message named(std::string_view name, const Message& value) {
  Message made;
  made.text(1, name);
  made.message(2, value);
  return made;
}

void add_extensions(View from, std::uint32_t field, Message& to) {
  for (const MemberView member : from.members()) {
    if (member.key.starts_with("x-")) to.message(field, named(member.key, any(member.value)));
  }
}

struct Keyword {
  enum class Form : std::uint8_t { text, real, boolean, integer, any };

  std::string_view name;
  std::uint32_t field;
  Form form;
};

// The keywords of a schema whose values are plain, and their numbers in gnostic's Schema.
constexpr std::array keywords = {
    Keyword{"$ref", 1, Keyword::Form::text},
    Keyword{"format", 2, Keyword::Form::text},
    Keyword{"title", 3, Keyword::Form::text},
    Keyword{"description", 4, Keyword::Form::text},
    Keyword{"default", 5, Keyword::Form::any},
    Keyword{"multipleOf", 6, Keyword::Form::real},
    Keyword{"maximum", 7, Keyword::Form::real},
    Keyword{"exclusiveMaximum", 8, Keyword::Form::boolean},
    Keyword{"minimum", 9, Keyword::Form::real},
    Keyword{"exclusiveMinimum", 10, Keyword::Form::boolean},
    Keyword{"maxLength", 11, Keyword::Form::integer},
    Keyword{"minLength", 12, Keyword::Form::integer},
    Keyword{"pattern", 13, Keyword::Form::text},
    Keyword{"maxItems", 14, Keyword::Form::integer},
    Keyword{"minItems", 15, Keyword::Form::integer},
    Keyword{"uniqueItems", 16, Keyword::Form::boolean},
    Keyword{"maxProperties", 17, Keyword::Form::integer},
    Keyword{"minProperties", 18, Keyword::Form::integer},
};

void add_plain(View schema, Message& to) {
  for (const Keyword& keyword : keywords) {
    const View value = schema[keyword.name];
    if (value.is_absent()) continue;
    switch (keyword.form) {
      case Keyword::Form::text:
        to.text(keyword.field, value.string_or(""));
        break;
      case Keyword::Form::real:
        to.real(keyword.field, value.real().value_or(0));
        break;
      case Keyword::Form::boolean:
        to.number(keyword.field, value.boolean_or(false) ? 1 : 0);
        break;
      case Keyword::Form::integer:
        to.number(keyword.field, static_cast<std::uint64_t>(value.integer_or(0)));
        break;
      case Keyword::Form::any:
        to.message(keyword.field, any(value));
        break;
    }
  }
}

Message schema_of(View schema);

Message schemas_by_name(View from) {
  Message all;
  for (const MemberView member : from.members()) {
    all.message(1, named(member.key, schema_of(member.value)));
  }
  return all;
}

Message schema_of(View schema) {
  Message made;
  add_plain(schema, made);
  for (const View field : schema["required"].elements()) made.text(19, field.string_or(""));
  for (const View value : schema["enum"].elements()) made.message(20, any(value));
  if (const View additional = schema["additionalProperties"]) {
    Message item;
    if (additional.is_object()) {
      item.message(1, schema_of(additional));
    } else {
      item.number(2, additional.boolean_or(false) ? 1 : 0);
    }
    made.message(21, item);
  }
  if (const View type = schema["type"]) {
    Message types;
    types.text(1, type.string_or(""));
    made.message(22, types);
  }
  if (const View items = schema["items"]) {
    Message item;
    item.message(1, schema_of(items));
    made.message(23, item);
  }
  if (const View properties = schema["properties"]) {
    made.message(25, schemas_by_name(properties));
  }
  add_extensions(schema, 31, made);
  return made;
}

Message parameter_of(View parameter) {
  Message query;
  query.text(2, parameter["in"].string_or(""));
  query.text(4, parameter["name"].string_or(""));
  query.text(6, parameter["type"].string_or(""));
  Message without_body;
  without_body.message(3, query);
  Message either;
  either.message(2, without_body);
  Message item;
  item.message(1, either);
  return item;
}

Message responses_of(View responses) {
  Message all;
  for (const MemberView code : responses.members()) {
    Message schema;
    schema.message(1, schema_of(code.value["schema"]));
    Message response;
    response.text(1, code.value["description"].string_or(""));
    response.message(2, schema);
    Message value;
    value.message(1, response);
    all.message(1, named(code.key, value));
  }
  return all;
}

Message operation_of(View operation) {
  Message made;
  for (const View parameter : operation["parameters"].elements()) {
    made.message(8, parameter_of(parameter));
  }
  made.message(9, responses_of(operation["responses"]));
  add_extensions(operation, 13, made);
  return made;
}

Message path_of(View path) {
  constexpr std::pair<std::string_view, std::uint32_t> methods[] = {
      {"get", 2}, {"put", 3}, {"post", 4}, {"delete", 5}, {"patch", 8}};
  Message made;
  for (const auto& [method, field] : methods) {
    if (const View operation = path[method]) made.message(field, operation_of(operation));
  }
  return made;
}

}  // namespace

std::string to_gnostic(View swagger) {
  Message info;
  info.text(1, swagger["info"]["title"].string_or(""));
  info.text(2, swagger["info"]["version"].string_or(""));
  Message paths;
  for (const MemberView member : swagger["paths"].members()) {
    paths.message(2, named(member.key, path_of(member.value)));
  }
  Message document;
  document.text(1, swagger["swagger"].string_or(""));
  document.message(2, info);
  document.message(8, paths);
  document.message(9, schemas_by_name(swagger["definitions"]));
  return std::move(document).take();
}

}  // namespace muster::server
