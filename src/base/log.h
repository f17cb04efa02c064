// Log: structured lines with a level, a component and typed fields, as JSON or as text. main/
// makes one, components get a child; there is no global logger. A line that the level hides costs
// one relaxed load.
//
//   const Log log(sink, clock, {.level = LogLevel::info, .format = LogFormat::json});
//   const Log store_log = log.child("store");
//   store_log.info("opened", {{"path", path}, {"revision", revision}, {"took", span}});
//
// The message is a literal and everything that varies is a field: that is what makes lines
// searchable, and what keeps input from forging lines. Text in fields named like a credential, and
// credentials inside other text, come out as "[redacted]" (base/log_line.h); numbers do not.
// Assumes: sink and clock outlive every handle. A handle may be used from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/log_line.h"

namespace muster {

// Where lines go. write() is called from any thread, with one line and no line end.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void write(LogLevel level, std::string_view line) = 0;
};

struct LogOptions {
  LogLevel level = LogLevel::info;
  LogFormat format = LogFormat::text;
};

// A message is known when the program is compiled.
class LogMessage {
 public:
  template <std::size_t size>
  consteval LogMessage(const char (&literal)[size]) : text_(literal, size - 1) {}
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

class Log {
 public:
  Log(LogSink& sink, const Clock& clock, LogOptions options);

  // Writes nowhere.
  static Log silent() { return Log(); }

  // "store", and of that "store.sqlite".
  Log child(std::string_view component) const;

  bool is_on(LogLevel level) const {
    return root_ != nullptr && level >= root_->level.load(std::memory_order_relaxed);
  }

  // For this handle, its parents and all children.
  void set_level(LogLevel level) const;

  void debug(LogMessage message, std::initializer_list<LogField> fields = {}) const {
    if (is_on(LogLevel::debug)) write(LogLevel::debug, message, fields);
  }
  void info(LogMessage message, std::initializer_list<LogField> fields = {}) const {
    if (is_on(LogLevel::info)) write(LogLevel::info, message, fields);
  }
  void warning(LogMessage message, std::initializer_list<LogField> fields = {}) const {
    if (is_on(LogLevel::warning)) write(LogLevel::warning, message, fields);
  }
  void error(LogMessage message, std::initializer_list<LogField> fields = {}) const {
    if (is_on(LogLevel::error)) write(LogLevel::error, message, fields);
  }

 private:
  // Shared, because handles are copied into components whose ends nobody orders.
  struct Root {
    Root(LogSink& sink_in, const Clock& clock_in, LogOptions options)
        : sink(sink_in), clock(clock_in), format(options.format), level(options.level) {}
    LogSink& sink;
    const Clock& clock;
    const LogFormat format;
    std::atomic<LogLevel> level;
  };

  Log() = default;
  void write(LogLevel level, LogMessage message, std::initializer_list<LogField> fields) const;

  std::shared_ptr<Root> root_;
  std::string component_;
};

}  // namespace muster
