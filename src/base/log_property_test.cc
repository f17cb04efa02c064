// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/log_line.h"
#include "base/utf8.h"

// Uses GoogleTest's names without including it, so it comes after.
#include <rapidcheck/gtest.h>

namespace muster {
namespace {

// Any bytes, with those that break lines and quotes more often than chance has it.
rc::Gen<std::string> hostile_text() {
  const auto byte =
      rc::gen::weightedOneOf<char>({{3, rc::gen::arbitrary<char>()},
                                    {1, rc::gen::element('"', '\\', '\n', '\r', '\x1b', '\x7f', '=',
                                                         ' ', '{', '\xE2', '\x80')}});
  return rc::gen::container<std::string>(byte);
}

std::string line_of(const std::vector<std::string>& texts, LogFormat format) {
  std::vector<LogField> fields;
  for (const std::string& text : texts) fields.push_back({"value", text});
  return log_line({.time = {0},
                   .level = LogLevel::info,
                   .component = texts.empty() ? "" : texts.front(),
                   .message = "m",
                   .fields = fields},
                  format);
}

// A JSON object as flat as ours: strings end where they should, and nothing follows the brace.
bool is_closed(const std::string& line) {
  bool is_inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (is_inside && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      is_inside = !is_inside;
    } else if (!is_inside && (line[i] == '{') != (i == 0)) {
      return false;
    } else if (!is_inside && (line[i] == '}') != (i + 1 == line.size())) {
      return false;
    }
  }
  return !is_inside;
}

RC_GTEST_PROP(LogLineProperty, a_line_is_one_line_of_valid_text_below_its_maximum, ()) {
  const auto texts = *rc::gen::container<std::vector<std::string>>(hostile_text());
  for (const LogFormat format : {LogFormat::text, LogFormat::json}) {
    const std::string line = line_of(texts, format);
    RC_ASSERT(line.size() <= log_line_bytes_max);
    RC_ASSERT(repaired_utf8(line) == line);
    RC_ASSERT(std::none_of(line.begin(), line.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
    }));
  }
  RC_ASSERT(is_closed(line_of(texts, LogFormat::json)));
}

}  // namespace
}  // namespace muster
