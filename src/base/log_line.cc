// SPDX-License-Identifier: Apache-2.0
#include "base/log_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "base/duration.h"
#include "base/timestamp.h"
#include "base/utf8.h"

namespace muster {

namespace {

// The longest single element a line starts with (component, message) and what must fit behind
// the last field: the count of dropped ones and the closing brace.
constexpr std::size_t head_bytes_max = 1'024;
constexpr std::size_t tail_bytes = 40;

// A service account's token starts like this and is never shorter.
constexpr std::string_view jwt_start = "eyJ";
constexpr std::size_t jwt_bytes_min = 20;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_token_character(char c) {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
         std::string_view("-._~+/=").find(c) != std::string_view::npos;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && std::equal(start.begin(), start.end(), text.begin(),
                                                   [](char a, char b) { return a == lower(b); });
}

// What could break a line, a terminal or a reader's eyes: controls, line and paragraph
// separators, marks that change the direction of writing.
bool is_dangerous(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0x200E ||
         c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

void append_escaped_code_point(std::string& out, std::string_view text, CodePoint point) {
  switch (point.value) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    default:
      break;
  }
  if (is_dangerous(point.value)) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", point.value);
  } else {
    out += text.substr(0, point.size);
  }
}

// How many bytes at the start of the text are a credential, after `shown` bytes that are not.
struct Credential {
  std::size_t shown = 0;
  std::size_t hidden = 0;
};

Credential credential_at(std::string_view text) {
  constexpr std::string_view bearer = "bearer ";
  Credential found;
  if (starts_with_ignoring_case(text, bearer)) {
    found.shown = bearer.size();
  } else if (!text.starts_with(jwt_start)) {
    return {};
  }
  const auto rest = text.substr(found.shown);
  const auto end = std::find_if_not(rest.begin(), rest.end(), is_token_character);
  found.hidden = static_cast<std::size_t>(end - rest.begin());
  if (found.shown == 0 && found.hidden < jwt_bytes_min) return {};
  return found;
}

// Between quotes: escaped, credentials hidden, at most `bytes_max` bytes of the text.
void append_escaped(std::string& out, std::string_view text, std::size_t bytes_max) {
  std::size_t done = 0;
  while (done < text.size() && done < bytes_max) {
    const std::string_view rest = text.substr(done);
    const Credential credential = credential_at(rest);
    if (credential.hidden > 0) {
      out += rest.substr(0, credential.shown);
      out += redacted_text;
      done += credential.shown + credential.hidden;
      continue;
    }
    const CodePoint point = first_code_point(rest);
    if (point.size == 0) {
      out += "\\ufffd";
      done += 1;
    } else {
      append_escaped_code_point(out, rest, point);
      done += point.size;
    }
  }
  if (done < text.size()) {
    fmt::format_to(std::back_inserter(out), "...({} more bytes)", text.size() - done);
  }
}

void append_quoted(std::string& out, std::string_view text, std::size_t bytes_max) {
  out += '"';
  append_escaped(out, text, bytes_max);
  out += '"';
}

// Text lines quote only what would be misread without.
void append_text_value(std::string& out, std::string_view text) {
  std::string escaped;
  append_escaped(escaped, text, log_value_bytes_max);
  const bool is_plain = !escaped.empty() && escaped.find_first_of(" =\\") == std::string::npos;
  out += is_plain ? escaped : '"' + escaped + '"';
}

class ValueWriter {
 public:
  ValueWriter(std::string& out, std::string_view key, LogFormat format)
      : out_(out), is_credential_(names_a_credential(key)), format_(format) {}

  void operator()(std::string_view text) const {
    if (is_credential_) text = redacted_text;
    if (format_ == LogFormat::json) {
      append_quoted(out_, text, log_value_bytes_max);
    } else {
      append_text_value(out_, text);
    }
  }
  void operator()(bool value) const { out_ += value ? "true" : "false"; }
  void operator()(std::int64_t value) const { append_number(value); }
  void operator()(std::uint64_t value) const { append_number(value); }
  void operator()(double value) const {
    if (std::isfinite(value)) return append_number(value);
    (*this)(std::string_view(std::isnan(value) ? "NaN" : (value > 0 ? "+Inf" : "-Inf")));
  }
  void operator()(Span value) const { plain(format_duration(value)); }
  void operator()(const Error* error) const { (*this)(std::string_view(error->to_string())); }
  void operator()(LogValue::Redacted) const { (*this)(redacted_text); }

 private:
  void append_number(auto value) const { fmt::format_to(std::back_inserter(out_), "{}", value); }

  void plain(std::string_view text) const {
    if (format_ == LogFormat::json) out_ += '"';
    out_ += text;
    if (format_ == LogFormat::json) out_ += '"';
  }

  std::string& out_;
  bool is_credential_;
  LogFormat format_;
};

bool is_taken(std::string_view key) {
  return key == "time" || key == "level" || key == "component" || key == "message" ||
         key == "dropped_fields";
}

// The field as it stands in the line, with its separator. A field may not pose as the head.
std::string rendered(const LogField& field, LogFormat format) {
  std::string out;
  if (format == LogFormat::json) {
    out += ",\"";
    if (is_taken(field.key)) out += "field_";
    append_escaped(out, field.key, head_bytes_max);
    out += "\":";
  } else {
    out += ' ';
    if (is_taken(field.key)) out += "field_";
    append_escaped(out, field.key, head_bytes_max);
    out += '=';
  }
  std::visit(ValueWriter(out, field.key, format), field.value.held());
  return out;
}

void append_head(std::string& out, const LogRecord& record, LogFormat format) {
  const std::string time = format_micro_time(Timestamp::of(record.time));
  if (format == LogFormat::json) {
    fmt::format_to(std::back_inserter(out), R"({{"time":"{}","level":"{}")", time,
                   name(record.level));
    if (!record.component.empty()) {
      out += ",\"component\":";
      append_quoted(out, record.component, head_bytes_max);
    }
    out += ",\"message\":";
    append_quoted(out, record.message, head_bytes_max);
    return;
  }
  constexpr std::array<std::string_view, 5> names{"DEBUG", "INFO ", "WARN ", "ERROR", "OFF  "};
  fmt::format_to(std::back_inserter(out), "{} {} ", time,
                 names[static_cast<std::size_t>(record.level)]);
  if (!record.component.empty()) {
    append_escaped(out, record.component, head_bytes_max);
    out += ": ";
  }
  append_escaped(out, record.message, head_bytes_max);
}

}  // namespace

std::string log_line(const LogRecord& record, LogFormat format) {
  std::string out;
  append_head(out, record, format);
  std::size_t dropped = 0;
  for (const LogField& field : record.fields) {
    const std::string text = rendered(field, format);
    if (out.size() + text.size() + tail_bytes > log_line_bytes_max) {
      ++dropped;
    } else {
      out += text;
    }
  }
  if (dropped > 0) {
    out += format == LogFormat::json ? ",\"dropped_fields\":" : " dropped_fields=";
    out += std::to_string(dropped);
  }
  if (format == LogFormat::json) out += '}';
  return out;
}

std::string_view name(LogLevel level) {
  constexpr std::array<std::string_view, 5> names{"debug", "info", "warning", "error", "off"};
  return names[static_cast<std::size_t>(level)];
}

bool names_a_credential(std::string_view key) {
  constexpr std::array<std::string_view, 10> words{
      "token",         "password", "passwd",     "passphrase", "secret",
      "authorization", "cookie",   "credential", "privatekey", "apikey"};
  std::string plain;
  for (const char c : key) {
    if (c != '_' && c != '-' && c != '.' && c != ' ') plain += lower(c);
  }
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return plain.find(word) != std::string::npos; });
}

}  // namespace muster
