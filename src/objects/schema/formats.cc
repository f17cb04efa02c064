// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/formats.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/ascii.h"

namespace muster::objects {

namespace {

struct NamedFormat {
  std::string_view name;
  Format format;
};

constexpr NamedFormat formats[] = {
    {"int32", Format::int32},
    {"int64", Format::int64},
    {"float", Format::float32},
    {"double", Format::float64},
    {"byte", Format::byte},
    {"date", Format::date},
    {"date-time", Format::date_time},
    {"datetime", Format::date_time},
    {"duration", Format::duration},
    {"email", Format::email},
    {"hostname", Format::hostname},
    {"ipv4", Format::ipv4},
    {"ipv6", Format::ipv6},
    {"cidr", Format::cidr},
    {"mac", Format::mac},
    {"uri", Format::uri},
    {"uuid", Format::uuid},
    {"uuid3", Format::uuid3},
    {"uuid4", Format::uuid4},
    {"uuid5", Format::uuid5},
    {"password", Format::password},
    {"quantity", Format::quantity},
    {"micro-time", Format::micro_time},
    {"dns-label", Format::dns_label},
    {"dns-subdomain", Format::dns_subdomain},
    {"dns1035-label", Format::dns1035_label},
    {"qualified-name", Format::qualified_name},
    {"label-value", Format::label_value},
    {"env-var-name", Format::env_var_name},
    {"port-name", Format::port_name},
    {"port-number-or-name", Format::port_number_or_name},
    {"config-map-key", Format::config_map_key},
    {"ip", Format::ip},
    {"absolute-path", Format::absolute_path},
    {"path-segment", Format::path_segment},
    {"count-or-percentage", Format::count_or_percentage},
    {"count-or-any-percentage", Format::count_or_any_percentage},
};

// Four numbers up to 255; leading zeros are refused, because some readers take them as octal.
bool is_ipv4(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    std::size_t digits = 0;
    int number = 0;
    while (digits < text.size() && digits < 4 && is_digit(text[digits])) {
      number = number * 10 + (text[digits++] - '0');
    }
    if (digits == 0 || number > 255 || (digits > 1 && text[0] == '0')) return false;
    text.remove_prefix(digits);
    if (part == 3) return text.empty();
    if (!text.starts_with('.')) return false;
    text.remove_prefix(1);
  }
  return false;
}

// Eight groups of hexadecimal digits; one run of zero groups may be `::`, and the last two may
// be written as an IPv4 address.
bool is_ipv6(std::string_view text) {
  int groups = 0;
  bool shortened = false;
  if (text.starts_with("::")) {
    shortened = true;
    text.remove_prefix(2);
  }
  while (!text.empty()) {
    if (text.find('.') != std::string_view::npos && text.find(':') == std::string_view::npos) {
      return is_ipv4(text) && (shortened ? groups + 2 < 8 : groups + 2 == 8);
    }
    std::size_t digits = 0;
    while (digits < text.size() && digits < 5 && hexadecimal_digit(text[digits])) ++digits;
    if (digits == 0 || digits > 4) return false;
    ++groups;
    text.remove_prefix(digits);
    if (text.empty()) break;
    if (text.starts_with("::")) {
      if (shortened) return false;
      shortened = true;
      text.remove_prefix(2);
    } else if (text.starts_with(':') && text.size() > 1) {
      text.remove_prefix(1);
    } else {
      return false;
    }
  }
  return shortened ? groups < 8 : groups == 8;
}

bool is_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view bits = text.substr(slash + 1);
  if (bits.empty() || bits.size() > 3 || !std::all_of(bits.begin(), bits.end(), is_digit)) {
    return false;
  }
  const int count = std::stoi(std::string(bits));
  const std::string_view address = text.substr(0, slash);
  return (is_ipv4(address) && count <= 32) || (is_ipv6(address) && count <= 128);
}

// Hyphens are optional, as in the pattern that apiextensions uses.
bool is_uuid(std::string_view text, char version) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '-') continue;
    if (!hexadecimal_digit(text[i])) return false;
    digits += text[i];
  }
  if (digits.size() != 32) return false;
  if (text.size() != 32 && text.size() != 36) return false;
  if (version != 0 && digits[12] != version) return false;
  if (version == '4' || version == '5') {
    return std::string_view("89abAB").find(digits[16]) != std::string_view::npos;
  }
  return true;
}

bool is_mac(std::string_view text) {
  if (text.size() != 17) return false;
  const char separator = text[2];
  if (separator != ':' && separator != '-') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i % 3 == 2 ? text[i] != separator : !hexadecimal_digit(text[i])) return false;
  }
  return true;
}

bool is_base64(std::string_view text) {
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    if (padding > 0 || !(is_alnum(c) || c == '+' || c == '/')) return false;
    ++digits;
  }
  return padding <= 2 && (digits + padding) % 4 == 0 && digits > 0;
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

int number(std::string_view digits) {
  return std::stoi(std::string(digits));
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  if (!all_digits(text.substr(0, 4)) || !all_digits(text.substr(5, 2)) ||
      !all_digits(text.substr(8, 2))) {
    return false;
  }
  const int year = number(text.substr(0, 4));
  const int month = number(text.substr(5, 2));
  const int day = number(text.substr(8, 2));
  constexpr std::array days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1) return false;
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  const int last = days[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
  return day <= last;
}

bool is_zone(std::string_view text) {
  if (text == "Z" || text == "z") return true;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return false;
  return all_digits(text.substr(1, 2)) && all_digits(text.substr(4, 2)) &&
         number(text.substr(1, 2)) < 24 && number(text.substr(4, 2)) < 60;
}

bool is_date_time(std::string_view text) {
  if (text.size() < 20 || !is_date(text.substr(0, 10))) return false;
  if (text[10] != 'T' && text[10] != 't') return false;
  const std::string_view clock = text.substr(11, 8);
  if (clock[2] != ':' || clock[5] != ':' || !all_digits(clock.substr(0, 2)) ||
      !all_digits(clock.substr(3, 2)) || !all_digits(clock.substr(6, 2))) {
    return false;
  }
  if (number(clock.substr(0, 2)) > 23 || number(clock.substr(3, 2)) > 59 ||
      number(clock.substr(6, 2)) > 59) {
    return false;
  }
  std::string_view rest = text.substr(19);
  if (rest.front() == '.') {
    std::size_t end = 1;
    while (end < rest.size() && is_digit(rest[end])) ++end;
    if (end == 1) return false;
    rest.remove_prefix(end);
  }
  return is_zone(rest);
}

bool is_hostname(std::string_view text) {
  if (text.empty() || text.size() > 255) return false;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t dot = std::min(text.find('.', from), text.size());
    const std::string_view label = text.substr(from, dot - from);
    if (label.empty() || label.size() > 63 || !is_alnum(label.front()) || !is_alnum(label.back())) {
      return false;
    }
    if (!std::all_of(label.begin(), label.end(),
                     [](char c) { return is_alnum(c) || c == '-' || c == '_'; })) {
      return false;
    }
    from = dot + 1;
  }
  return true;
}

// Go's duration or a bare `3d`-like text of go-openapi.
bool is_duration(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text == "0") return true;
  if (text.empty()) return false;
  while (!text.empty()) {
    std::size_t digits = 0;
    while (digits < text.size() && (is_digit(text[digits]) || text[digits] == '.')) ++digits;
    if (digits == 0 || text.substr(0, digits) == ".") return false;
    text.remove_prefix(digits);
    std::size_t unit = 0;
    while (unit < text.size() && !is_digit(text[unit]) && text[unit] != '.') ++unit;
    const std::string_view name = text.substr(0, unit);
    constexpr std::string_view units[] = {"ns", "us", "µs", "μs", "ms", "s", "m", "h"};
    if (std::find(std::begin(units), std::end(units), name) == std::end(units)) return false;
    text.remove_prefix(unit);
  }
  return true;
}

bool is_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (text.starts_with('/')) return true;
  if (colon == std::string_view::npos || colon == 0) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c != 0x7F; });
}

bool is_email(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at + 1 == text.size()) return false;
  return text.find(' ') == std::string_view::npos;
}

}  // namespace

Format format_of(std::string_view name) {
  for (const NamedFormat& entry : formats) {
    if (entry.name == name) return entry.format;
  }
  return Format::none;
}

std::string_view format_name(Format format) {
  for (const NamedFormat& entry : formats) {
    if (entry.format == format) return entry.name;
  }
  return "";
}

bool has_format(Format format, std::string_view text) {
  switch (format) {
    case Format::byte:
      return is_base64(text);
    case Format::date:
      return is_date(text);
    case Format::date_time:
      return is_date_time(text);
    case Format::duration:
      return is_duration(text);
    case Format::email:
      return is_email(text);
    case Format::hostname:
      return is_hostname(text);
    case Format::ipv4:
      return is_ipv4(text);
    case Format::ipv6:
      return is_ipv6(text);
    case Format::cidr:
      return is_cidr(text);
    case Format::mac:
      return is_mac(text);
    case Format::uri:
      return is_uri(text);
    case Format::uuid:
      return is_uuid(text, 0);
    case Format::uuid3:
      return is_uuid(text, '3');
    case Format::uuid4:
      return is_uuid(text, '4');
    case Format::uuid5:
      return is_uuid(text, '5');
    default:
      return true;
  }
}

}  // namespace muster::objects
