// SPDX-License-Identifier: Apache-2.0
#include "server/continue_token.h"

#include <fmt/format.h>

#include <cstdint>

#include "objects/go_json_error.h"
#include "objects/json.h"

namespace muster::server {

using objects::Value;
using objects::View;

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

Error refusal(std::string_view why) {
  return Error::bad_request(
      fmt::format("invalid continue token: continue key is not valid: {}", why));
}

Error no_base64(std::size_t at) {
  return refusal(fmt::format("illegal base64 data at input byte {}", at));
}

Result<std::string> decode(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t value = alphabet.find(text[at]);
    if (value == std::string_view::npos) return no_base64(at);
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out += static_cast<char>((bits >> held) & 255U);
  }
  if (text.size() % 4 == 1) return no_base64(text.size() - 1);
  return out;
}

// Whether the key is a path without empty steps, and without steps that lead elsewhere.
bool is_clean(std::string_view key) {
  if (key.starts_with('/')) key.remove_prefix(1);
  while (true) {
    const std::size_t slash = key.find('/');
    const std::string_view step = key.substr(0, slash);
    if (step.empty() || step == "." || step == "..") return false;
    if (slash == std::string_view::npos) return true;
    key.remove_prefix(slash + 1);
  }
}

// What Go says of a token that does not fit its struct; empty where it fits.
std::string why_it_does_not_fit(View token) {
  const auto word = [](View value) -> std::string_view {
    if (value.is_boolean()) return "bool";
    return value.is_number() ? "number" : objects::type_name(value.type());
  };
  if (!token.is_object() && !token.is_null()) {
    return fmt::format("json: cannot unmarshal {} into Go value of type storage.continueToken",
                       word(token));
  }
  for (const std::string_view field : {"v", "rv", "start"}) {
    const View value = token[field];
    const bool fits = field == "rv" ? value.is_integer() : value.is_string();
    if (value.is_absent() || value.is_null() || fits) continue;
    return fmt::format("json: cannot unmarshal {} into Go struct field continueToken.{} of type {}",
                       word(value), field, field == "rv" ? "int64" : "string");
  }
  return {};
}

}  // namespace

std::string write_continue_token(const ContinueToken& token) {
  const bool consistent = !token.revision.is_none();
  return encode(objects::to_json(Value::object(
      {{"v", Value::string(token_version)},
       {"rv", Value::integer(consistent ? static_cast<std::int64_t>(token.revision.value) : -1)},
       {"start", Value::string(token.after + '\0')}})));
}

Result<ContinueToken> read_continue_token(std::string_view text) {
  if (text.size() > token_bytes_max) return refusal("it is too long");
  const std::string json = TRY(decode(text));
  const auto token = objects::parse_json(json);
  if (!token) return refusal(objects::go_json_error(json).value_or(token.error().message));
  if (const std::string why = why_it_does_not_fit(*token); !why.empty()) return refusal(why);
  const std::string_view version = (*token)["v"].string_or("");
  if (version != token_version) {
    return refusal(fmt::format("server does not recognize this encoded version {}", version));
  }
  const std::int64_t revision = (*token)["rv"].integer_or(0);
  if (revision == 0 || revision < -1) {
    return refusal(
        fmt::format("incorrect encoded start resourceVersion (version {})", token_version));
  }
  std::string_view start = (*token)["start"].string_or("");
  if (start.empty()) {
    return refusal(fmt::format("encoded start key empty (version {})", token_version));
  }
  if (!is_clean(start)) return refusal(start);
  if (start.ends_with('\0')) start.remove_suffix(1);
  return ContinueToken{
      revision < 0 ? store::Revision() : store::Revision{static_cast<std::uint64_t>(revision)},
      std::string(start)};
}

}  // namespace muster::server
