// WireReader: the fields of one protobuf message, in their order: number, wire type and payload.
// It trusts nothing: what is cut off, groups and numbers out of range end it with an error.
//
//   WireReader reader(bytes);
//   while (auto field = reader.next()) use(field->number, field->bytes);
//   if (reader.is_malformed()) …
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::server {

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t number_value = 0;  // of varint, fixed64 and fixed32
  std::string_view bytes = {};     // of bytes
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  // Nothing at the end, and where the bytes are malformed.
  std::optional<WireField> next() {
    if (rest_.empty() || malformed_) return std::nullopt;
    const auto tag = varint();
    WireField field;
    field.number = static_cast<std::uint32_t>(tag.value_or(0) >> 3);
    if (!tag || *tag > 0xFFFF'FFFFU || field.number == 0) return fail();
    switch (*tag & 7) {
      case 0:
        field.type = WireType::varint;
        return varint_into(field);
      case 1:
        field.type = WireType::fixed64;
        return fixed_into(field, 8);
      case 2:
        field.type = WireType::bytes;
        return bytes_into(field);
      case 5:
        field.type = WireType::fixed32;
        return fixed_into(field, 4);
      default:
        return fail();
    }
  }

  // One bare varint: the elements of a packed list.
  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (rest_.empty()) return std::nullopt;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      if (shift == 63 && byte > 1) return std::nullopt;
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return std::nullopt;
  }

  bool is_at_end() const { return rest_.empty(); }
  bool is_malformed() const { return malformed_; }

 private:
  std::optional<WireField> fail() {
    malformed_ = true;
    return std::nullopt;
  }

  std::optional<WireField> varint_into(WireField& field) {
    const auto value = varint();
    if (!value) return fail();
    field.number_value = *value;
    return field;
  }

  std::optional<WireField> fixed_into(WireField& field, std::size_t size) {
    if (rest_.size() < size) return fail();
    for (std::size_t i = size; i > 0; --i) {
      field.number_value = (field.number_value << 8) | static_cast<unsigned char>(rest_[i - 1]);
    }
    rest_.remove_prefix(size);
    return field;
  }

  std::optional<WireField> bytes_into(WireField& field) {
    const auto size = varint();
    if (!size || *size > rest_.size()) return fail();
    field.bytes = rest_.substr(0, static_cast<std::size_t>(*size));
    rest_.remove_prefix(static_cast<std::size_t>(*size));
    return field;
  }

  std::string_view rest_;
  bool malformed_ = false;
};

}  // namespace muster::server
