// SPDX-License-Identifier: Apache-2.0
// The names and labels of native types, and the sentences that refuse them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/ascii.h"
#include "objects/schema/formats.h"

namespace muster::objects {

namespace {

constexpr std::size_t dns_label_bytes_max = 63;
constexpr std::size_t dns_subdomain_bytes_max = 253;
constexpr std::size_t label_bytes_max = 63;
constexpr std::size_t port_name_bytes_max = 15;

// One look for each character of a name.
using CharacterTable = std::array<bool, 256>;

constexpr CharacterTable table_of(bool (*is_allowed)(char)) {
  CharacterTable table{};
  for (std::size_t c = 0; c < table.size(); ++c) table[c] = is_allowed(static_cast<char>(c));
  return table;
}

constexpr CharacterTable dns_label_characters =
    table_of([](char c) { return is_lower_alnum(c) || c == '-'; });
constexpr CharacterTable label_characters =
    table_of([](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });

bool consists_of(const CharacterTable& allowed, std::string_view text) {
  for (const char c : text) {
    if (!allowed[static_cast<unsigned char>(c)]) return false;
  }
  return !text.empty();
}

bool is_dns_label(std::string_view text) {
  return consists_of(dns_label_characters, text) && text.front() != '-' && text.back() != '-';
}

bool is_dns_subdomain(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_label_text(std::string_view text) {
  return consists_of(label_characters, text) && is_alnum(text.front()) && is_alnum(text.back());
}

constexpr std::string_view label_sentence =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

std::string characters_max(std::size_t length) {
  return fmt::format("must be no more than {} characters", length);
}

std::string bytes_max(std::size_t length) {
  return fmt::format("must be no more than {} bytes", length);
}

std::vector<std::string> port_name_violations(std::string_view text) {
  std::vector<std::string> sentences;
  if (text.size() > port_name_bytes_max) {
    sentences.push_back(characters_max(port_name_bytes_max));
  }
  const bool letters = std::any_of(text.begin(), text.end(), is_lower);
  if (!consists_of(dns_label_characters, text)) {
    sentences.emplace_back(
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!letters) sentences.emplace_back("must contain at least one letter (a-z)");
  if (text.find("--") != std::string_view::npos) {
    sentences.emplace_back("must not contain consecutive hyphens");
  }
  if (!text.empty() && (text.front() == '-' || text.back() == '-')) {
    sentences.emplace_back("must not begin or end with a hyphen");
  }
  return sentences;
}

std::vector<std::string> env_var_name_violations(std::string_view text) {
  if (text.empty()) return {"environment variable name must be non-empty"};
  const bool printable = std::all_of(text.begin(), text.end(),
                                     [](char c) { return c >= ' ' && c <= '~' && c != '='; });
  if (printable) return {};
  return {
      "a valid environment variable name must consist only of printable ASCII characters "
      "other than '='"};
}

std::vector<std::string> config_map_key_violations(std::string_view text) {
  std::vector<std::string> sentences;
  if (text.size() > dns_subdomain_bytes_max) {
    sentences.push_back(characters_max(dns_subdomain_bytes_max));
  }
  if (!consists_of(label_characters, text)) {
    sentences.emplace_back(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
        "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
        "'[-._a-zA-Z0-9]+')");
  }
  if (text == ".") {
    sentences.emplace_back("must not be '.'");
  } else if (text == "..") {
    sentences.emplace_back("must not be '..'");
  } else if (text.starts_with("..")) {
    sentences.emplace_back("must not start with '..'");
  }
  return sentences;
}

// A name that stands in a path as it is.
std::vector<std::string> path_segment_violations(std::string_view text) {
  if (text == "." || text == "..") return {fmt::format("may not be '{}'", text)};
  std::vector<std::string> sentences;
  for (const char c : {'/', '%'}) {
    if (text.find(c) != std::string_view::npos) {
      sentences.push_back(fmt::format("may not contain '{}'", c));
    }
  }
  return sentences;
}

std::vector<std::string> percentage_violations(std::string_view text, bool may_exceed_whole) {
  std::string_view digits = text;
  const bool is_percentage = digits.ends_with('%') && digits.size() > 1 &&
                             std::all_of(digits.begin(), digits.end() - 1, is_digit);
  if (!is_percentage) {
    return {
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  "
        "or '93%', regex used for validation is '[0-9]+%')"};
  }
  if (may_exceed_whole) return {};
  digits.remove_suffix(1);
  while (digits.starts_with('0')) digits.remove_prefix(1);
  if (digits.size() > 3 || (digits.size() == 3 && digits > "100")) {
    return {"must not be greater than 100%"};
  }
  return {};
}

}  // namespace

std::vector<std::string> native_violations(Format format, std::string_view text) {
  switch (format) {
    case Format::dns_label:
      return dns_label_violations(text);
    case Format::dns_subdomain:
      return dns_subdomain_violations(text);
    case Format::dns1035_label:
      return dns1035_label_violations(text);
    case Format::qualified_name:
      return qualified_name_violations(text);
    case Format::label_value:
      return label_value_violations(text);
    case Format::env_var_name:
      return env_var_name_violations(text);
    case Format::port_name:
    case Format::port_number_or_name:
      return port_name_violations(text);
    case Format::config_map_key:
      return config_map_key_violations(text);
    case Format::ip:
      if (has_format(Format::ipv4, text) || has_format(Format::ipv6, text)) return {};
      return {"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"};
    case Format::absolute_path:
      if (text.starts_with('/')) return {};
      return {"must be an absolute path"};
    case Format::path_segment:
      return path_segment_violations(text);
    case Format::count_or_percentage:
      return percentage_violations(text, false);
    case Format::count_or_any_percentage:
      return percentage_violations(text, true);
    default:
      return {};
  }
}

std::vector<std::string> dns_label_violations(std::string_view text) {
  std::vector<std::string> sentences;
  if (text.size() > dns_label_bytes_max) sentences.push_back(characters_max(dns_label_bytes_max));
  if (is_dns_label(text)) return sentences;
  if (is_dns_subdomain(text)) {
    sentences.emplace_back("must not contain dots");
  } else {
    sentences.emplace_back(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
        "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "
        "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
  }
  return sentences;
}

std::vector<std::string> dns_subdomain_violations(std::string_view text) {
  std::vector<std::string> sentences;
  if (text.size() > dns_subdomain_bytes_max) {
    sentences.push_back(characters_max(dns_subdomain_bytes_max));
  }
  if (!is_dns_subdomain(text)) {
    sentences.emplace_back(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
        "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "
        "regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  }
  return sentences;
}

std::vector<std::string> dns1035_label_violations(std::string_view text) {
  std::vector<std::string> sentences;
  if (text.size() > dns_label_bytes_max) sentences.push_back(characters_max(dns_label_bytes_max));
  if (!is_dns_label(text) || !is_lower(text.front())) {
    sentences.emplace_back(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "
        "an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
        "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
  }
  return sentences;
}

std::vector<std::string> qualified_name_violations(std::string_view text) {
  std::vector<std::string> sentences;
  std::string_view name = text;
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view prefix = text.substr(0, slash);
    name = text.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {
          fmt::format("a valid label key {} with an optional DNS subdomain prefix and '/' "
                      "(e.g. 'example.com/MyName')",
                      label_sentence)};
    }
    if (prefix.empty()) {
      sentences.emplace_back("prefix part must be non-empty");
    } else {
      // Here, and only here, Kubernetes counts the same limit in bytes.
      for (std::string& sentence : dns_subdomain_violations(prefix)) {
        if (sentence == characters_max(dns_subdomain_bytes_max)) {
          sentence = bytes_max(dns_subdomain_bytes_max);
        }
        sentences.push_back("prefix part " + sentence);
      }
    }
  }
  if (name.empty()) {
    sentences.emplace_back("name part must be non-empty");
  } else if (name.size() > label_bytes_max) {
    sentences.push_back("name part " + bytes_max(label_bytes_max));
  }
  if (!is_label_text(name)) sentences.push_back(fmt::format("name part {}", label_sentence));
  return sentences;
}

std::vector<std::string> label_value_violations(std::string_view text) {
  std::vector<std::string> sentences;
  if (text.size() > label_bytes_max) sentences.push_back(bytes_max(label_bytes_max));
  if (!text.empty() && !is_label_text(text)) {
    sentences.emplace_back(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' "
        "or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
        "'my_value',  or '12345', regex used for validation is "
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
  }
  return sentences;
}

}  // namespace muster::objects
