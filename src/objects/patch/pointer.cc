// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/pointer.h"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace muster::objects {

namespace {

std::string unescape(std::string_view token) {
  std::string out;
  out.reserve(token.size());
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char next = i + 1 < token.size() ? token[i + 1] : '\0';
    if (token[i] == '~' && (next == '0' || next == '1')) {
      out.push_back(next == '0' ? '~' : '/');
      ++i;
    } else {
      out.push_back(token[i]);
    }
  }
  return out;
}

bool is_decimal(std::string_view digits) {
  if (digits.empty() || (digits.size() > 1 && digits.front() == '0')) return false;
  return digits.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Result<Pointer> Pointer::parse(std::string_view text) {
  Pointer pointer;
  if (text.empty()) return pointer;
  if (text.front() != '/') {
    return Error::bad_request("a JSON pointer must be empty or begin with a slash");
  }
  while (!text.empty()) {
    text.remove_prefix(1);  // the slash
    const std::size_t end = std::min(text.find('/'), text.size());
    pointer.tokens_.push_back(unescape(text.substr(0, end)));
    text.remove_prefix(end);
  }
  return pointer;
}

std::string Pointer::to_string() const {
  std::string out;
  for (const std::string& token : tokens_) {
    out.push_back('/');
    out += escape_pointer_token(token);
  }
  return out;
}

std::string escape_pointer_token(std::string_view token) {
  std::string out;
  out.reserve(token.size());
  for (const char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

ArrayIndex array_index(std::string_view token, std::size_t size) {
  using Kind = ArrayIndex::Kind;
  if (token == "-") return {.kind = Kind::end, .value = size};
  const bool negative = token.starts_with('-');
  const std::string_view digits = token.substr(negative ? 1 : 0);
  if (!is_decimal(digits) || (negative && digits == "0")) return {.kind = Kind::not_a_number};
  std::int64_t number = 0;
  const auto parsed = std::from_chars(token.data(), token.data() + token.size(), number);
  if (parsed.ec != std::errc()) return {.kind = Kind::too_large};
  const auto magnitude = static_cast<std::uint64_t>(negative ? -(number + 1) : number);
  if (negative) {
    // -1 is the last element: magnitude 0.
    if (magnitude >= size) return {.kind = Kind::out_of_bounds, .number = token};
    return {.kind = Kind::element, .value = size - 1 - magnitude};
  }
  if (magnitude < size) return {.kind = Kind::element, .value = magnitude};
  if (magnitude == size) return {.kind = Kind::end, .value = size, .number = token};
  return {.kind = Kind::out_of_bounds, .number = token};
}

View at(View root, const Pointer& pointer) {
  for (const std::string& token : pointer.tokens()) {
    if (root.is_array()) {
      const ArrayIndex index = array_index(token, root.size());
      root = index.kind == ArrayIndex::Kind::element ? root[index.value] : View();
    } else {
      root = root[token];
    }
  }
  return root;
}

}  // namespace muster::objects
