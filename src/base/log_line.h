// One log record and its one-line form. Whatever a field carries, the line stays one line, valid
// UTF-8, valid JSON where JSON was asked for, and below a named maximum: control characters, line
// and direction marks are escaped, damaged bytes replaced, long values clipped, and fields that do
// not fit counted in "dropped_fields".
//
//   {"time":"2026-11-15T04:10:44.000000Z","level":"info","component":"store","message":"opened",…}
//   2026-11-15T04:10:44.000000Z INFO  store: opened revision=12
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "base/instant.h"
#include "base/limits.h"
#include "base/secret.h"

namespace muster {

enum class LogLevel : std::uint8_t { debug, info, warning, error, off };
enum class LogFormat : std::uint8_t { text, json };

// A borrowed value: it lives as long as the call that logs it.
class LogValue {
 public:
  struct Redacted {};
  using Held = std::variant<std::string_view, bool, std::int64_t, std::uint64_t, double, Span,
                            const Error*, Redacted>;

  LogValue(std::string_view text) : held_(text) {}
  LogValue(const std::string& text) : held_(std::string_view(text)) {}
  LogValue(const char* text) : held_(std::string_view(text)) {}
  LogValue(std::same_as<bool> auto value) : held_(value) {}
  template <std::signed_integral Number>
  LogValue(Number value) : held_(std::int64_t{value}) {}
  template <std::unsigned_integral Number>
  requires(!std::same_as<Number, bool>) LogValue(Number value) : held_(std::uint64_t{value}) {}
  LogValue(double value) : held_(value) {}
  LogValue(Span value) : held_(value) {}
  LogValue(const Error& error) : held_(&error) {}
  LogValue(const Secret&) : held_(Redacted{}) {}

  const Held& held() const { return held_; }

 private:
  Held held_;
};

struct LogField {
  std::string_view key;
  LogValue value;
};

struct LogRecord {
  Instant time;
  LogLevel level;
  std::string_view component;
  std::string_view message;
  std::span<const LogField> fields;
};

std::string log_line(const LogRecord& record, LogFormat format);

std::string_view name(LogLevel level);  // "info"

// Whether text under this key is a credential by its name: "apiToken", "db-password", "Cookie".
bool names_a_credential(std::string_view key);

}  // namespace muster
