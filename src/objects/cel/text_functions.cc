// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "objects/cel/functions.h"
#include "objects/cel/utf8.h"

namespace muster::objects::cel {

namespace {

constexpr std::int64_t no_limit = -1;

Datum out_of_range(const Call& call, std::int64_t index) {
  return call.scratch.error(fmt::format("index out of range: {}", index));
}

std::int64_t count(std::string_view text) {
  return static_cast<std::int64_t>(code_points(text));
}

std::size_t byte_at(std::string_view text, std::int64_t index) {
  return byte_of(text, static_cast<std::size_t>(index));
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

std::string_view view(const re2::StringPiece& text) {
  return {text.data(), text.size()};
}

Datum starts_with(const Call& call) {
  call.scratch.spend_text(call[1].size);
  return Datum::of(call[0].string().starts_with(call[1].string()));
}

Datum ends_with(const Call& call) {
  call.scratch.spend_text(call[1].size);
  return Datum::of(call[0].string().ends_with(call[1].string()));
}

Datum contains(const Call& call) {
  call.scratch.spend_text(call[0].size + call[1].size);
  return Datum::of(call[0].string().find(call[1].string()) != std::string_view::npos);
}

// The pattern of the call, or null with the reason in `failure`.
const re2::RE2* pattern_of(const Call& call, Datum& failure) {
  call.scratch.spend(1 + call[0].size / 10 * (1 + call[1].size / 4));
  if (call.pattern != nullptr) return call.pattern;
  const re2::RE2* made = call.scratch.pattern(call[1].string());
  if (made == nullptr) {
    failure = call.scratch.error(fmt::format("error parsing regexp: `{}`", call[1].string()));
  }
  return made;
}

Datum matches(const Call& call) {
  Datum failure;
  const re2::RE2* pattern = pattern_of(call, failure);
  if (pattern == nullptr) return failure;
  return Datum::of(re2::RE2::PartialMatch(piece(call[0].string()), *pattern));
}

Datum find(const Call& call) {
  Datum failure;
  const re2::RE2* pattern = pattern_of(call, failure);
  if (pattern == nullptr) return failure;
  const re2::StringPiece text = piece(call[0].string());
  re2::StringPiece found;
  if (!pattern->Match(text, 0, text.size(), re2::RE2::UNANCHORED, &found, 1)) {
    return Datum::of(std::string_view());
  }
  return Datum::of(view(found));
}

Datum find_up_to(const Call& call, std::int64_t limit) {
  Datum failure;
  const re2::RE2* pattern = pattern_of(call, failure);
  if (pattern == nullptr) return failure;
  const re2::StringPiece text = piece(call[0].string());
  std::vector<Datum> found;
  std::size_t from = 0;
  std::size_t last_end = std::string_view::npos;
  while (from <= text.size() && (limit < 0 || static_cast<std::int64_t>(found.size()) < limit)) {
    re2::StringPiece match;
    if (!pattern->Match(text, from, text.size(), re2::RE2::UNANCHORED, &match, 1)) break;
    if (!call.scratch.spend(1)) break;
    const auto begin = static_cast<std::size_t>(match.data() - text.data());
    const std::size_t end = begin + match.size();
    // As in Go, an empty match right behind the one before does not count.
    if (!match.empty() || begin != last_end) found.push_back(Datum::of(view(match)));
    last_end = end;
    from = match.empty() ? end + byte_of(view(text).substr(end), 1) : end;
    if (match.empty() && end == text.size()) break;
  }
  return call.scratch.list(found);
}

Datum find_all(const Call& call) {
  return find_up_to(call, no_limit);
}

Datum find_all_limited(const Call& call) {
  return find_up_to(call, call[2].integer);
}

Datum mapped(const Call& call, char first, char last, int shift) {
  std::string text(call[0].string());
  for (char& c : text) {
    if (c >= first && c <= last) c = static_cast<char>(c + shift);
  }
  return call.scratch.text(text);
}

Datum lower_ascii(const Call& call) {
  return mapped(call, 'A', 'Z', 'a' - 'A');
}

Datum upper_ascii(const Call& call) {
  return mapped(call, 'a', 'z', 'A' - 'a');
}

Datum trim(const Call& call) {
  // Unicode's white space, as Go's strings.TrimSpace has it.
  constexpr std::string_view spaces[] = {
      " ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\u0085", "\u00a0", "\u1680",
      "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008",
      "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};
  std::string_view text = call[0].string();
  call.scratch.spend_text(text.size());
  bool trimmed = true;
  while (trimmed) {
    trimmed = false;
    for (const std::string_view space : spaces) {
      if (text.starts_with(space)) {
        text.remove_prefix(space.size());
        trimmed = true;
      } else if (text.ends_with(space)) {
        text.remove_suffix(space.size());
        trimmed = true;
      }
    }
  }
  return Datum::of(text);
}

Datum char_at(const Call& call) {
  const std::string_view text = call[0].string();
  const std::int64_t index = call[1].integer;
  call.scratch.spend_text(text.size());
  if (index < 0 || index > count(text)) return out_of_range(call, index);
  const std::size_t begin = byte_at(text, index);
  return Datum::of(text.substr(begin, byte_of(text.substr(begin), 1)));
}

Datum substring(const Call& call, std::int64_t begin, std::int64_t end) {
  const std::string_view text = call[0].string();
  call.scratch.spend_text(text.size());
  const std::int64_t size = count(text);
  if (end < 0 || end > size) return out_of_range(call, end);
  if (begin < 0 || begin > size) return out_of_range(call, begin);
  if (begin > end) {
    return call.scratch.error(
        fmt::format("invalid substring range. start: {}, end: {}", begin, end));
  }
  const std::size_t first = byte_at(text, begin);
  return Datum::of(text.substr(first, byte_at(text, end) - first));
}

Datum substring_from(const Call& call) {
  if (call[1].integer > count(call[0].string())) return out_of_range(call, call[1].integer);
  return substring(call, call[1].integer, count(call[0].string()));
}

Datum substring_between(const Call& call) {
  return substring(call, call[1].integer, call[2].integer);
}

Datum index_from(const Call& call, std::int64_t begin) {
  const std::string_view text = call[0].string();
  call.scratch.spend_text(text.size() + call[1].size);
  if (begin < 0) return out_of_range(call, begin);
  if (begin >= count(text) && !call[1].string().empty()) return Datum::of(std::int64_t{-1});
  const std::size_t found = text.find(call[1].string(), byte_at(text, begin));
  if (found == std::string_view::npos) return Datum::of(std::int64_t{-1});
  return Datum::of(count(text.substr(0, found)));
}

Datum index_of(const Call& call) {
  return index_from(call, 0);
}

Datum index_of_from(const Call& call) {
  return index_from(call, call[2].integer);
}

Datum last_index_of(const Call& call) {
  const std::string_view text = call[0].string();
  call.scratch.spend_text(text.size() + call[1].size);
  const std::size_t found = text.rfind(call[1].string());
  if (found == std::string_view::npos) return Datum::of(std::int64_t{-1});
  return Datum::of(count(text.substr(0, found)));
}

// Parts of a text; an empty separator splits it into code points, as in Go.
std::size_t separator_at(std::string_view text, std::string_view separator) {
  if (!separator.empty()) return text.find(separator);
  const std::size_t end = byte_of(text, 1);
  return end >= text.size() ? std::string_view::npos : end;
}

Datum split_up_to(const Call& call, std::int64_t limit) {
  std::string_view rest = call[0].string();
  const std::string_view separator = call[1].string();
  call.scratch.spend_text(rest.size());
  std::vector<Datum> parts;
  if (limit == 0 || (rest.empty() && separator.empty())) return call.scratch.list(parts);
  while (limit < 0 || static_cast<std::int64_t>(parts.size()) + 1 < limit) {
    const std::size_t end = separator_at(rest, separator);
    if (end == std::string_view::npos || !call.scratch.spend(1)) break;
    parts.push_back(Datum::of(rest.substr(0, end)));
    rest.remove_prefix(end + separator.size());
  }
  parts.push_back(Datum::of(rest));
  return call.scratch.list(parts);
}

Datum split(const Call& call) {
  return split_up_to(call, no_limit);
}

Datum split_limited(const Call& call) {
  return split_up_to(call, call[2].integer);
}

Datum replace_up_to(const Call& call, std::int64_t limit) {
  const std::string_view text = call[0].string();
  const std::string_view before = call[1].string();
  const std::string_view after = call[2].string();
  std::string out;
  std::size_t from = 0;
  bool is_first = true;
  for (std::int64_t done = 0; limit < 0 || done < limit; ++done) {
    std::size_t found = 0;
    if (before.empty()) {
      // Before every code point and at the end.
      found = is_first ? 0 : from + byte_of(text.substr(from), 1);
      if (!is_first && from >= text.size()) break;
      is_first = false;
    } else {
      found = text.find(before, from);
      if (found == std::string_view::npos) break;
    }
    if (!call.scratch.spend_text(found - from + after.size())) break;
    out += text.substr(from, found - from);
    out += after;
    from = found + before.size();
  }
  out += text.substr(from);
  return call.scratch.text(out);
}

Datum replace(const Call& call) {
  return replace_up_to(call, no_limit);
}

Datum replace_limited(const Call& call) {
  return replace_up_to(call, call[3].integer);
}

Datum join_with(const Call& call, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < call[0].size; ++i) {
    const Datum part = call[0].element(i);
    if (!part.is_text()) return Datum::error("no such overload: join(list, string)");
    if (!call.scratch.spend_text(part.size + separator.size())) break;
    if (i > 0) out += separator;
    out += part.string();
  }
  return call.scratch.text(out);
}

Datum join(const Call& call) {
  return join_with(call, "");
}

Datum join_separated(const Call& call) {
  return join_with(call, call[1].string());
}

constexpr Kind text = Kind::text;
constexpr Kind integer = Kind::integer;

constexpr Function table[] = {
    {"startsWith", true, false, Kind::boolean, 2, {text, text}, starts_with},
    {"endsWith", true, false, Kind::boolean, 2, {text, text}, ends_with},
    {"contains", true, false, Kind::boolean, 2, {text, text}, contains},
    {"matches", true, true, Kind::boolean, 2, {text, text}, matches},
    {"matches", false, true, Kind::boolean, 2, {text, text}, matches},
    {"find", true, true, text, 2, {text, text}, find},
    {"findAll", true, true, Kind::list, 2, {text, text}, find_all},
    {"findAll", true, true, Kind::list, 3, {text, text, integer}, find_all_limited},
    {"lowerAscii", true, false, text, 1, {text}, lower_ascii},
    {"upperAscii", true, false, text, 1, {text}, upper_ascii},
    {"trim", true, false, text, 1, {text}, trim},
    {"charAt", true, false, text, 2, {text, integer}, char_at},
    {"substring", true, false, text, 2, {text, integer}, substring_from},
    {"substring", true, false, text, 3, {text, integer, integer}, substring_between},
    {"indexOf", true, false, integer, 2, {text, text}, index_of},
    {"indexOf", true, false, integer, 3, {text, text, integer}, index_of_from},
    {"indexOf", true, false, integer, 2, {Kind::list, Kind::dynamic}, list_index_of},
    {"lastIndexOf", true, false, integer, 2, {text, text}, last_index_of},
    {"lastIndexOf", true, false, integer, 2, {Kind::list, Kind::dynamic}, list_last_index_of},
    {"split", true, false, Kind::list, 2, {text, text}, split},
    {"split", true, false, Kind::list, 3, {text, text, integer}, split_limited},
    {"replace", true, false, text, 3, {text, text, text}, replace},
    {"replace", true, false, text, 4, {text, text, text, integer}, replace_limited},
    {"join", true, false, text, 1, {Kind::list}, join},
    {"join", true, false, text, 2, {Kind::list, text}, join_separated},
};

}  // namespace

std::span<const Function> text_functions() {
  return table;
}

}  // namespace muster::objects::cel
