// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <limits>
#include <memory>
#include <sstream>
#include <string>

#include "base/captured_log.h"
#include "base/log_sink.h"
#include "base/secret.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class FixedClock final : public Clock {
 public:
  Instant wall() const override { return {1'794'715'844'123'456'789}; }
  MonotonicInstant monotonic() const override { return {0}; }
};

class LogTest : public ::testing::Test {
 protected:
  Log log(LogFormat format) { return Log(captured, clock, {LogLevel::info, format}); }
  Log json() { return log(LogFormat::json); }
  Log text() { return log(LogFormat::text); }
  const std::string& line() const { return captured.lines().back(); }

  FixedClock clock;
  CapturedLog captured;
};

TEST_F(LogTest, json_lines_carry_typed_fields) {
  json().child("store").info("opened", {{"path", "/var/lib"},
                                        {"revision", std::int64_t{-812}},
                                        {"bytes", std::uint64_t{18'446'744'073'709'551'615U}},
                                        {"durable", true},
                                        {"ratio", 0.5},
                                        {"took", Span::of_milliseconds(1500)}});
  EXPECT_EQ(line(),
            R"({"time":"2026-11-15T04:10:44.123456Z","level":"info","component":"store",)"
            R"("message":"opened","path":"/var/lib","revision":-812,"bytes":18446744073709551615,)"
            R"("durable":true,"ratio":0.5,"took":"1.5s"})");
}

TEST_F(LogTest, text_lines_quote_only_what_needs_it) {
  text().child("store").child("sqlite").warning(
      "slow commit", {{"path", "/a b"}, {"took", Span::of_seconds(2)}, {"empty", ""}, {"n", 3}});
  EXPECT_EQ(line(),
            "2026-11-15T04:10:44.123456Z WARN  store.sqlite: slow commit path=\"/a b\" took=2s "
            "empty=\"\" n=3");
}

TEST_F(LogTest, levels_below_the_threshold_write_nothing) {
  const Log log = text();
  const Log child = log.child("a");
  log.debug("hidden");
  EXPECT_FALSE(child.is_on(LogLevel::debug));
  log.set_level(LogLevel::debug);
  child.debug("seen");
  log.set_level(LogLevel::off);
  child.error("hidden");
  Log::silent().error("hidden");
  EXPECT_THAT(captured.lines(), ElementsAre(HasSubstr("seen")));
}

TEST_F(LogTest, input_cannot_forge_a_line) {
  const std::string attack = "a\n2026-01-01T00:00:00Z INFO  root: granted\r\x1b[2J\xe2\x80\xa8\x7f";
  text().info("request", {{"user", attack}});
  EXPECT_THAT(
      line(),
      HasSubstr(R"(user="a\n2026-01-01T00:00:00Z INFO  root: granted\r\u001b[2J\u2028\u007f")"));
  json().info("request", {{"user", "\",\"level\":\"error\\"}});
  EXPECT_THAT(line(), HasSubstr(R"("user":"\",\"level\":\"error\\")"));
  json().info("request", {{"user", "\xE2\x80\xAE gnp.exe"}});
  EXPECT_THAT(line(), HasSubstr(R"("user":"\u202e gnp.exe")"));
}

TEST_F(LogTest, a_field_cannot_pose_as_the_head_of_the_line) {
  json().info("request", {{"level", "error"}, {"message", "x"}});
  EXPECT_THAT(line(), HasSubstr(R"("field_level":"error","field_message":"x")"));
}

TEST_F(LogTest, damaged_utf8_becomes_replacement_characters) {
  json().info("read", {{"name", "a\xFF\xC3(\xED\xA0\x80z\xF0\x9F\x98\x80"}});
  EXPECT_THAT(line(), HasSubstr("\"a\\ufffd\\ufffd(\\ufffd\\ufffd\\ufffdz\xF0\x9F\x98\x80\""));
}

TEST_F(LogTest, credentials_are_redacted_by_type_key_and_shape) {
  const Secret secret("hunter2");
  json().info("login", {{"value", secret},
                        {"apiToken", "hunter2"},
                        {"DB-Password", std::string("hunter2")},
                        {"Authorization", "Basic aHVudGVyMg=="},
                        {"token_count", 4096},
                        {"header", "Authorization: bearer abc.def-123; next"},
                        {"body", "got eyJhbGciOiJSUzI1NiIsImtpZCI6.eyJz.sig here"}});
  EXPECT_THAT(line(), Not(HasSubstr("hunter2")));
  EXPECT_THAT(line(), Not(HasSubstr("aHVudGVyMg")));
  EXPECT_THAT(line(), HasSubstr(R"("value":"[redacted]","apiToken":"[redacted]")"));
  EXPECT_THAT(line(), HasSubstr(R"("token_count":4096)"));
  EXPECT_THAT(line(), HasSubstr(R"("header":"Authorization: bearer [redacted]; next")"));
  EXPECT_THAT(line(), HasSubstr(R"("body":"got [redacted] here")"));
}

TEST_F(LogTest, errors_are_logged_with_their_field) {
  json().error("refused", {{"error", Error::invalid("must be even", "spec.n")}});
  EXPECT_THAT(line(), HasSubstr(R"("error":"spec.n: must be even")"));
}

TEST_F(LogTest, numbers_that_json_cannot_say_become_strings) {
  json().info("x", {{"a", std::numeric_limits<double>::infinity()},
                    {"b", std::numeric_limits<double>::quiet_NaN()}});
  EXPECT_THAT(line(), HasSubstr(R"("a":"+Inf","b":"NaN")"));
}

TEST_F(LogTest, long_values_are_clipped_and_fields_beyond_the_maximum_counted) {
  const std::string value(log_value_bytes_max + 10, 'x');
  json().info("big", {{"a", value}});
  EXPECT_THAT(line(), HasSubstr("x...(10 more bytes)\"}"));
  const std::string controls(log_value_bytes_max, '\x01');
  json().info("big", {{"a", controls}, {"b", controls}, {"c", "small"}});
  EXPECT_LE(line().size(), log_line_bytes_max);
  EXPECT_THAT(line(), HasSubstr(R"("c":"small","dropped_fields":1})"));
}

TEST(Secret, prints_as_redacted_everywhere) {
  const Secret secret("hunter2");
  std::ostringstream stream;
  stream << secret;
  EXPECT_EQ(stream.str(), "[redacted]");
  EXPECT_EQ(fmt::format("<{}>", secret), "<[redacted]>");
  EXPECT_EQ(secret.reveal(), "hunter2");
}

TEST(Secret, matches_only_the_same_text) {
  const Secret secret("hunter2");
  EXPECT_TRUE(secret.matches("hunter2"));
  EXPECT_FALSE(secret.matches("hunter3"));
  EXPECT_FALSE(secret.matches("hunter"));
  EXPECT_FALSE(secret.matches(""));
}

TEST(Secret, a_move_leaves_nothing_behind) {
  Secret first("hunter2");
  Secret second(std::move(first));
  EXPECT_EQ(second.reveal(), "hunter2");
  Secret third;
  third = std::move(second);
  EXPECT_EQ(third.reveal(), "hunter2");
  static_assert(!std::is_copy_constructible_v<Secret>);
  static_assert(!std::is_convertible_v<Secret, std::string_view>);
}

TEST(LogSink, a_file_that_cannot_be_opened_is_an_error) {
  const auto sink = open_log_file({.path = "/proc/version/muster.log"});
  ASSERT_FALSE(sink.has_value());
  EXPECT_THAT(sink.error().message, HasSubstr("/proc/version/muster.log"));
}

TEST(LogSink, a_file_gets_whole_lines) {
  const std::string path = ::testing::TempDir() + "muster_log_test.log";
  {
    const auto sink = open_log_file({.path = path}).must();
    sink->write(LogLevel::info, "first {}");
    sink->write(LogLevel::error, "second");
    EXPECT_EQ(sink->lines_dropped(), 0U);
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "r"),
                                                             &std::fclose);
  ASSERT_NE(file, nullptr);
  std::string text(100, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  std::remove(path.c_str());
  EXPECT_EQ(text, "first {}\nsecond\n");
}

}  // namespace
}  // namespace muster
