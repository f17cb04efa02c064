// SPDX-License-Identifier: Apache-2.0
#include "server/authentication.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/check.h"
#include "server/authorization.h"

namespace muster::server {

namespace {

constexpr std::size_t token_bytes = 32;

// Base64 in the alphabet of addresses, without padding.
std::string in_base64_url(std::string_view bytes) {
  std::string text = base64_encode(bytes);
  while (text.ends_with('=')) text.pop_back();
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

std::string in_hex(const TokenDigest& digest) {
  std::string text;
  for (const std::byte byte : digest) {
    fmt::format_to(std::back_inserter(text), "{:02x}", std::to_integer<unsigned>(byte));
  }
  return text;
}

std::optional<TokenDigest> from_hex(std::string_view text) {
  TokenDigest digest{};
  if (text.size() != 2 * digest.size()) return std::nullopt;
  for (std::size_t at = 0; at < digest.size(); ++at) {
    unsigned byte = 0;
    const char* start = text.data() + 2 * at;
    const auto [end, fault] = std::from_chars(start, start + 2, byte, 16);
    if (fault != std::errc() || end != start + 2) return std::nullopt;
    digest[at] = static_cast<std::byte>(byte);
  }
  return digest;
}

std::string_view next_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\t'), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

// `digest name expiry group…`; the expiry is in seconds since the epoch, or "-".
std::optional<TokenRecord> parse_token_line(std::string_view line) {
  const std::optional<TokenDigest> digest = from_hex(next_word(line));
  const std::string_view name = next_word(line);
  const std::string_view expiry = next_word(line);
  if (!digest || name.empty() || expiry.empty()) return std::nullopt;
  TokenRecord record{.digest = *digest, .identity = {.name = std::string(name)}};
  if (expiry != "-") {
    constexpr std::int64_t seconds_max = 9'000'000'000;  // an Instant ends in 2262
    std::int64_t seconds = 0;
    const auto [end, fault] = std::from_chars(expiry.begin(), expiry.end(), seconds);
    if (fault != std::errc() || end != expiry.end()) return std::nullopt;
    if (seconds < 0 || seconds > seconds_max) return std::nullopt;
    record.expires = Instant{} + Span::of_seconds(seconds);
  }
  while (!line.empty()) record.identity.groups.emplace_back(next_word(line));
  return record;
}

Identity with_group(Identity identity, std::string_view group) {
  if (!is_in_group(identity, group)) identity.groups.emplace_back(group);
  return identity;
}

Error unauthorized() {
  return {ErrorCode::unauthorized, "Unauthorized"};
}

}  // namespace

TokenDigest digest_of(std::string_view token) {
  TokenDigest digest{};
  unsigned size = 0;
  const int done =
      EVP_Digest(token.data(), token.size(), reinterpret_cast<unsigned char*>(digest.data()), &size,
                 EVP_sha256(), nullptr);
  CHECK(done == 1 && size == digest.size());
  return digest;
}

Secret make_token(Random& random) {
  std::array<std::byte, token_bytes> bytes{};
  random.fill(bytes);
  Secret token(in_base64_url({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return token;
}

std::string token_file_text(const std::vector<TokenRecord>& records) {
  std::string text;
  for (const TokenRecord& record : records) {
    const std::string expiry =
        record.expires ? fmt::to_string(record.expires->nanoseconds / 1'000'000'000) : "-";
    text += fmt::format("{}\t{}\t{}", in_hex(record.digest), record.identity.name, expiry);
    for (const std::string& group : record.identity.groups) text += "\t" + group;
    text += "\n";
  }
  return text;
}

Result<std::vector<TokenRecord>> parse_token_file(std::string_view text) {
  if (text.size() > token_file_bytes_max)
    return Error::too_large("the file of tokens is too large");
  std::vector<TokenRecord> records;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    std::optional<TokenRecord> record = parse_token_line(line);
    if (!record) return Error::bad_request(fmt::format("line {} is no record of a token", number));
    if (records.size() == tokens_max) return Error::too_large("there are too many tokens");
    records.push_back(std::move(*record));
  }
  return records;
}

Result<> Authenticator::accept(TokenRecord record) {
  if (records_.size() == tokens_max) return Error::too_large("there are too many tokens");
  records_.push_back(std::move(record));
  return {};
}

// Looks at every record, whichever matches: how long it takes says nothing about the tokens.
const TokenRecord* Authenticator::find(std::string_view token) const {
  const TokenDigest digest = digest_of(token);
  const TokenRecord* found = nullptr;
  for (const TokenRecord& record : records_) {
    if (CRYPTO_memcmp(record.digest.data(), digest.data(), digest.size()) == 0) found = &record;
  }
  return found;
}

// A certificate speaks first, as it does in kube-apiserver.
Result<Identity> Authenticator::authenticate(const Credentials& credentials,
                                             std::string_view path) const {
  if (credentials.certificate != nullptr && !credentials.certificate->common_name.empty()) {
    return with_group({.name = credentials.certificate->common_name,
                       .groups = credentials.certificate->organizations},
                      authenticated_group);
  }
  if (credentials.authorization.empty()) {
    if (is_public_path(path)) return anonymous_identity();
    return unauthorized();
  }
  const std::optional<std::string_view> token = bearer_token(credentials.authorization);
  if (!token) return unauthorized();
  const TokenRecord* record = find(*token);
  if (record == nullptr) return unauthorized();
  if (record->expires && *record->expires <= clock_.wall()) return unauthorized();
  return with_group(record->identity, authenticated_group);
}

std::optional<std::string_view> bearer_token(std::string_view authorization) {
  constexpr std::string_view scheme = "bearer";
  const std::size_t space = authorization.find(' ');
  if (space != scheme.size()) return std::nullopt;
  for (std::size_t at = 0; at < scheme.size(); ++at) {
    if (!is_letter(authorization[at]) || (authorization[at] | 0x20) != scheme[at]) {
      return std::nullopt;
    }
  }
  std::string_view token = authorization.substr(space + 1);
  while (token.starts_with(' ')) token.remove_prefix(1);
  while (token.ends_with(' ')) token.remove_suffix(1);
  if (token.empty()) return std::nullopt;
  return token;
}

bool is_public_path(std::string_view path) {
  return RuleAuthorizer().allows({.identity = anonymous_identity(), .verb = "get", .path = path});
}

}  // namespace muster::server
