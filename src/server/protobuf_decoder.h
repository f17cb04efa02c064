// ProtobufDecoder: one message after the other into the members of a JSON object, by the numbers of
// a schema or, for the few messages that no kind is made of, by a list of fields. Internal to
// protobuf.h.
//
//   ProtobufDecoder decoder(builder);
//   std::vector<Node::Member> members = TRY(decoder.message(schema.root(), bytes));
//
// Assumes: nothing about the bytes; limits are below.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/builder.h"
#include "objects/schema.h"
#include "server/protobuf_wire.h"

namespace muster::server {

// Messages in messages. Each may be an element of a list, so JSON nests twice as deep; with a
// value that is JSON itself it stays below objects::depth_max.
inline constexpr std::size_t protobuf_depth_max = 64;
inline constexpr std::size_t protobuf_json_depth_max = 64;

// Values of one body: two bytes can make one, and each costs some sixteen to a hundred.
inline constexpr std::size_t protobuf_values_max = 500'000;

// Elements of a list of the messages that are described below.
inline constexpr std::size_t protobuf_elements_max = 16;

enum class ProtobufLeaf : std::uint8_t { by_schema, text, integer, boolean };

// A field of one of the few messages that no schema describes.
struct ProtobufField {
  std::uint32_t number;
  std::string_view name;
  ProtobufLeaf leaf = ProtobufLeaf::by_schema;
  bool repeated = false;
  std::span<const ProtobufField> fields = {};  // of a message
  objects::SchemaNode node = {};               // of by_schema
};

bool is_valid_utf8(std::string_view text);
Error malformed_protobuf(std::string_view where);

class ProtobufDecoder {
 public:
  explicit ProtobufDecoder(objects::Builder& builder) : builder_(builder) {}

  // The members of a message that a schema describes.
  Result<std::vector<objects::Node::Member>> message(objects::SchemaNode node,
                                                     std::string_view bytes);
  // The same of one that is described here.
  Result<std::vector<objects::Node::Member>> message(std::span<const ProtobufField> fields,
                                                     std::string_view bytes);

 private:
  // A field's value as far as it was read. Maps are sorted, as Go writes them.
  struct Slot {
    std::string_view name;
    objects::SchemaNode node;
    bool pointer = false;
    objects::Node value = {};
    std::vector<objects::Node> elements = {};
    std::map<std::string_view, objects::Node> entries = {};
  };

  Result<> read(objects::SchemaNode node, std::uint32_t inlined, std::string_view bytes,
                std::vector<Slot>& slots);
  Result<> read_field(const WireField& field, Slot& slot);
  Result<> read_element(const WireField& field, Slot& slot);
  Result<> read_entry(const WireField& field, Slot& slot);
  Result<objects::Node> value(objects::SchemaNode node, const WireField& field,
                              std::string_view name);
  Result<objects::Node> scalar(objects::SchemaNode node, const WireField& field,
                               std::string_view name);
  Result<objects::Node> text(const WireField& field, std::string_view name);
  Result<objects::Node> timestamp(const WireField& field, bool micro, std::string_view name);
  Result<objects::Node> quantity(const WireField& field, std::string_view name);
  Result<objects::Node> int_or_string(const WireField& field, std::string_view name);
  Result<objects::Node> raw_json(const WireField& field, std::string_view name);
  // What JSON shows as a bare value (protobuf_unions.cc).
  Result<objects::Node> any(objects::SchemaNode node, const WireField& field,
                            std::string_view name);
  Result<objects::Node> schema_or_flag(const WireField& field, std::string_view name);
  Result<objects::Node> list_in_map(objects::SchemaNode node, const WireField& field,
                                    std::string_view name);
  Result<objects::Node> fixed(const ProtobufField& described, const WireField& field);
  Result<> count(std::string_view name);
  std::vector<objects::Node::Member> members_of(std::vector<Slot>& slots);

  objects::Builder& builder_;
  objects::SchemaNode json_schema_;  // the newest JSONSchemaProps around what is read
  std::size_t depth_ = 0;
  std::size_t values_ = 0;
};

}  // namespace muster::server
