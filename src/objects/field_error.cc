// SPDX-License-Identifier: Apache-2.0
#include "objects/field_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "objects/builder.h"
#include "objects/go_number.h"

namespace muster::objects {

namespace {

// Length of the valid UTF-8 sequence at the front, 0 where there is none.
std::size_t sequence_length(std::string_view text) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

void append_go_escape(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\a':
      out += "\\a";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\v':
      out += "\\v";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || byte == 0x7F) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
  } else {
    out += c;
  }
}

// Digits and a power of ten without an exponent: 12 and 5 are 1200000, 12 and -3 are 0.012.
void append_plain(std::string_view digits, int exponent, std::string& out) {
  if (exponent >= 0) {
    out += digits;
    out.append(static_cast<std::size_t>(exponent), '0');
    return;
  }
  const auto fraction = static_cast<std::size_t>(-exponent);
  if (fraction < digits.size()) {
    out += digits.substr(0, digits.size() - fraction);
    out += '.';
    out += digits.substr(digits.size() - fraction);
  } else {
    out += "0.";
    out.append(fraction - digits.size(), '0');
    out += digits;
  }
}

// A float64 inside JSON, or a bound: the shortest digits that read back, with an exponent only
// below 1e-6 and from 1e21 on.
void append_real(double number, std::string& out) {
  std::string text = fmt::format("{}", number);
  const std::size_t mark = text.find('e');
  if (mark == std::string::npos) {
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    out += text;
    return;
  }
  const int power = std::atoi(text.c_str() + mark + 1);
  const double magnitude = std::fabs(number);
  if (magnitude < 1e-6 || magnitude >= 1e21) {
    fmt::format_to(std::back_inserter(out), "{}e{:+}", text.substr(0, mark), power);
    return;
  }
  std::string digits = text.substr(0, mark);
  if (digits.starts_with('-')) {
    out += '-';
    digits.erase(0, 1);
  }
  const std::size_t point = digits.find('.');
  const std::size_t after = point == std::string::npos ? 0 : digits.size() - point - 1;
  if (point != std::string::npos) digits.erase(point, 1);
  append_plain(digits, power - static_cast<int>(after), out);
}

void append_json_string(std::string_view text, std::string& out) {
  out += '"';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || c == '<' || c == '>' || c == '&') {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_go_json(View value, MemberOrder order, std::string& out) {
  switch (value.type()) {
    case Type::absent:
    case Type::null:
      out += "null";
      return;
    case Type::boolean:
      out += value.boolean_or(false) ? "true" : "false";
      return;
    case Type::integer:
      fmt::format_to(std::back_inserter(out), "{}", value.integer_or(0));
      return;
    case Type::real:
      append_real(value.real().value_or(0), out);
      return;
    case Type::string:
      append_json_string(value.string_or(""), out);
      return;
    case Type::array: {
      out += '[';
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (i > 0) out += ',';
        append_go_json(value[i], order, out);
      }
      out += ']';
      return;
    }
    case Type::object:
      break;
  }
  std::vector<MemberView> members;
  members.reserve(value.size());
  for (MemberView member : value.members()) members.push_back(member);
  if (order == MemberOrder::sorted) {
    std::sort(members.begin(), members.end(),
              [](const MemberView& a, const MemberView& b) { return a.key < b.key; });
  }
  out += '{';
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(members[i].key, out);
    out += ':';
    append_go_json(members[i].value, order, out);
  }
  out += '}';
}

void append_path(const PathFrame& frame, bool dotted, std::string& out) {
  if (frame.parent != nullptr) append_path(*frame.parent, dotted, out);
  switch (frame.step) {
    case PathFrame::Step::root:
      return;
    case PathFrame::Step::element:
      fmt::format_to(std::back_inserter(out), "[{}]", frame.index);
      return;
    case PathFrame::Step::map_key:
      if (!dotted) {
        out += '[';
        out += frame.name;
        out += ']';
        return;
      }
      [[fallthrough]];
    case PathFrame::Step::field:
      if (!out.empty()) out += '.';
      out += frame.name;
      return;
  }
}

std::string_view type_text(FieldError::Type type) {
  switch (type) {
    case FieldError::Type::required:
      return "Required value";
    case FieldError::Type::duplicate:
      return "Duplicate value";
    case FieldError::Type::invalid:
    case FieldError::Type::type_invalid:
      return "Invalid value";
    case FieldError::Type::not_supported:
      return "Unsupported value";
    case FieldError::Type::forbidden:
      return "Forbidden";
    case FieldError::Type::too_long:
      return "Too long";
    case FieldError::Type::too_many:
      return "Too many";
    case FieldError::Type::too_few:
      return "Too few";
    case FieldError::Type::not_found:
      return "Not found";
    case FieldError::Type::internal:
      return "Internal error";
  }
  return "";
}

// The controls beyond ASCII, the blank that does not break and the soft hyphen.
bool is_unprintable(std::string_view sequence) {
  if (sequence.size() != 2 || sequence[0] != '\xc2') return false;
  const auto last = static_cast<unsigned char>(sequence[1]);
  return last <= 0xa0 || last == 0xad;
}

}  // namespace

std::string go_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 1) {
      append_go_escape(text[0], out);
    } else if (length == 0) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (is_unprintable(text.substr(0, length))) {
      fmt::format_to(std::back_inserter(out), "\\u00{:02x}", static_cast<unsigned char>(text[1]));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  out += '"';
  return out;
}

std::string go_printed(View value) {
  if (auto text = value.string()) return go_quoted(*text);
  std::string out;
  if (value.is_real()) {
    append_go_real(value.node().real, out);
  } else {
    append_go_json(value, MemberOrder::sorted, out);
  }
  return out;
}

std::string go_json(View value, MemberOrder order) {
  std::string out;
  append_go_json(value, order, out);
  return out;
}

std::string bound_text(double bound) {
  std::string out;
  append_real(bound, out);
  return out;
}

std::string PathFrame::to_string() const {
  std::string out;
  append_path(*this, false, out);
  return out;
}

std::string PathFrame::to_dotted_string() const {
  std::string out;
  append_path(*this, true, out);
  return out;
}

FieldError FieldError::required(std::string path, std::string detail) {
  return {Type::required, std::move(path), {}, std::move(detail)};
}

FieldError FieldError::invalid(std::string path, View value, std::string detail) {
  return {Type::invalid, std::move(path), go_printed(value), std::move(detail)};
}

FieldError FieldError::type_invalid(std::string path, View value, std::string detail) {
  return {Type::type_invalid, std::move(path), go_printed(value), std::move(detail)};
}

FieldError FieldError::duplicate(std::string path, View value) {
  return {Type::duplicate, std::move(path), go_printed(value), {}};
}

FieldError FieldError::not_supported(std::string path, View value,
                                     std::span<const std::string> supported) {
  std::string detail;
  for (const std::string& choice : supported) {
    detail += detail.empty() ? "supported values: " : ", ";
    detail += go_quoted(choice);
  }
  return {Type::not_supported, std::move(path), go_printed(value), std::move(detail)};
}

FieldError FieldError::forbidden(std::string path, std::string detail) {
  return {Type::forbidden, std::move(path), {}, std::move(detail)};
}

FieldError FieldError::too_long(std::string path, std::size_t bytes_max) {
  return {Type::too_long,
          std::move(path),
          {},
          fmt::format("may not be more than {} byte{}", bytes_max, bytes_max == 1 ? "" : "s")};
}

FieldError FieldError::too_many(std::string path, std::size_t count, std::size_t count_max) {
  return {Type::too_many, std::move(path), fmt::format("{}", count),
          fmt::format("must have at most {} item{}", count_max, count_max == 1 ? "" : "s")};
}

FieldError FieldError::not_found(std::string path, View value) {
  return {Type::not_found, std::move(path), go_printed(value), {}};
}

FieldError FieldError::internal(std::string path, std::string detail) {
  return {Type::internal, std::move(path), {}, std::move(detail)};
}

std::string FieldError::body() const {
  std::string out(type_text(type));
  if (!value.empty()) {
    out += ": ";
    out += value;
  }
  if (!detail.empty()) {
    out += ": ";
    out += detail;
  }
  return out;
}

std::string FieldError::to_string() const {
  return fmt::format("{}: {}", path.empty() ? "<nil>" : path, body());
}

std::string_view FieldError::reason() const {
  switch (type) {
    case Type::required:
      return "FieldValueRequired";
    case Type::duplicate:
      return "FieldValueDuplicate";
    case Type::invalid:
      return "FieldValueInvalid";
    case Type::type_invalid:
      return "FieldValueTypeInvalid";
    case Type::not_supported:
      return "FieldValueNotSupported";
    case Type::forbidden:
      return "FieldValueForbidden";
    case Type::too_long:
      return "FieldValueTooLong";
    case Type::too_many:
      return "FieldValueTooMany";
    case Type::too_few:
      return "FieldValueTooFew";
    case Type::not_found:
      return "FieldValueNotFound";
    case Type::internal:
      return "InternalError";
  }
  return "";
}

void FieldErrors::add(FieldError error) {
  if (!is_full()) errors_.push_back(std::move(error));
}

void FieldErrors::add_all(FieldErrors errors) {
  for (FieldError& error : errors.errors_) add(std::move(error));
}

void FieldErrors::truncate(std::size_t count) {
  if (count < errors_.size()) errors_.resize(count);
}

std::string FieldErrors::to_string() const {
  std::vector<std::string> texts;
  for (const FieldError& error : errors_) {
    std::string text = error.to_string();
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
      texts.push_back(std::move(text));
    }
  }
  if (texts.size() == 1) return texts[0];
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string FieldErrors::message(std::string_view kind, std::string_view name) const {
  return fmt::format("{} {} is invalid: {}", kind, go_quoted(name), to_string());
}

Value FieldErrors::causes() const {
  Builder builder;
  std::vector<Node> causes;
  for (const FieldError& error : errors_) {
    const Node::Member members[] = {
        {Builder::literal("reason"), Builder::literal(error.reason())},
        {Builder::literal("message"), builder.text(error.body())},
        {Builder::literal("field"), builder.text(error.path.empty() ? "<nil>" : error.path)},
    };
    causes.push_back(builder.object(members));
  }
  const Node root = builder.array(causes);
  return std::move(builder).finish(root);
}

}  // namespace muster::objects
