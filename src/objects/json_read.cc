// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"
#include "objects/assembler.h"
#include "objects/builder.h"
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

// The grammar over the tokens of one text. Strings stay where they are in `copy`, which is the
// arena's; one with escapes is unescaped in its place. Functions return false after fail().
class Decoder {
 public:
  Decoder(std::string_view text, std::span<const std::uint32_t> tokens, char* copy,
          Assembler& assembler, const ParseOptions& options)
      : text_(text),
        copy_(copy),
        end_(copy + text.size()),
        token_(tokens.data()),
        tokens_end_(tokens.data() + tokens.size()),
        assembler_(assembler),
        options_(options) {
    find_backslash(copy);
  }

  // Leaves the root on the assembler.
  bool read_document() {
    if (!read_value()) return false;
    return token_ == tokens_end_ || fail(offset(), "the text goes on behind its value");
  }

  Error& error() { return error_; }

  // Bytes of the copy that strings use.
  std::size_t string_bytes() const { return string_bytes_; }

 private:
  std::size_t offset() const { return token_ == tokens_end_ ? text_.size() : *token_; }

  // The character of the current token; a NUL, which begins no token, at the end.
  char character() const { return token_ == tokens_end_ ? '\0' : copy_[*token_]; }

  [[gnu::cold]] bool fail(std::size_t at, std::string_view sentence) {
    const std::string_view found = at >= text_.size() ? "the text ends where there should be " : "";
    error_ =
        Error::bad_request(fmt::format("not JSON: {}: {}{}", place_of(text_, at), found, sentence));
    return false;
  }

  bool read_value() {
    if (token_ == tokens_end_) return fail(text_.size(), "a value");
    char* const from = copy_ + *token_++;
    // Most values are strings, and most of the others are containers.
    if (*from == '"') return read_string(from + 1);
    if (*from == '{') return read_object();
    if (*from == '[') return read_array();
    switch (*from) {
      case 't':
        return read_word(from, "true", Builder::boolean(true));
      case 'f':
        return read_word(from, "false", Builder::boolean(false));
      case 'n':
        return read_word(from, "null", Builder::null());
      default:
        return read_number(from);
    }
  }

  [[gnu::cold]] bool fail_deep() {
    error_ = Error::too_large(fmt::format("nested deeper than the limit of {} at {}",
                                          options_.depth_max, place_of(text_, token_[-1])));
    return false;
  }

  [[gnu::cold]] bool fail_duplicate() {
    error_ = assembler_.error();
    return false;
  }

  bool close() {
    ++token_;
    return assembler_.close() || fail_duplicate();
  }

  bool read_object() {
    if (!assembler_.open(Type::object)) return fail_deep();
    if (character() == '}') return close();
    for (;;) {
      if (character() != '"') return fail(offset(), "a key in quotes");
      if (!read_string(copy_ + *token_++ + 1)) return false;
      if (character() != ':') return fail(offset(), "a colon behind the key");
      ++token_;
      if (!read_value()) return false;
      if (character() == '}') return close();
      if (character() != ',') return fail(offset(), "a comma or a closing brace");
      ++token_;
    }
  }

  bool read_array() {
    if (!assembler_.open(Type::array)) return fail_deep();
    if (character() == ']') return close();
    for (;;) {
      if (!read_value()) return false;
      if (character() == ']') return close();
      if (character() != ',') return fail(offset(), "a comma or a closing bracket");
      ++token_;
    }
  }

  // From behind the opening quote. The closing one is the last character before the next token
  // that is not white space: the structure has no token inside a string.
  bool read_string(char* from) {
    const char* quote = copy_ + offset() - 1;
    while (quote >= from && *quote != '"') --quote;
    if (quote < from) return fail(offset_of(from), "a closing quote");
    if (quote > backslash_) {
      char* const end = unescape(from, quote);
      if (end == nullptr) return false;
      find_backslash(quote);
      quote = end;
    }
    const auto size = static_cast<std::size_t>(quote - from);
    string_bytes_ += size;
    // Filled where it stays: a node made elsewhere would be read back before it is written.
    Node& out = assembler_.push();
    out.type = Type::string;
    out.lookup = Lookup::scan;
    out.size = static_cast<std::uint32_t>(size);
    out.text = from;
    return true;
  }

  // Where the next escape is, so that strings before it need not be looked at.
  void find_backslash(const char* from) {
    const void* const found = std::memchr(from, '\\', static_cast<std::size_t>(end_ - from));
    backslash_ = found == nullptr ? end_ : static_cast<const char*>(found);
  }

  // In place; what comes out is never longer. The end of it, or null.
  char* unescape(char* from, const char* quote) {
    char* to = from;
    while (from < quote) {
      if (*from != '\\') {
        *to++ = *from++;
      } else if (!unescape_one(from, to)) {
        return nullptr;
      }
    }
    return to;
  }

  bool unescape_one(char*& from, char*& to) {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    const std::size_t letter = letters.find(from[1]);
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

  bool read_word(const char* from, std::string_view word, const Node& meaning) {
    const auto rest = static_cast<std::size_t>(end_ - from);
    const bool same = rest >= word.size() && std::memcmp(from, word.data(), word.size()) == 0;
    if (!same || !is_end(from + word.size())) return fail(offset_of(from), "a value");
    assembler_.push() = meaning;
    return true;
  }

  bool read_number(const char* from) {
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
    if (at < end_ && (*at == '.' || *at == 'e' || *at == 'E')) return read_real(from, at);
    if (!is_end(at)) return fail(offset_of(from), "a number");
    // Nineteen digits fit into the magnitude, so they can be compared.
    constexpr std::uint64_t integer_max = 0x7FFFFFFFFFFFFFFF;
    if (count > 19 || magnitude > integer_max + (negative ? 1 : 0)) return real(from, at);
    assembler_.push() =
        Builder::integer(static_cast<std::int64_t>(negative ? ~magnitude + 1 : magnitude));
    return true;
  }

  // From the point or the exponent on.
  bool read_real(const char* from, const char* at) {
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
    return real(from, at);
  }

  bool real(const char* from, const char* to) {
    const std::string_view digits(from, static_cast<std::size_t>(to - from));
    const std::optional<double> number = read_decimal(digits);
    if (!number) {
      error_ = Error::bad_request(fmt::format("not JSON: {}: a number that is too large",
                                              place_of(text_, offset_of(from))));
      return false;
    }
    assembler_.push() = Builder::real(*number);
    return true;
  }

  bool is_end(const char* at) const {
    return at == end_ || ends_scalar[static_cast<unsigned char>(*at)];
  }

  std::size_t offset_of(const char* at) const { return static_cast<std::size_t>(at - copy_); }

  std::string_view text_;  // as it came, for the words of errors
  char* copy_;
  const char* end_;
  const char* backslash_ = nullptr;
  const std::uint32_t* token_;
  const std::uint32_t* tokens_end_;
  std::size_t string_bytes_ = 0;
  Assembler& assembler_;
  const ParseOptions& options_;
  Error error_{};
};

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
  // Each node is followed by one token that is not a node (colon, comma or a closing one): the
  // arena gets one block for nodes and text that is neither too small nor too large.
  const std::size_t node_bytes = (tokens.size() + 1) / 2 * sizeof(Node);
  Builder builder(node_bytes + text.size());
  const std::span<char> copy = builder.text_room(text.size());
  std::memcpy(copy.data(), text.data(), text.size());
  work_->assembler.begin(builder, options);
  Decoder decoder(text, tokens, copy.data(), work_->assembler, options);
  const bool well = decoder.read_document();
  const Node root = well ? work_->assembler.root() : Node();
  if (text.size() > json_text_bytes_kept_max) {
    work_->structure.shrink(json_text_bytes_kept_max);
    work_->assembler.shrink(json_text_bytes_kept_max / 2);
  }
  if (!well) return std::move(decoder.error());
  Value value = std::move(builder).finish(root);
  // Much white space or many numbers: then the text is too large to be kept for its strings.
  const std::size_t unused = text.size() - decoder.string_bytes();
  const bool wasteful = unused > 256 && unused > (node_bytes + text.size()) / 4;
  return wasteful ? Value::copy_of(value) : value;
}

Result<Value> parse_json(std::string_view text, const ParseOptions& options) {
  // Memory to work in and nothing else: no result depends on what an earlier text left there.
  thread_local JsonReader reader;
  return reader.read(text, options);
}

}  // namespace muster::objects
