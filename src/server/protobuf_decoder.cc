// SPDX-License-Identifier: Apache-2.0
#include "server/protobuf_decoder.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "base/timestamp.h"
#include "base/utf8.h"
#include "objects/json.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::SchemaField;
using objects::SchemaNode;
using objects::SchemaType;
using objects::Value;

namespace {

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto byte = i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U;
      group = (group << 8) | byte;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += i + k <= bytes.size() ? letters[(group >> (18 - 6 * k)) & 63] : '=';
    }
  }
  return text;
}

bool is_map(SchemaNode node) {
  return node.type() == SchemaType::object && node.field_count() == 0 &&
         !node.additional_properties().is_none();
}

// Message 3 inside of message 2, both inlined, is 2003 (api/README.md).
std::uint32_t inlined_within(std::uint32_t outer, std::uint32_t number) {
  constexpr std::uint32_t nested = 1'000;
  return number < nested ? outer * nested + number : std::numeric_limits<std::uint32_t>::max();
}

bool is_time(SchemaNode node) {
  return node.type() == SchemaType::string &&
         (node.format() == "date-time" || node.format() == "micro-time");
}

// What Go leaves out of JSON where the field is no pointer.
bool is_zero(const Node& node) {
  switch (node.type) {
    case objects::Type::boolean:
      return !node.boolean;
    case objects::Type::integer:
      return node.integer == 0;
    case objects::Type::real:
      return node.real == 0;
    case objects::Type::string:
      return node.size == 0;
    case objects::Type::absent:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = first_code_point(text).size;
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

Error malformed_protobuf(std::string_view where) {
  return Error::bad_request(
      fmt::format("the protobuf body is malformed{}{}", where.empty() ? "" : " at ", where));
}

Result<> ProtobufDecoder::count(std::string_view name) {
  if (++values_ <= protobuf_values_max) return {};
  return Error::too_large(
      fmt::format("the protobuf body has more than {} values at {}", protobuf_values_max, name));
}

Result<std::vector<Node::Member>> ProtobufDecoder::message(SchemaNode node,
                                                           std::string_view bytes) {
  if (depth_ >= protobuf_depth_max) {
    return Error::too_large(
        fmt::format("the protobuf body nests more than {} messages", protobuf_depth_max));
  }
  ++depth_;
  if (node.type_name() == "apiextensions.v1.JSONSchemaProps") json_schema_ = node;
  std::vector<Slot> slots;
  TRY(read(node, 0, bytes, slots));
  --depth_;
  return members_of(slots);
}

std::vector<Node::Member> ProtobufDecoder::members_of(std::vector<Slot>& slots) {
  std::vector<Node::Member> members;
  members.reserve(slots.size());
  for (Slot& slot : slots) {
    if (slot.node.type() == SchemaType::array && slot.node.format() != "byte") {
      slot.value = builder_.array(slot.elements);
    } else if (is_map(slot.node)) {
      std::vector<Node::Member> entries;
      entries.reserve(slot.entries.size());
      for (const auto& [key, value] : slot.entries) entries.push_back({builder_.text(key), value});
      slot.value = builder_.object(entries);
    } else if (slot.value.type == objects::Type::absent || (!slot.pointer && is_zero(slot.value))) {
      continue;
    }
    members.push_back({builder_.text(slot.name), slot.value});
  }
  return members;
}

// Reads the fields of the message itself (inlined = 0) or of one that JSON shows as a part of it.
Result<> ProtobufDecoder::read(SchemaNode node, std::uint32_t inlined, std::string_view bytes,
                               std::vector<Slot>& slots) {
  WireReader reader(bytes);
  while (const auto field = reader.next()) {
    bool is_inlined_message = false;
    for (std::size_t i = 0; i < node.field_count(); ++i) {
      const SchemaField known = node.field_at(i);
      if (known.proto_message == inlined_within(inlined, field->number)) is_inlined_message = true;
      if (known.proto_number != field->number || known.proto_message != inlined) continue;
      is_inlined_message = false;
      TRY(count(known.name));
      auto slot = slots.begin();
      while (slot != slots.end() && slot->name != known.name) ++slot;
      if (slot == slots.end()) {
        slot =
            slots.insert(slot, {.name = known.name, .node = known.node, .pointer = known.pointer});
      }
      TRY(read_field(*field, *slot));
      break;
    }
    if (is_inlined_message) {
      if (field->type != WireType::bytes) return malformed_protobuf(node.type_name());
      TRY(read(node, inlined_within(inlined, field->number), field->bytes, slots));
    }
  }
  return reader.is_malformed() ? Result<>(malformed_protobuf(node.type_name())) : Result<>();
}

Result<> ProtobufDecoder::read_field(const WireField& field, Slot& slot) {
  if (is_map(slot.node)) return read_entry(field, slot);
  if (slot.node.type() == SchemaType::array) return read_element(field, slot);
  slot.value = TRY(value(slot.node, field, slot.name));
  return {};
}

Result<> ProtobufDecoder::read_element(const WireField& field, Slot& slot) {
  const SchemaNode items = slot.node.items();
  const bool is_packable =
      items.type() == SchemaType::integer || items.type() == SchemaType::boolean;
  if (field.type != WireType::bytes || !is_packable) {
    slot.elements.push_back(TRY(value(items, field, slot.name)));
    return {};
  }
  WireReader packed(field.bytes);
  while (!packed.is_at_end()) {
    const auto number = packed.varint();
    if (!number) return malformed_protobuf(slot.name);
    TRY(count(slot.name));
    slot.elements.push_back(TRY(
        scalar(items, {.number = field.number, .type = WireType::varint, .number_value = *number},
               slot.name)));
  }
  return {};
}

// An entry of a map is a message of a key and a value; either may be left out when it is empty.
Result<> ProtobufDecoder::read_entry(const WireField& field, Slot& slot) {
  if (field.type != WireType::bytes) return malformed_protobuf(slot.name);
  const SchemaNode values = slot.node.additional_properties();
  WireField key{.number = 1, .type = WireType::bytes};
  WireField entry{.number = 2, .type = WireType::bytes};
  const bool is_number =
      values.type() == SchemaType::integer || values.type() == SchemaType::boolean;
  if (is_number) entry.type = WireType::varint;
  WireReader reader(field.bytes);
  while (const auto part = reader.next()) {
    if (part->number == 1) key = *part;
    if (part->number == 2) entry = *part;
  }
  if (reader.is_malformed() || key.type != WireType::bytes || !is_valid_utf8(key.bytes)) {
    return malformed_protobuf(slot.name);
  }
  slot.entries[key.bytes] = values.type() == SchemaType::array
                                ? TRY(list_in_map(values, entry, slot.name))
                                : TRY(value(values, entry, slot.name));
  return {};
}

Result<Node> ProtobufDecoder::value(SchemaNode node, const WireField& field,
                                    std::string_view name) {
  if (node.format() == "quantity") return quantity(field, name);
  if (node.type() == SchemaType::int_or_string) return int_or_string(field, name);
  if (is_time(node)) return timestamp(field, node.format() == "micro-time", name);
  if (node.type() == SchemaType::object) {
    if (field.type != WireType::bytes) return malformed_protobuf(name);
    if (node.preserves_unknown_fields()) return raw_json(field, name);
    const std::vector<Node::Member> members = TRY(message(node, field.bytes));
    return builder_.object(members);
  }
  if (node.type() == SchemaType::any) return any(node, field, name);
  return scalar(node, field, name);
}

Result<Node> ProtobufDecoder::scalar(SchemaNode node, const WireField& field,
                                     std::string_view name) {
  switch (node.type()) {
    case SchemaType::boolean:
      if (field.type != WireType::varint) return malformed_protobuf(name);
      return Builder::boolean(field.number_value != 0);
    case SchemaType::integer: {
      if (field.type != WireType::varint) return malformed_protobuf(name);
      const auto integer = static_cast<std::int64_t>(field.number_value);
      const bool is_short = node.format() == "int32";
      return Builder::integer(is_short ? static_cast<std::int32_t>(integer) : integer);
    }
    case SchemaType::number: {
      double real = 0;
      if (field.type != WireType::fixed64) return malformed_protobuf(name);
      std::memcpy(&real, &field.number_value, sizeof real);
      if (!std::isfinite(real)) return malformed_protobuf(name);
      return Builder::real(real);
    }
    case SchemaType::string:
      if (node.format() == "byte") {
        if (field.type != WireType::bytes) return malformed_protobuf(name);
        return builder_.text(base64(field.bytes));
      }
      return text(field, name);
    default:
      return malformed_protobuf(name);
  }
}

Result<Node> ProtobufDecoder::text(const WireField& field, std::string_view name) {
  if (field.type != WireType::bytes || !is_valid_utf8(field.bytes)) return malformed_protobuf(name);
  return builder_.text(field.bytes);
}

// Without bytes it is Go's zero time, which JSON writes as null: absent.
Result<Node> ProtobufDecoder::timestamp(const WireField& field, bool micro, std::string_view name) {
  if (field.type != WireType::bytes) return malformed_protobuf(name);
  if (field.bytes.empty()) return Node();
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  WireReader reader(field.bytes);
  while (const auto part = reader.next()) {
    if (part->number == 1) seconds = static_cast<std::int64_t>(part->number_value);
    if (part->number == 2) nanoseconds = static_cast<std::int64_t>(part->number_value);
  }
  const bool is_valid = !reader.is_malformed() && nanoseconds >= 0 && nanoseconds < 1'000'000'000;
  const auto at = is_valid ? Timestamp::of_unix(seconds, static_cast<std::uint32_t>(nanoseconds))
                           : std::nullopt;
  if (!at) return malformed_protobuf(name);
  return builder_.text(micro ? format_micro_time(*at) : format_time(*at));
}

Result<Node> ProtobufDecoder::quantity(const WireField& field, std::string_view name) {
  if (field.type != WireType::bytes) return malformed_protobuf(name);
  WireField written{.number = 1, .type = WireType::bytes, .bytes = "0"};
  WireReader reader(field.bytes);
  while (const auto part = reader.next()) {
    if (part->number == 1) written = *part;
  }
  if (reader.is_malformed()) return malformed_protobuf(name);
  if (written.bytes.empty()) written.bytes = "0";
  return text(written, name);
}

Result<Node> ProtobufDecoder::int_or_string(const WireField& field, std::string_view name) {
  if (field.type != WireType::bytes) return malformed_protobuf(name);
  WireField string{.number = 3, .type = WireType::bytes};
  std::uint64_t type = 0;
  std::uint64_t integer = 0;
  WireReader reader(field.bytes);
  while (const auto part = reader.next()) {
    if (part->number == 1) type = part->number_value;
    if (part->number == 2) integer = part->number_value;
    if (part->number == 3) string = *part;
  }
  if (reader.is_malformed() || type > 1) return malformed_protobuf(name);
  if (type == 1) return text(string, name);
  return Builder::integer(static_cast<std::int32_t>(integer));
}

Result<Node> ProtobufDecoder::raw_json(const WireField& field, std::string_view name) {
  std::string_view json;
  WireReader reader(field.bytes);
  while (const auto part = reader.next()) {
    if (part->number == 1 && part->type == WireType::bytes) json = part->bytes;
  }
  if (reader.is_malformed()) return malformed_protobuf(name);
  if (json.empty()) return Node();
  const Value parsed = TRY(objects::parse_json(json, {.depth_max = protobuf_json_depth_max}));
  return builder_.copy(parsed);
}

Result<std::vector<Node::Member>> ProtobufDecoder::message(std::span<const ProtobufField> fields,
                                                           std::string_view bytes) {
  std::vector<Node::Member> members;
  WireReader reader(bytes);
  while (const auto field = reader.next()) {
    for (const ProtobufField& known : fields) {
      if (known.number != field->number) continue;
      TRY(count(known.name));
      Node node = TRY(fixed(known, *field));
      auto present = members.begin();
      while (present != members.end() &&
             std::string_view(present->key.text, present->key.size) != known.name) {
        ++present;
      }
      if (known.repeated) {
        std::vector<Node> elements;
        if (present != members.end()) {
          const Node& before = present->value;
          elements.assign(before.elements, before.elements + before.size);
        }
        if (elements.size() >= protobuf_elements_max) {
          return Error::too_large(
              fmt::format("{} has more than {} values", known.name, protobuf_elements_max));
        }
        elements.push_back(node);
        node = builder_.array(elements);
      }
      if (present == members.end()) {
        members.push_back({Builder::literal(known.name), node});
      } else {
        present->value = node;
      }
    }
  }
  if (reader.is_malformed()) return malformed_protobuf("");
  return members;
}

Result<Node> ProtobufDecoder::fixed(const ProtobufField& described, const WireField& field) {
  if (!described.fields.empty()) {
    if (field.type != WireType::bytes) return malformed_protobuf(described.name);
    const std::vector<Node::Member> members = TRY(message(described.fields, field.bytes));
    return builder_.object(members);
  }
  if (described.leaf == ProtobufLeaf::by_schema)
    return value(described.node, field, described.name);
  if (described.leaf == ProtobufLeaf::text) return text(field, described.name);
  if (field.type != WireType::varint) return malformed_protobuf(described.name);
  if (described.leaf == ProtobufLeaf::boolean) return Builder::boolean(field.number_value != 0);
  return Builder::integer(static_cast<std::int64_t>(field.number_value));
}

}  // namespace muster::server
