// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace muster::simulator {

namespace {

constexpr std::size_t script_lines_max = 100'000;

// The text up to the separator; what follows it stays.
std::string_view cut(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return head;
}

template <class Number>
Result<Number> read_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return Error::bad_request(fmt::format("\"{}\" is no number", text));
  }
  return number;
}

Result<Line> parse_line(std::string_view text) {
  Line line;
  line.at_milliseconds = TRY(read_number<std::int64_t>(cut(text, ' ')));
  line.verb = cut(text, ' ');
  while (!text.empty()) {
    std::string_view argument = cut(text, ' ');
    const std::string_view name = cut(argument, '=');
    line.arguments.emplace(name, argument);
  }
  return line;
}

}  // namespace

const std::string& Line::text(std::string_view name) const {
  static const std::string nothing;
  const auto found = arguments.find(name);
  return found == arguments.end() ? nothing : found->second;
}

std::int64_t Line::number(std::string_view name) const {
  return read_number<std::int64_t>(text(name)).value_or(0);
}

std::string Line::to_text() const {
  std::string out = fmt::format("{} {}", at_milliseconds, verb);
  for (const auto& [name, value] : arguments) out += fmt::format(" {}={}", name, value);
  return out;
}

bool Script::has(std::string_view verb) const {
  return std::ranges::find(lines, verb, &Line::verb) != lines.end();
}

std::string Script::to_text() const {
  std::string out = fmt::format("seed {}\n", seed);
  for (const Line& line : lines) {
    out += line.to_text();
    out += '\n';
  }
  return out;
}

Result<Script> Script::parse(std::string_view text) {
  Script script;
  std::string_view first = cut(text, '\n');
  if (cut(first, ' ') != "seed") return Error::bad_request("the first line must name the seed");
  script.seed = TRY(read_number<std::uint64_t>(first));
  while (!text.empty()) {
    const std::string_view line = cut(text, '\n');
    if (line.empty()) continue;
    if (script.lines.size() == script_lines_max) return Error::too_large("too many lines");
    script.lines.push_back(TRY(parse_line(line)));
    const auto count = script.lines.size();
    if (count > 1 &&
        script.lines[count - 2].at_milliseconds > script.lines.back().at_milliseconds) {
      return Error::bad_request("the lines must stand in the order of their times");
    }
  }
  return script;
}

}  // namespace muster::simulator
