// SPDX-License-Identifier: Apache-2.0
// Scalars of native types, and the errors of Go's decoder.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/quantity.h"
#include "base/timestamp.h"
#include "objects/schema/normalizer.h"
#include "objects/schema/rules.h"

namespace muster::objects {

namespace {

std::string_view json_kind(const Node& value) {
  switch (value.type) {
    case Type::absent:
    case Type::null:
      return "null";
    case Type::boolean:
      return "bool";
    case Type::integer:
    case Type::real:
      return "number";
    case Type::string:
      return "string";
    case Type::array:
      return "array";
    case Type::object:
      return "object";
  }
  return "";
}

// The type as Go prints it. Shared types are named `<group>.<version>.<Name>`.
std::string go_type_of(const SchemaTables& tables, const NodeRecord& node, int depth = 0) {
  if (!node.go_type.empty()) return std::string(node.go_type);
  const std::size_t group = node.type_name.find('.');
  if (group != std::string_view::npos) {
    // A job and the template of a CronJob are one type of Go's, and two of ours.
    std::string_view name = node.type_name.substr(group + 1);
    if (name == "v1.JobSpecInTemplate") name = "v1.JobSpec";
    return std::string(name);
  }
  const auto inner = [&](std::uint32_t index) {
    if (index == none_index || depth > 8) return std::string("interface {}");
    return go_type_of(tables, tables.node(index), depth + 1);
  };
  switch (node.type) {
    case SchemaType::string:
      return node.format == Format::byte ? "[]uint8" : "string";
    case SchemaType::boolean:
      return "bool";
    case SchemaType::number:
      return "float64";
    case SchemaType::integer:
      return node.format == Format::int32 ? "int32" : "int64";
    case SchemaType::array:
      return "[]" + inner(node.items);
    case SchemaType::object:
      return node.additional != none_index ? "map[string]" + inner(node.additional) : "struct";
    case SchemaType::int_or_string:
      return "int32";
    case SchemaType::any:
      return "interface {}";
  }
  return "";
}

// `spec.containers.image`: Go's paths have no indices and no keys of maps.
// The structs are those around, from the outside: one for each field of the path. Go also names
// structs that another one embeds.
std::size_t append_go_path(const SchemaTables& tables, std::span<const NodeRecord* const> structs,
                           const PathFrame& frame, std::string& out) {
  std::size_t depth = 0;
  if (frame.parent != nullptr) depth = append_go_path(tables, structs, *frame.parent, out);
  if (frame.step != PathFrame::Step::field) return depth;
  const auto append = [&](std::string_view name) {
    if (!out.empty()) out += '.';
    out += name;
  };
  if (depth < structs.size()) {
    const NodeRecord& node = *structs[depth];
    const int ordinal = tables.find_field(node, frame.name);
    if (ordinal >= 0 && !tables.field(node, ordinal).inlined.empty()) {
      append(tables.field(node, ordinal).inlined);
    }
  }
  append(frame.name);
  return depth + 1;
}

// Where base64 goes wrong, or -1.
std::ptrdiff_t base64_fault(std::string_view text) {
  const auto is_digit = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/';
  };
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' || text[i] == '\r') continue;
    if (text[i] == '=') {
      const std::size_t missing = (4 - digits % 4) % 4;
      const bool ends = missing == text.size() - i && text.substr(i) == std::string(missing, '=');
      return ends && missing <= 2 ? -1 : static_cast<std::ptrdiff_t>(i);
    }
    if (!is_digit(text[i])) return static_cast<std::ptrdiff_t>(i);
    ++digits;
  }
  // Go names the first digit of the group that is not whole.
  return digits % 4 == 0 ? -1 : static_cast<std::ptrdiff_t>(text.size() - digits % 4);
}

// How the value's type is called in Go, where it is a member of a tree.
std::string_view go_kind(const Node& value) {
  switch (value.type) {
    case Type::object:
      return "map";
    case Type::array:
      return "slice";
    case Type::integer:
      return "int64";
    case Type::real:
      return "float64";
    case Type::boolean:
      return "bool";
    default:
      return "string";
  }
}

// What Go says when it makes a struct of a tree, as after a strategic merge patch.
std::string conversion_error_of(const NodeRecord& node, const Node& value, std::string_view type) {
  const std::string_view kind = go_kind(value);
  switch (node.type) {
    case SchemaType::object:
      return node.additional != none_index ? fmt::format("cannot restore map from {}", kind)
                                           : fmt::format("cannot restore struct from: {}", kind);
    case SchemaType::array:
      return fmt::format("cannot restore slice from {}", kind);
    case SchemaType::string:
      if (value.type == Type::integer) return fmt::format("cannot convert {} to {}", kind, type);
      return "unrecognized type: string";
    case SchemaType::integer:
      if (value.type == Type::real) return fmt::format("cannot convert {} to {}", kind, type);
      return fmt::format("unrecognized type: {}", type);
    default:
      return fmt::format("unrecognized type: {}", type);
  }
}

// Most times: `2025-01-02T03:04:05Z`, with a day that every month has. It says no to some that are
// canonical, which are then read.
bool is_plainly_canonical_time(std::string_view text) {
  constexpr std::string_view shape = "0000-00-00T00:00:00Z";
  if (text.size() != shape.size() || text[0] == '0') return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == '0' ? !is_digit(text[i]) : text[i] != shape[i]) return false;
  }
  const auto two = [text](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  return two(5) >= 1 && two(5) <= 12 && two(8) >= 1 && two(8) <= 28 && two(11) <= 23 &&
         two(14) <= 59 && two(17) <= 59;
}

// Most quantities: up to six digits of which a larger unit takes none, and a unit with which they
// stay far within 64 bits. It says no to some that are canonical, which are then read.
bool is_plainly_canonical_quantity(std::string_view text) {
  std::uint32_t number = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && is_digit(text[digits]); ++digits) {
    if (digits == 6) return false;
    number = number * 10 + static_cast<std::uint32_t>(text[digits] - '0');
  }
  if (digits == 0 || text[0] == '0') return false;
  const std::string_view unit = text.substr(digits);
  if (unit.empty()) return number % 1000 != 0;
  constexpr std::string_view decimal = "mkMG";
  constexpr std::string_view binary = "KMGT";
  if (unit.size() == 1) return decimal.find(unit[0]) != decimal.npos && number % 1000 != 0;
  return unit.size() == 2 && unit[1] == 'i' && binary.find(unit[0]) != binary.npos &&
         number % 1024 != 0;
}

// `2025-01-02T03:04:05Z`, or with six digits of a fraction: a valid time in this shape is
// canonical.
bool has_canonical_shape(std::string_view text, bool micro) {
  return text.size() == (micro ? 27u : 20u) && text[10] == 'T' && text.back() == 'Z' &&
         (!micro || text[19] == '.');
}

}  // namespace

void Normalizer::report_error(std::string text, std::string_view before_conversion) {
  if (!report_.type_error.empty()) return;
  report_.conversion_error = fmt::format("{}{}", before_conversion, text);
  report_.type_error = std::move(text);
}

void Normalizer::report_type(const NodeRecord& node, const Node& value, const PathFrame& path) {
  if (!report_.type_error.empty()) return;
  std::string what(json_kind(value));
  const bool number_into_integer =
      (node.type == SchemaType::integer || node.type == SchemaType::int_or_string) &&
      (value.type == Type::integer || value.type == Type::real);
  if (number_into_integer) what += " " + go_printed(View(&value));
  std::string where;
  append_go_path(tables_, structs_, path, where);
  // A custom object is no struct: only its metadata is, and Go's path begins there.
  if (is_custom_ && where.starts_with("metadata.")) where.erase(0, 9);
  const std::string type = go_type_of(tables_, node);
  if (where.empty() || structs_.empty()) {
    report_error(fmt::format("json: cannot unmarshal {} into Go value of type {}", what, type));
    return;
  }
  std::string owner = go_type_of(tables_, *structs_.back());
  owner.erase(0, owner.rfind('.') + 1);
  report_error(fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}", what,
                           owner, where, type));
  report_.conversion_error = conversion_error_of(node, value, type);
}

bool Normalizer::has_native_type(const NodeRecord& node, const Node& value) const {
  switch (node.type) {
    case SchemaType::any:
      return true;
    case SchemaType::object:
      return value.type == Type::object;
    case SchemaType::array:
      return value.type == Type::array;
    case SchemaType::string:
      return value.type == Type::string;
    case SchemaType::boolean:
      return value.type == Type::boolean;
    case SchemaType::number:
    case SchemaType::integer:
      return value.type == Type::integer || value.type == Type::real;
    case SchemaType::int_or_string:
      return node.format == Format::quantity || value.type == Type::integer ||
             value.type == Type::real || value.type == Type::string;
  }
  return true;
}

Normalizer::Outcome Normalizer::walk_native_scalar(const NodeRecord& node, const Node& value,
                                                   const PathFrame& path, Node& out) {
  if (value.type == Type::integer || value.type == Type::real) {
    return walk_native_number(node, value, path);
  }
  if (value.type == Type::string && node.format != Format::none) {
    return walk_native_text(node, value, path, out);
  }
  return Outcome::keep;
}

Normalizer::Outcome Normalizer::walk_native_number(const NodeRecord& node, const Node& value,
                                                   const PathFrame& path) {
  if (node.type == SchemaType::number || node.type == SchemaType::any) return Outcome::keep;
  const bool narrow = node.format == Format::int32 || node.type == SchemaType::int_or_string;
  const bool fits = value.type == Type::integer &&
                    (!narrow || (value.integer >= std::numeric_limits<std::int32_t>::min() &&
                                 value.integer <= std::numeric_limits<std::int32_t>::max()));
  if (!fits) report_type(node, value, path);
  return Outcome::keep;
}

Normalizer::Outcome Normalizer::walk_native_text(const NodeRecord& node, const Node& value,
                                                 const PathFrame&, Node& out) {
  const std::string_view text(value.text, value.size);
  switch (node.format) {
    case Format::byte: {
      const std::ptrdiff_t fault = base64_fault(text);
      if (fault >= 0) {
        report_error(fmt::format("illegal base64 data at input byte {}", fault),
                     "error decoding from json: ");
      }
      return Outcome::keep;
    }
    case Format::date_time:
    case Format::micro_time: {
      const bool micro = node.format == Format::micro_time;
      if (!micro && is_plainly_canonical_time(text)) return Outcome::keep;
      const auto time = micro ? parse_micro_time(text) : parse_time(text);
      if (!time) {
        report_error(time.error().message);
        return Outcome::keep;
      }
      if (has_canonical_shape(text, micro)) return Outcome::keep;
      const std::string canonical = micro ? format_micro_time(*time) : format_time(*time);
      if (canonical == text) return Outcome::keep;
      out = builder().text(canonical);
      return Outcome::replace;
    }
    default:
      return Outcome::keep;
  }
}

Normalizer::Outcome Normalizer::walk_quantity(const Node& value, bool in_map, Node& out) {
  std::string number;
  std::string_view text;
  if (value.type == Type::string) {
    text = {value.text, value.size};
    if (is_plainly_canonical_quantity(text)) return Outcome::keep;
  } else {
    number = go_printed(View(&value));
    text = number;
  }
  const auto quantity = Quantity::parse_field(text);
  if (!quantity) {
    report_error(quantity.error().message);
    return Outcome::keep;
  }
  // Resource lists are never finer than milli.
  const std::string canonical =
      in_map ? quantity->round_up_to_milli().to_string() : quantity->to_string();
  if (value.type == Type::string && canonical == text) return Outcome::keep;
  out = builder().text(canonical);
  return Outcome::replace;
}

// What is no pointer and has a default gets it also where zero or an empty text was sent.
bool Normalizer::has_other_default(const FieldRecord& field) const {
  if (field.default_member == none_index) return false;
  const Node& value = tables_.default_members[field.default_member].value;
  return (value.type == Type::integer && value.integer != 0) ||
         (value.type == Type::string && value.size > 0);
}

// What Go's omitempty does not write. A pointer is written whenever it was set.
bool Normalizer::is_dropped_zero(const NodeRecord& node, const FieldRecord& field,
                                 const Node& value) const {
  if (field.pointer) return false;
  // An empty list that is always written is null: the peer's storage knows no other one.
  if (field.always) {
    const bool is_zero = (value.type == Type::integer && value.integer == 0) ||
                         (value.type == Type::string && value.size == 0);
    return is_zero ? has_other_default(field) : value.type == Type::array && value.size == 0;
  }
  switch (value.type) {
    case Type::string:
      return value.size == 0 && node.type == SchemaType::string;
    case Type::integer:
      return value.integer == 0 && node.type == SchemaType::integer;
    case Type::boolean:
      return !value.boolean;
    case Type::array:
      return value.size == 0;
    case Type::object:
      return value.size == 0 && node.additional != none_index;
    default:
      return false;
  }
}

}  // namespace muster::objects
