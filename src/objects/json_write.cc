// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "objects/bytes16.h"
#include "objects/json.h"
#include "objects/number_text.h"

namespace muster::objects {

namespace {

constexpr std::string_view hexadecimal_digits = "0123456789abcdef";

// The first room; a pod takes a few doublings of it.
constexpr std::size_t room_min = 512;

// Asked for beside a text: quotes, a separator, a colon, and 16 bytes that are written together.
constexpr std::size_t room_spare = 24;

constexpr std::array<bool, 256> escape_candidates = [] {
  std::array<bool, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    table[byte] = is_escape_candidate(static_cast<unsigned char>(byte));
  }
  return table;
}();

// Writes behind what the string holds already. The string is longer than its text while the
// writer lives, so that room is asked for once for many characters. Room is zeroed, so it follows
// from what this writer wrote: a small object behind ten megabytes must not zero ten more.
class Writer {
 public:
  explicit Writer(std::string& out)
      : out_(out),
        begin_(out.size()),
        to_(out.data() + out.size()),
        limit_(out.data() + out.size()) {}
  ~Writer() { out_.resize(used()); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void compact(View view) {
    const Node& node = view.node();
    if (node.type == Type::string) return text({node.text, node.size}, '\0', '\0');
    if (node.type == Type::object) return compact_object(node);
    if (node.type == Type::array) return compact_array(node);
    scalar(node);
  }

  void pretty(View view, std::size_t indent) {
    if (view.empty()) return compact(view);
    const std::size_t inner = indent + 2;
    const bool is_array = view.is_array();
    char separator = is_array ? '[' : '{';
    for (const View element : view.elements()) {
      new_line(std::exchange(separator, ','), inner);
      pretty(element, inner);
    }
    for (const MemberView member : view.members()) {
      new_line(std::exchange(separator, ','), inner);
      text(member.key, '\0', ':');
      put(' ');
      pretty(member.value, inner);
    }
    new_line('\0', indent);
    put(is_array ? ']' : '}');
  }

 private:
  void compact_object(const Node& node) {
    if (node.size == 0) return put("{}");
    char separator = '{';
    for (std::size_t i = 0; i < node.size; ++i) {
      const Node::Member& member = node.members[i];
      text({member.key.text, member.key.size}, separator, ':');
      compact(View(&member.value));
      separator = ',';
    }
    put('}');
  }

  void compact_array(const Node& node) {
    if (node.size == 0) return put("[]");
    char separator = '[';
    for (std::size_t i = 0; i < node.size; ++i) {
      put(std::exchange(separator, ','));
      compact(View(&node.elements[i]));
    }
    put(']');
  }

  void scalar(const Node& node) {
    reserve(number_text_max);
    switch (node.type) {
      case Type::boolean:
        return put(node.boolean ? "true" : "false");
      case Type::integer:
        to_ = write_integer(to_, node.integer);
        return;
      case Type::real:
        to_ = write_json_real(to_, node.real);
        return;
      default:
        return put("null");
    }
  }

  // In quotes, with a character before and one behind it unless they are NUL.
  void text(std::string_view words, char before, char behind) {
    reserve(words.size() + room_spare);
    if (before != '\0') *to_++ = before;
    *to_++ = '"';
    const char* from = words.data();
    const char* const last = from + words.size();
    while (!copy_run(from, last)) {
      from = escape(from, last);
      reserve(static_cast<std::size_t>(last - from) + room_spare);
    }
    *to_++ = '"';
    if (behind != '\0') *to_++ = behind;
  }

  // Copies up to the first character that may need an escape. Whether there was none.
  bool copy_run(const char*& from, const char* last) {
    while (last - from >= 16) {
      const Bytes16 bytes(from);
      bytes.store(to_);
      const unsigned run = bytes.until_escape_candidate();
      from += run;
      to_ += run;
      if (run < 16) return false;
    }
    const auto rest = static_cast<std::size_t>(last - from);
    if (rest >= 8) {
      // Two words that overlap are all of it.
      const Bytes16 bytes(from, last - 8);
      if (bytes.until_escape_candidate() == 16) {
        std::memcpy(to_, from, 8);
        std::memcpy(to_ + rest - 8, last - 8, 8);
        to_ += rest;
        return true;
      }
    }
    if (rest >= 4 && rest < 8) {
      // The same with halves of them: most names of members are no longer.
      std::uint32_t halves[2];
      std::memcpy(&halves[0], from, 4);
      std::memcpy(&halves[1], last - 4, 4);
      if (Bytes16(halves[0], halves[1]).until_escape_candidate() == 16) {
        std::memcpy(to_, &halves[0], 4);
        std::memcpy(to_ + rest - 4, &halves[1], 4);
        to_ += rest;
        return true;
      }
    }
    while (from < last && !escape_candidates[static_cast<unsigned char>(*from)]) *to_++ = *from++;
    return from == last;
  }

  // Writes the character that copy_run stopped at; returns the one behind it.
  const char* escape(const char* from, const char* last) {
    constexpr std::string_view named = "\"\\\b\f\n\r\t";
    constexpr std::string_view letters = "\"\\bfnrt";
    const auto byte = static_cast<unsigned char>(*from);
    if (byte == 0xE2) {
      // U+2028 and U+2029 end a line in JavaScript; everything else that begins so is text.
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

  void new_line(char before, std::size_t indent) {
    reserve(indent + 2);
    if (before != '\0') *to_++ = before;
    *to_++ = '\n';
    std::memset(to_, ' ', indent);
    to_ += indent;
  }

  void put(char c) {
    reserve(1);
    *to_++ = c;
  }

  void put(std::string_view words) {
    reserve(words.size());
    std::memcpy(to_, words.data(), words.size());
    to_ += words.size();
  }

  void reserve(std::size_t bytes) {
    if (static_cast<std::size_t>(limit_ - to_) < bytes) [[unlikely]]
      grow(bytes);
  }

  void grow(std::size_t bytes) {
    const std::size_t before = used();
    out_.resize(before + std::max({bytes, before - begin_, room_min}));
    to_ = out_.data() + before;
    limit_ = out_.data() + out_.size();
  }

  std::size_t used() const { return static_cast<std::size_t>(to_ - out_.data()); }

  std::string& out_;
  std::size_t begin_;  // of what this writer writes
  char* to_;
  char* limit_;
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
