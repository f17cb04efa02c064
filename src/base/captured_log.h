// CapturedLog: a sink that keeps its lines, for tests. One thread only.
//
//   CapturedLog lines;
//   const Log log(lines, clock, {.level = LogLevel::debug});
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"

namespace muster {

class CapturedLog final : public LogSink {
 public:
  void write(LogLevel /*level*/, std::string_view line) override { lines_.emplace_back(line); }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

}  // namespace muster
