// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/patterns.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "objects/limits.h"

namespace muster::objects {

namespace {

std::string_view go_words(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
      return "invalid character class";
    case re2::RE2::ErrorBadCharRange:
      return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
      return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
      return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    case re2::RE2::ErrorPatternTooLarge:
      return "expression too large";
    case re2::RE2::NoError:
    case re2::RE2::ErrorInternal:
      break;
  }
  return "internal error";
}

}  // namespace

std::string pattern_complaint(std::string_view pattern) {
  if (pattern.size() > schema_pattern_bytes_max) {
    return fmt::format("must have at most {} bytes", schema_pattern_bytes_max);
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(schema_pattern_program_max);
  const re2::RE2 expression(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (expression.ok()) return {};
  return fmt::format(
      "must be a valid regular expression, but isn't: error parsing regexp: {}: `{}`",
      go_words(expression.error_code()), expression.error_arg());
}

}  // namespace muster::objects
