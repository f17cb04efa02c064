// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "objects/assembler.h"
#include "objects/builder.h"
#include "objects/bytes16.h"
#include "objects/json.h"
#include "objects/json_structure.h"
#include "objects/number_text.h"
#include "objects/text_place.h"

namespace muster::objects {

namespace {

// What may follow a number or a word: the end, white space, or a structural character.
constexpr std::array<bool, 256> ends_scalar = [] {
  std::array<bool, 256> table{};
  for (const char c : {' ', '\t', '\n', '\r', ',', ':', ']', '}', '[', '{'}) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}();

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<unsigned> hexadecimal_digit(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

char* write_utf8(char* to, unsigned point) {
  const auto put = [&to](unsigned byte) { *to++ = static_cast<char>(byte); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | point >> 6);
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3F));
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  }
  return to;
}

// The grammar over the tokens of one text. Functions return false after fail().
class Decoder {
 public:
  Decoder(std::string_view text, std::span<const std::uint32_t> tokens, std::span<char> room,
          Assembler& assembler, const ParseOptions& options)
      : text_(text),
        end_(text.data() + text.size()),
        token_(tokens.data()),
        tokens_end_(tokens.data() + tokens.size()),
        written_(room.data()),
        assembler_(assembler),
        options_(options) {}

  bool read_document(Node& root) {
    if (!read_value(root)) return false;
    return token_ == tokens_end_ || fail(offset(), "the text goes on behind its value");
  }

  Error& error() { return error_; }
  const char* written() const { return written_; }

 private:
  std::size_t offset() const { return token_ == tokens_end_ ? text_.size() : *token_; }

  // The character of the current token; a NUL, which begins no token, at the end.
  char character() const { return token_ == tokens_end_ ? '\0' : text_[*token_]; }

  bool fail(std::size_t at, std::string_view sentence) {
    const std::string_view found = at >= text_.size() ? "the text ends where there should be " : "";
    error_ =
        Error::bad_request(fmt::format("not JSON: {}: {}{}", place_of(text_, at), found, sentence));
    return false;
  }

  bool read_value(Node& out) {
    if (token_ == tokens_end_) return fail(text_.size(), "a value");
    const char* const from = text_.data() + *token_++;
    switch (*from) {
      case '"':
        return read_string(from + 1, out);
      case '{':
        return read_object(out);
      case '[':
        return read_array(out);
      case 't':
        out = Builder::boolean(true);
        return read_word(from, "true");
      case 'f':
        out = Builder::boolean(false);
        return read_word(from, "false");
      case 'n':
        out = Builder::null();
        return read_word(from, "null");
      default:
        return read_number(from, out);
    }
  }

  bool open(Type type) {
    if (assembler_.open(type)) return true;
    error_ = Error::too_large(fmt::format("nested deeper than the limit of {} at {}",
                                          options_.depth_max, place_of(text_, token_[-1])));
    return false;
  }

  bool close(Node& out) {
    ++token_;
    Result<Node> node = assembler_.close();
    if (node) {
      out = *node;
      return true;
    }
    error_ = std::move(node).error();
    return false;
  }

  bool read_object(Node& out) {
    if (!open(Type::object)) return false;
    if (character() == '}') return close(out);
    for (;;) {
      Node node;
      if (character() != '"') return fail(offset(), "a key in quotes");
      if (!read_string(text_.data() + *token_++ + 1, node)) return false;
      if (character() != ':') return fail(offset(), "a colon behind the key");
      ++token_;
      assembler_.add(node);
      if (!read_value(node)) return false;
      assembler_.add(node);
      if (character() == '}') return close(out);
      if (character() != ',') return fail(offset(), "a comma or a closing brace");
      ++token_;
    }
  }

  bool read_array(Node& out) {
    if (!open(Type::array)) return false;
    if (character() == ']') return close(out);
    for (;;) {
      Node node;
      if (!read_value(node)) return false;
      assembler_.add(node);
      if (character() == ']') return close(out);
      if (character() != ',') return fail(offset(), "a comma or a closing bracket");
      ++token_;
    }
  }

  bool read_string(const char* from, Node& out) {
    char* to = written_;
    for (;;) {
      if (end_ - from >= 16) {
        // Copied before it is known how much of it counts: there are 16 bytes of room to spare.
        const Bytes16 bytes(from);
        bytes.store(to);
        const unsigned run = bytes.until_quote_or_backslash();
        from += run;
        to += run;
        if (run == 16) continue;
      } else {
        while (from < end_ && *from != '"' && *from != '\\') *to++ = *from++;
        if (from == end_) return fail(text_.size(), "a closing quote");
      }
      if (*from == '"') break;
      if (!unescape(from, to)) return false;
    }
    out.type = Type::string;
    out.size = static_cast<std::uint32_t>(to - written_);
    out.text = written_;
    written_ = to;
    return true;
  }

  // From a backslash on.
  bool unescape(const char*& from, char*& to) {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    const std::size_t letter = from + 1 < end_ ? letters.find(from[1]) : std::string_view::npos;
    if (letter != std::string_view::npos) {
      *to++ = meanings[letter];
      from += 2;
      return true;
    }
    std::optional<unsigned> point = code_unit(from);
    if (!point) return fail(offset_of(from), "an escape that JSON does not know");
    from += 6;
    if (*point >= 0xD800 && *point < 0xDC00) {
      const std::optional<unsigned> low = code_unit(from);
      if (low && *low >= 0xDC00 && *low < 0xE000) {
        point = 0x10000 + ((*point - 0xD800) << 10) + (*low - 0xDC00);
        from += 6;
      }
    }
    constexpr unsigned replacement = 0xFFFD;
    const bool half = *point >= 0xD800 && *point < 0xE000;
    to = write_utf8(to, half ? replacement : *point);
    return true;
  }

  // The number of an escape of the form \uABCD.
  std::optional<unsigned> code_unit(const char* from) const {
    if (end_ - from < 6 || from[0] != '\\' || from[1] != 'u') return std::nullopt;
    unsigned unit = 0;
    for (int i = 2; i < 6; ++i) {
      const std::optional<unsigned> digit = hexadecimal_digit(from[i]);
      if (!digit) return std::nullopt;
      unit = unit << 4 | *digit;
    }
    return unit;
  }

  bool read_word(const char* from, std::string_view word) {
    const auto rest = static_cast<std::size_t>(end_ - from);
    const bool same = rest >= word.size() && std::memcmp(from, word.data(), word.size()) == 0;
    return (same && is_end(from + word.size())) || fail(offset_of(from), "a value");
  }

  bool read_number(const char* from, Node& out) {
    const bool negative = *from == '-';
    const char* const digits = from + (negative ? 1 : 0);
    const char* at = digits;
    std::uint64_t magnitude = 0;
    for (; at < end_ && is_digit(*at); ++at) {
      magnitude = magnitude * 10 + static_cast<std::uint64_t>(*at - '0');
    }
    const auto count = at - digits;
    if (count == 0) return fail(offset_of(from), "a value");
    if (count > 1 && *digits == '0') return fail(offset_of(from), "a number without leading zeros");
    if (at < end_ && (*at == '.' || *at == 'e' || *at == 'E')) return read_real(from, at, out);
    if (!is_end(at)) return fail(offset_of(from), "a number");
    // Nineteen digits fit into the magnitude, so they can be compared.
    constexpr std::uint64_t integer_max = 0x7FFFFFFFFFFFFFFF;
    if (count > 19 || magnitude > integer_max + (negative ? 1 : 0)) return real(from, at, out);
    out = Builder::integer(static_cast<std::int64_t>(negative ? ~magnitude + 1 : magnitude));
    return true;
  }

  // From the point or the exponent on.
  bool read_real(const char* from, const char* at, Node& out) {
    const auto skip_digits = [&] {
      const char* const first = at;
      while (at < end_ && is_digit(*at)) ++at;
      return at > first;
    };
    bool well_formed = true;
    if (*at == '.') {
      ++at;
      well_formed = skip_digits();
    }
    if (well_formed && at < end_ && (*at == 'e' || *at == 'E')) {
      ++at;
      if (at < end_ && (*at == '+' || *at == '-')) ++at;
      well_formed = skip_digits();
    }
    if (!well_formed || !is_end(at)) return fail(offset_of(from), "a number");
    return real(from, at, out);
  }

  bool real(const char* from, const char* to, Node& out) {
    const std::string_view digits(from, static_cast<std::size_t>(to - from));
    const std::optional<double> number = read_decimal(digits);
    if (!number) {
      error_ = Error::bad_request(fmt::format("not JSON: {}: a number that is too large",
                                              place_of(text_, offset_of(from))));
      return false;
    }
    out = Builder::real(*number);
    return true;
  }

  bool is_end(const char* at) const {
    return at == end_ || ends_scalar[static_cast<unsigned char>(*at)];
  }

  std::size_t offset_of(const char* at) const {
    return static_cast<std::size_t>(at - text_.data());
  }

  std::string_view text_;
  const char* end_;
  const std::uint32_t* token_;
  const std::uint32_t* tokens_end_;
  char* written_;  // strings are unescaped to here
  Assembler& assembler_;
  const ParseOptions& options_;
  Error error_{};
};

// A string may be copied 16 bytes at a time.
constexpr std::size_t text_room_spare = 16;

}  // namespace

struct JsonReader::Work {
  JsonStructure structure;
  Assembler assembler;
};

JsonReader::JsonReader() : work_(std::make_unique<Work>()) {}
JsonReader::~JsonReader() = default;
JsonReader::JsonReader(JsonReader&&) noexcept = default;
JsonReader& JsonReader::operator=(JsonReader&&) noexcept = default;

Result<Value> JsonReader::read(std::string_view text, const ParseOptions& options) {
  if (text.size() > options.bytes_max) {
    return Error::too_large(fmt::format("{} bytes of JSON are more than the limit of {}",
                                        text.size(), options.bytes_max));
  }
  const std::span<const std::uint32_t> tokens = TRY(work_->structure.find(text));
  // Each node is followed by one token that is not a node (colon, comma or a closing one), and
  // what is not a token bounds what strings can hold: the arena gets one block of the right size.
  const std::size_t node_bytes = (tokens.size() + 1) / 2 * sizeof(Node);
  const std::size_t text_bytes = text.size() - tokens.size() + text_room_spare;
  Builder builder(node_bytes + text_bytes);
  const std::span<char> room = builder.text_room(text_bytes);
  work_->assembler.begin(builder, options);
  Decoder decoder(text, tokens, room, work_->assembler, options);
  Node root;
  const bool well = decoder.read_document(root);
  if (text.size() > json_text_bytes_kept_max) {
    work_->structure.shrink(json_text_bytes_kept_max);
    work_->assembler.shrink(json_text_bytes_kept_max / 2);
  }
  if (!well) return std::move(decoder.error());
  Value value = std::move(builder).finish(root);
  // Much white space or few strings: then the block was too large to be kept.
  const auto unused = static_cast<std::size_t>(room.data() + room.size() - decoder.written());
  const bool wasteful = unused > 256 && unused > (node_bytes + text_bytes) / 4;
  return wasteful ? Value::copy_of(value) : value;
}

Result<Value> parse_json(std::string_view text, const ParseOptions& options) {
  // Memory to work in and nothing else: no result depends on what an earlier text left there.
  thread_local JsonReader reader;
  return reader.read(text, options);
}

}  // namespace muster::objects
