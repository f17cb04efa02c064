// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "objects/bytes16.h"
#include "objects/json.h"
#include "objects/number_text.h"

namespace muster::objects {

namespace {

constexpr std::string_view hexadecimal_digits = "0123456789abcdef";

// The first room; a pod takes two or three doublings of it.
constexpr std::size_t room_min = 2048;

// Writes behind what the string holds already. The string is longer than its text while the
// writer lives, so that room is asked for once for many characters.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out), used_(out.size()) {}
  ~Writer() { out_.resize(used_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void compact(View view) {
    switch (view.type()) {
      case Type::array: {
        char separator = '[';
        for (const View element : view.elements()) {
          put(std::exchange(separator, ','));
          compact(element);
        }
        return view.empty() ? put("[]") : put(']');
      }
      case Type::object: {
        char separator = '{';
        for (const MemberView member : view.members()) {
          put(std::exchange(separator, ','));
          text(member.key);
          put(':');
          compact(member.value);
        }
        return view.empty() ? put("{}") : put('}');
      }
      default:
        return scalar(view);
    }
  }

  void pretty(View view, std::size_t indent) {
    if (view.empty()) return compact(view);
    const std::size_t inner = indent + 2;
    const bool is_array = view.is_array();
    char separator = is_array ? '[' : '{';
    for (const View element : view.elements()) {
      put(std::exchange(separator, ','));
      new_line(inner);
      pretty(element, inner);
    }
    for (const MemberView member : view.members()) {
      put(std::exchange(separator, ','));
      new_line(inner);
      text(member.key);
      put(": ");
      pretty(member.value, inner);
    }
    new_line(indent);
    put(is_array ? ']' : '}');
  }

 private:
  void scalar(View view) {
    switch (view.type()) {
      case Type::boolean:
        return put(view.node().boolean ? "true" : "false");
      case Type::integer:
        reserve(number_text_max);
        return advance(write_integer(end(), view.node().integer));
      case Type::real:
        reserve(number_text_max);
        return advance(write_json_real(end(), view.node().real));
      case Type::string:
        return text({view.node().text, view.node().size});
      default:
        return put("null");
    }
  }

  void text(std::string_view words) {
    // Quotes, and 16 bytes to spare because they are copied together.
    reserve(words.size() + 18);
    char* to = end();
    *to++ = '"';
    const char* from = words.data();
    const char* const last = from + words.size();
    for (;;) {
      const std::size_t run = copy_run(from, last, to);
      from += run;
      to += run;
      if (from == last) break;
      advance(to);
      from = escape(from, last);
      reserve(static_cast<std::size_t>(last - from) + 18);
      to = end();
    }
    *to++ = '"';
    advance(to);
  }

  // Copies up to the first character that may need an escape.
  static std::size_t copy_run(const char* from, const char* last, char* to) {
    const char* const first = from;
    while (last - from >= 16) {
      const Bytes16 bytes(from);
      bytes.store(to);
      const unsigned run = bytes.until_escape_candidate();
      from += run;
      to += run;
      if (run < 16) return static_cast<std::size_t>(from - first);
    }
    while (from < last && !is_escape_candidate(static_cast<unsigned char>(*from))) *to++ = *from++;
    return static_cast<std::size_t>(from - first);
  }

  // Writes the character that copy_run stopped at; returns the one behind it.
  const char* escape(const char* from, const char* last) {
    constexpr std::string_view named = "\"\\\b\f\n\r\t";
    constexpr std::string_view letters = "\"\\bfnrt";
    const auto byte = static_cast<unsigned char>(*from);
    if (byte == 0xE2) {
      // U+2028 and U+2029 end a line in JavaScript; everything else here is text.
      const bool separator =
          last - from >= 3 && from[1] == '\x80' && (from[2] == '\xA8' || from[2] == '\xA9');
      if (!separator) {
        put(*from);
        return from + 1;
      }
      put(from[2] == '\xA8' ? "\\u2028" : "\\u2029");
      return from + 3;
    }
    put('\\');
    if (const std::size_t known = named.find(*from); known != std::string_view::npos) {
      put(letters[known]);
    } else {
      put("u00");
      put(hexadecimal_digits[byte >> 4]);
      put(hexadecimal_digits[byte & 15]);
    }
    return from + 1;
  }

  void new_line(std::size_t indent) {
    reserve(indent + 1);
    char* to = end();
    *to++ = '\n';
    std::memset(to, ' ', indent);
    advance(to + indent);
  }

  void put(char c) {
    reserve(1);
    *end() = c;
    ++used_;
  }

  void put(std::string_view words) {
    reserve(words.size());
    std::memcpy(end(), words.data(), words.size());
    used_ += words.size();
  }

  void reserve(std::size_t bytes) {
    if (out_.size() - used_ < bytes) [[unlikely]]
      grow(bytes);
  }

  void grow(std::size_t bytes) {
    out_.resize(std::max({used_ + bytes, out_.size() * 2, room_min, out_.capacity()}));
  }

  char* end() { return out_.data() + used_; }
  void advance(const char* to) { used_ = static_cast<std::size_t>(to - out_.data()); }

  std::string& out_;
  std::size_t used_;
};

}  // namespace

void append_json(View view, std::string& out) {
  Writer(out).compact(view);
}

std::string to_json(View view) {
  std::string out;
  append_json(view, out);
  return out;
}

std::string to_pretty_json(View view) {
  std::string out;
  Writer(out).pretty(view, 0);
  return out;
}

}  // namespace muster::objects
