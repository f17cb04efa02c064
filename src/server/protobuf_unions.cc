// SPDX-License-Identifier: Apache-2.0
// Messages that JSON shows as a bare value: any JSON, the unions inside the schema of a CRD, and
// lists that are values of a map.
#include <vector>

#include "server/protobuf_decoder.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::SchemaNode;

namespace {

constexpr std::string_view schema_or_array = "apiextensions.v1.JSONSchemaPropsOrArray";
constexpr std::string_view schema_or_bool = "apiextensions.v1.JSONSchemaPropsOrBool";
constexpr std::string_view schema_or_strings = "apiextensions.v1.JSONSchemaPropsOrStringArray";

}  // namespace

Result<Node> ProtobufDecoder::any(SchemaNode node, const WireField& field, std::string_view name) {
  if (field.type != WireType::bytes) return malformed_protobuf(name);
  const std::string_view type = node.type_name();
  if (type == schema_or_bool) return schema_or_flag(field, name);
  if (type != schema_or_array && type != schema_or_strings) return raw_json(field, name);
  std::vector<Node> elements;
  WireReader reader(field.bytes);
  while (const auto part = reader.next()) {
    TRY(count(name));
    if (part->number == 1) return value(json_schema_, *part, name);
    if (part->number != 2) continue;
    elements.push_back(type == schema_or_array ? TRY(value(json_schema_, *part, name))
                                               : TRY(text(*part, name)));
  }
  if (reader.is_malformed()) return malformed_protobuf(name);
  return builder_.array(elements);
}

Result<Node> ProtobufDecoder::schema_or_flag(const WireField& field, std::string_view name) {
  bool allows = false;
  WireReader reader(field.bytes);
  while (const auto part = reader.next()) {
    if (part->number == 1) allows = part->number_value != 0;
    if (part->number == 2) return value(json_schema_, *part, name);
  }
  if (reader.is_malformed()) return malformed_protobuf(name);
  return Builder::boolean(allows);
}

Result<Node> ProtobufDecoder::list_in_map(SchemaNode node, const WireField& field,
                                          std::string_view name) {
  if (field.type != WireType::bytes) return malformed_protobuf(name);
  std::vector<Node> elements;
  WireReader reader(field.bytes);
  while (const auto part = reader.next()) {
    TRY(count(name));
    if (part->number == 1) elements.push_back(TRY(value(node.items(), *part, name)));
  }
  if (reader.is_malformed()) return malformed_protobuf(name);
  return builder_.array(elements);
}

}  // namespace muster::server
