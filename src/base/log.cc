// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

namespace muster {

Log::Log(LogSink& sink, const Clock& clock, LogOptions options)
    : root_(std::make_shared<Root>(sink, clock, options)) {}

Log Log::child(std::string_view component) const {
  Log result = *this;
  if (!result.component_.empty()) result.component_ += '.';
  result.component_ += component;
  return result;
}

void Log::set_level(LogLevel level) const {
  if (root_ != nullptr) root_->level.store(level, std::memory_order_relaxed);
}

void Log::write(LogLevel level, LogMessage message, std::initializer_list<LogField> fields) const {
  const LogRecord record{.time = root_->clock.wall(),
                         .level = level,
                         .component = component_,
                         .message = message.text(),
                         .fields = {fields.begin(), fields.size()}};
  root_->sink.write(level, log_line(record, root_->format));
}

}  // namespace muster
