// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <string>

#include "objects/cel/functions.h"
#include "objects/cel/utf8.h"
#include "objects/go_number.h"

namespace muster::objects::cel {

namespace {

Datum same(const Call& call) {
  return call[0];
}

Datum type_of(const Call& call) {
  return Datum::type_value(call[0].kind);
}

Datum int_of_real(const Call& call) {
  const double value = call[0].real;
  constexpr double beyond = 9223372036854775808.0;  // 2^63
  if (!(value < beyond && value > -beyond)) return Datum::error("integer overflow");
  return Datum::of(static_cast<std::int64_t>(value));
}

Datum int_of_text(const Call& call) {
  std::string_view digits = call[0].string();
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t value = 0;
  const auto end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value);
  const bool two_signs = digits.size() < call[0].size && digits.starts_with('-');
  if (parsed.ec != std::errc() || parsed.ptr != end || two_signs) {
    return Datum::error("type conversion error from 'string' to 'int'");
  }
  return Datum::of(value);
}

Datum real_of_int(const Call& call) {
  return Datum::of(static_cast<double>(call[0].integer));
}

Datum real_of_text(const Call& call) {
  std::string_view digits = call[0].string();
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0;
  const auto end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value);
  const bool two_signs = digits.size() < call[0].size && digits.starts_with('-');
  if (parsed.ec != std::errc() || parsed.ptr != end || two_signs) {
    return Datum::error("type conversion error from 'string' to 'double'");
  }
  return Datum::of(value);
}

Datum text_of_int(const Call& call) {
  return call.scratch.text(std::to_string(call[0].integer));
}

Datum text_of_real(const Call& call) {
  std::string text;
  append_go_real(call[0].real, text);
  return call.scratch.text(text);
}

Datum text_of_bool(const Call& call) {
  return Datum::of(std::string_view(call[0].boolean ? "true" : "false"));
}

Datum bool_of_text(const Call& call) {
  const std::string_view text = call[0].string();
  for (const std::string_view word : {"true", "True", "TRUE", "t", "T", "1"}) {
    if (text == word) return Datum::of(true);
  }
  for (const std::string_view word : {"false", "False", "FALSE", "f", "F", "0"}) {
    if (text == word) return Datum::of(false);
  }
  return Datum::error("type conversion error from 'string' to 'bool'");
}

Datum size_of_text(const Call& call) {
  call.scratch.spend_text(call[0].size);
  return Datum::of(static_cast<std::int64_t>(code_points(call[0].string())));
}

Datum size_of_collection(const Call& call) {
  return Datum::of(static_cast<std::int64_t>(call[0].size));
}

constexpr Kind any = Kind::dynamic;

constexpr Function table[] = {
    {"size", false, false, Kind::integer, 1, {Kind::text}, size_of_text},
    {"size", false, false, Kind::integer, 1, {Kind::list}, size_of_collection},
    {"size", false, false, Kind::integer, 1, {Kind::map}, size_of_collection},
    {"size", true, false, Kind::integer, 1, {Kind::text}, size_of_text},
    {"size", true, false, Kind::integer, 1, {Kind::list}, size_of_collection},
    {"size", true, false, Kind::integer, 1, {Kind::map}, size_of_collection},
    {"dyn", false, false, any, 1, {any}, same},
    {"type", false, false, Kind::type, 1, {any}, type_of},
    {"int", false, false, Kind::integer, 1, {Kind::integer}, same},
    {"int", false, false, Kind::integer, 1, {Kind::real}, int_of_real},
    {"int", false, false, Kind::integer, 1, {Kind::text}, int_of_text},
    {"int", false, false, Kind::integer, 1, {Kind::timestamp}, seconds_of_timestamp},
    {"double", false, false, Kind::real, 1, {Kind::integer}, real_of_int},
    {"double", false, false, Kind::real, 1, {Kind::real}, same},
    {"double", false, false, Kind::real, 1, {Kind::text}, real_of_text},
    {"string", false, false, Kind::text, 1, {Kind::text}, same},
    {"string", false, false, Kind::text, 1, {Kind::integer}, text_of_int},
    {"string", false, false, Kind::text, 1, {Kind::real}, text_of_real},
    {"string", false, false, Kind::text, 1, {Kind::boolean}, text_of_bool},
    {"string", false, false, Kind::text, 1, {Kind::duration}, text_of_duration},
    {"string", false, false, Kind::text, 1, {Kind::timestamp}, text_of_timestamp},
    {"bool", false, false, Kind::boolean, 1, {Kind::boolean}, same},
    {"bool", false, false, Kind::boolean, 1, {Kind::text}, bool_of_text},
};

}  // namespace

std::span<const Function> conversion_functions() {
  return table;
}

}  // namespace muster::objects::cel
