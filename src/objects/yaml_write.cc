// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "objects/go_number.h"
#include "objects/number_text.h"
#include "objects/yaml.h"
#include "objects/yaml_text.h"

namespace muster::objects {

namespace {

constexpr std::size_t indent_step = 2;

// Behind this column a line is broken at the next space.
constexpr std::size_t column_max = 80;

// A longer key is written in two lines, with a question mark.
constexpr std::size_t key_bytes_max = 128;

std::string text_of_real(double value) {
  // By way of JSON: where that is a whole number of 64 bits, YAML keeps its digits.
  std::array<char, number_text_max> buffer;
  char* const end = write_json_real(buffer.data(), value);
  std::string_view json(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  if (json.ends_with(".0")) {
    json.remove_suffix(2);
    std::uint64_t magnitude = 0;
    const char* const digits = json.data() + (json.front() == '-' ? 1 : 0);
    const auto read = std::from_chars(digits, json.data() + json.size(), magnitude);
    const bool negative = json.front() == '-';
    if (read.ec == std::errc() && magnitude == 0) return "0";
    const std::uint64_t limit = negative ? std::uint64_t{1} << 63 : ~std::uint64_t{0};
    if (read.ec == std::errc() && magnitude <= limit) return std::string(json);
  }
  std::string out;
  append_go_real(value, out);
  return out;
}

class Emitter {
 public:
  explicit Emitter(std::string& out) : out_(out) {}

  void document(View view) {
    node(view, 0, Place::document);
    if (column_ > 0) new_line();
  }

 private:
  // Where a container stands decides where its first line begins.
  enum class Place { document, behind_key, in_line };

  void node(View view, std::size_t indent, Place place) {
    if (view.is_object() && !view.empty()) {
      // Behind `key:` a mapping goes one step in; behind `- ` the caller has done that.
      return mapping(view, place == Place::behind_key ? indent + indent_step : indent, place);
    }
    if (view.is_array() && !view.empty()) return sequence(view, indent, place);
    if (place == Place::behind_key) put(' ');
    scalar(view, place == Place::in_line ? indent : indent + indent_step);
  }

  void mapping(View view, std::size_t indent, Place place) {
    std::vector<MemberView> members;
    members.reserve(view.size());
    for (const MemberView member : view.members()) members.push_back(member);
    // By bytes first: Go's order has cycles (11 before 1b before 2 before 11), and what comes out
    // must not depend on the order in which members came in.
    std::sort(members.begin(), members.end(),
              [](const MemberView& a, const MemberView& b) { return a.key < b.key; });
    std::stable_sort(members.begin(), members.end(), [](const MemberView& a, const MemberView& b) {
      return yaml_key_less(a.key, b.key);
    });
    bool first = place != Place::behind_key;
    for (const MemberView& member : members) {
      if (!std::exchange(first, false)) begin_line(indent);
      write_member(member, indent);
    }
  }

  void write_member(const MemberView& member, std::size_t indent) {
    const bool simple = member.key.size() <= key_bytes_max &&
                        member.key.find_first_of("\n\r") == std::string_view::npos;
    if (simple) {
      // Unquoted it would be read as an order to merge.
      member.key == "<<" ? put_all("\"<<\"") : text(member.key, indent, Breaks::none);
      put(':');
      return node(member.value, indent, Place::behind_key);
    }
    put('?');
    put(' ');
    text(member.key, indent + indent_step, Breaks::allowed);
    begin_line(indent);
    put(':');
    put(' ');
    node(member.value, indent + indent_step, Place::in_line);
  }

  // Behind a key, a sequence is not indented.
  void sequence(View view, std::size_t indent, Place place) {
    bool first = place != Place::behind_key;
    for (const View element : view.elements()) {
      if (!std::exchange(first, false)) begin_line(indent);
      put('-');
      put(' ');
      node(element, indent + indent_step, Place::in_line);
    }
  }

  void scalar(View view, std::size_t indent) {
    switch (view.type()) {
      case Type::boolean:
        return put_all(view.node().boolean ? "true" : "false");
      case Type::integer:
        return put_all(fmt::format("{}", view.node().integer));
      case Type::real:
        return put_all(text_of_real(view.node().real));
      case Type::string:
        return text(*view.string(), indent, Breaks::allowed);
      case Type::array:
        return put_all("[]");
      case Type::object:
        return put_all("{}");
      case Type::absent:
      case Type::null:
        return put_all("null");
    }
  }

  enum class Breaks { none, allowed };

  void text(std::string_view words, std::size_t indent, Breaks breaks) {
    switch (yaml_style_of(words)) {
      case YamlStyle::literal:
        return literal(words, indent);
      case YamlStyle::double_quoted:
        return double_quoted(words, indent, breaks);
      case YamlStyle::single_quoted:
        put('\'');
        folded(words, indent, breaks);
        return put('\'');
      case YamlStyle::plain:
        return folded(words, indent, breaks);
    }
  }

  // Plain or in single quotes. A line ends at a lone space, which reading puts back.
  void folded(std::string_view words, std::size_t indent, Breaks breaks) {
    const bool quoted = yaml_style_of(words) == YamlStyle::single_quoted;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const char c = words[i];
      const bool lone =
          c == ' ' && i > 0 && i + 1 < words.size() && words[i - 1] != ' ' && words[i + 1] != ' ';
      if (lone && breaks == Breaks::allowed && column_ > column_max) {
        begin_line(indent);
        continue;
      }
      if (c == '\'' && quoted) put('\'');
      put(c);
    }
  }

  void double_quoted(std::string_view words, std::size_t indent, Breaks breaks) {
    put('"');
    for (std::size_t i = 0; i < words.size();) {
      const CodePoint point = first_code_point(words.substr(i));
      const bool first_space = point.number == ' ' && i > 0 && words[i - 1] != ' ';
      if (first_space && i + 1 < words.size() && breaks == Breaks::allowed &&
          column_ > column_max) {
        begin_line(indent);
        // A line may not begin with a space unless it is escaped.
        if (words[i + 1] == ' ') put('\\');
      } else if (point.number == '"' || point.number == '\\' || !is_yaml_printable(point.number)) {
        escape(point.number);
      } else {
        for (const char c : words.substr(i, point.bytes)) put(c);
      }
      i += point.bytes;
    }
    put('"');
  }

  void escape(std::uint32_t point) {
    struct Named {
      std::uint32_t point;
      char letter;
    };
    constexpr auto named = std::to_array<Named>({{0x00, '0'},
                                                 {0x07, 'a'},
                                                 {0x08, 'b'},
                                                 {0x09, 't'},
                                                 {0x0A, 'n'},
                                                 {0x0B, 'v'},
                                                 {0x0C, 'f'},
                                                 {0x0D, 'r'},
                                                 {0x1B, 'e'},
                                                 {0x22, '"'},
                                                 {0x5C, '\\'},
                                                 {0x85, 'N'},
                                                 {0x2028, 'L'},
                                                 {0x2029, 'P'}});
    put('\\');
    for (const Named& name : named) {
      if (name.point == point) return put(name.letter);
    }
    if (point <= 0xFF) return put_all(fmt::format("x{:02X}", point));
    if (point <= 0xFFFF) return put_all(fmt::format("u{:04X}", point));
    put_all(fmt::format("U{:08X}", point));
  }

  // The lines as they are. How many line breaks belong to the end is said at the beginning; and
  // how far it is indented, where the first line does not show that.
  void literal(std::string_view words, std::size_t indent) {
    put('|');
    if (words.front() == ' ' || words.front() == '\n') put('2');
    if (words.back() != '\n') {
      put('-');
    } else if (words.size() == 1 || words[words.size() - 2] == '\n') {
      put('+');
    }
    new_line();
    while (!words.empty()) {
      const std::size_t size = std::min(words.find('\n'), words.size());
      if (size > 0) begin_line(indent);
      put_all(words.substr(0, size));
      if (size == words.size()) return;
      new_line();
      words.remove_prefix(size + 1);
    }
  }

  void begin_line(std::size_t indent) {
    if (column_ > 0) new_line();
    out_.append(indent, ' ');
    column_ = indent;
  }

  void new_line() {
    out_.push_back('\n');
    column_ = 0;
  }

  void put(char c) {
    out_.push_back(c);
    // Columns are characters: the bytes that continue one do not count.
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++column_;
  }

  void put_all(std::string_view words) {
    for (const char c : words) put(c);
  }

  std::string& out_;
  std::size_t column_ = 0;
};

}  // namespace

std::string to_yaml(View view) {
  std::string out;
  Emitter(out).document(view);
  return out;
}

}  // namespace muster::objects
