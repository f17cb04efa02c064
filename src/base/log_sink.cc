// SPDX-License-Identifier: Apache-2.0
//
// The only translation unit that sees spdlog. Lines arrive finished; spdlog writes, rotates, locks.
#include "base/log_sink.h"

#include <spdlog/details/log_msg.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <exception>
#include <utility>

namespace muster {

namespace {

class SpdlogSink final : public CountingLogSink {
 public:
  explicit SpdlogSink(std::shared_ptr<spdlog::sinks::sink> sink) : sink_(std::move(sink)) {
    sink_->set_pattern("%v");
  }

  void write(LogLevel /*level*/, std::string_view line) override {
    try {
      sink_->log(spdlog::details::log_msg({}, spdlog::level::info, {line.data(), line.size()}));
      sink_->flush();
    } catch (const std::exception&) {
      count_dropped_line();
    }
  }

 private:
  std::shared_ptr<spdlog::sinks::sink> sink_;
};

}  // namespace

std::unique_ptr<CountingLogSink> open_standard_error_log() {
  return std::make_unique<SpdlogSink>(std::make_shared<spdlog::sinks::stderr_sink_mt>());
}

Result<std::unique_ptr<CountingLogSink>> open_log_file(const LogFile& file) {
  try {
    return std::make_unique<SpdlogSink>(std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
        file.path, file.file_bytes_max, file.old_files_max));
  } catch (const std::exception& failure) {
    return Error::internal("cannot open log file " + file.path + ": " + failure.what());
  }
}

}  // namespace muster
