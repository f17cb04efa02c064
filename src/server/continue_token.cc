// SPDX-License-Identifier: Apache-2.0
#include "server/continue_token.h"

#include <array>
#include <cstdint>

#include "objects/json.h"

namespace muster::server {

using objects::Value;

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view token_version = "meta.k8s.io/v1";
constexpr std::size_t token_bytes_max = 2'048;

std::string encode(std::string_view bytes) {
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char byte : bytes) {
    bits = (bits << 8) | static_cast<unsigned char>(byte);
    held += 8;
    while (held >= 6) {
      held -= 6;
      out += alphabet[(bits >> held) & 63U];
    }
  }
  if (held > 0) out += alphabet[(bits << (6 - held)) & 63U];
  return out;
}

std::optional<std::string> decode(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char symbol : text) {
    const std::size_t value = alphabet.find(symbol);
    if (value == std::string_view::npos) return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out += static_cast<char>((bits >> held) & 255U);
  }
  return out;
}

}  // namespace

std::string write_continue_token(const ContinueToken& token) {
  const bool consistent = !token.revision.is_none();
  return encode(objects::to_json(Value::object(
      {{"v", Value::string(token_version)},
       {"rv", Value::integer(consistent ? static_cast<std::int64_t>(token.revision.value) : -1)},
       {"start", Value::string(token.after + '\0')}})));
}

std::optional<ContinueToken> read_continue_token(std::string_view text) {
  if (text.size() > token_bytes_max) return std::nullopt;
  while (text.ends_with('=')) text.remove_suffix(1);
  const auto json = decode(text);
  if (!json) return std::nullopt;
  const auto token = objects::parse_json(*json);
  if (!token || (*token)["v"].string_or("") != token_version) return std::nullopt;
  const std::int64_t revision = (*token)["rv"].integer_or(0);
  std::string_view start = (*token)["start"].string_or("");
  if (revision == 0 || revision < -1 || start.empty()) return std::nullopt;
  if (start.ends_with('\0')) start.remove_suffix(1);
  return ContinueToken{
      revision < 0 ? store::Revision() : store::Revision{static_cast<std::uint64_t>(revision)},
      std::string(start)};
}

}  // namespace muster::server
