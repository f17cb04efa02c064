// SPDX-License-Identifier: Apache-2.0
#include "server/authentication.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/ascii.h"
#include "base/check.h"
#include "server/authorization.h"
#include "server/policy_rule.h"

namespace muster::server {

namespace {

constexpr std::size_t token_bytes = 32;

Identity with_group(Identity identity, std::string_view group) {
  if (!is_in_group(identity, group)) identity.groups.emplace_back(group);
  return identity;
}

Error unauthorized() {
  return {ErrorCode::unauthorized, "Unauthorized"};
}

}  // namespace

std::string digest_text(const TokenDigest& digest) {
  std::string text;
  for (const std::byte byte : digest) {
    fmt::format_to(std::back_inserter(text), "{:02x}", std::to_integer<unsigned>(byte));
  }
  return text;
}

std::optional<TokenDigest> parse_digest(std::string_view text) {
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
  Secret token(base64_url_encode({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return token;
}

Result<> Authenticator::accept(TokenRecord record) {
  const std::lock_guard lock(mutex_);
  if (lasting_.size() == tokens_max) return Error::too_large("there are too many tokens");
  lasting_.insert_or_assign(record.digest, std::move(record));
  return {};
}

void Authenticator::set_tokens(std::vector<TokenRecord> records) {
  std::map<TokenDigest, TokenRecord> next;
  for (TokenRecord& record : records) {
    if (next.size() == tokens_max) break;
    next.insert_or_assign(record.digest, std::move(record));
  }
  const std::lock_guard lock(mutex_);
  records_ = std::move(next);
}

// Found by its digest: how long that takes says something about the digest, which is no secret.
std::optional<Identity> Authenticator::find(std::string_view token) const {
  const TokenDigest digest = digest_of(token);
  const std::lock_guard lock(mutex_);
  for (const auto* tokens : {&lasting_, &records_}) {
    const auto found = tokens->find(digest);
    if (found == tokens->end()) continue;
    const TokenRecord& record = found->second;
    if (record.expires && *record.expires <= clock_.wall()) return std::nullopt;
    return record.identity;
  }
  return std::nullopt;
}

Result<Authenticator::Verified> Authenticator::verified(std::string_view token) const {
  const TokenDigest digest = digest_of(token);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = signatures_.find(digest); known != signatures_.end()) {
      return known->second;
    }
  }
  const objects::Value claims = TRY(signer_->verify(token));
  auto read = std::make_shared<const ServiceAccountToken>(TRY(read_service_account_token(claims)));
  const std::lock_guard lock(mutex_);
  if (signatures_.size() >= signatures_kept_max) signatures_.clear();
  signatures_.emplace(digest, read);
  return Verified(std::move(read));
}

// A certificate speaks first, as it does in kube-apiserver.
Result<Authenticated> Authenticator::authenticate(const Credentials& credentials,
                                                  std::string_view path) const {
  if (credentials.certificate != nullptr && !credentials.certificate->common_name.empty()) {
    const CertificateSubject& subject = *credentials.certificate;
    Identity identity = with_group({.name = subject.common_name, .groups = subject.organizations},
                                   authenticated_group);
    if (!subject.fingerprint.empty()) {
      identity.extra.emplace_back("authentication.kubernetes.io/credential-id",
                                  std::vector<std::string>{"X509SHA256=" + subject.fingerprint});
    }
    return Authenticated{std::move(identity)};
  }
  const auto token = bearer_token(credentials.authorization);
  if (!token) {
    if (!is_public_path(path)) return unauthorized();
    return Authenticated{anonymous_identity()};
  }
  auto who = authenticate_token(*token, {});
  if (!who) return unauthorized();
  return who;
}

Result<Authenticated> Authenticator::authenticate_token(
    std::string_view token, std::span<const std::string> audiences) const {
  const auto refused = [](std::string why) {
    return Error{ErrorCode::unauthorized, std::move(why)};
  };
  const std::string issuer(token_issuer);
  const std::span<const std::string> wanted = audiences.empty() ? std::span(&issuer, 1) : audiences;
  const auto is_wanted = [&](const std::string& audience) {
    return std::find(wanted.begin(), wanted.end(), audience) != wanted.end();
  };
  constexpr std::string_view invalid = "invalid bearer token";
  if (auto identity = find(token)) {
    if (!is_wanted(issuer)) return refused(std::string(invalid));
    return Authenticated{with_group(std::move(*identity), authenticated_group)};
  }
  if (signer_ == nullptr || !is_web_token(token)) return refused(std::string(invalid));
  auto bound = verified(token);
  if (!bound) return refused(std::string(invalid));
  const ServiceAccountToken& read = **bound;
  if (std::none_of(read.audiences.begin(), read.audiences.end(), is_wanted)) {
    return refused(fmt::format("[{}, token audiences {} is invalid for the target audiences {}]",
                               invalid, quoted_list(read.audiences), quoted_list(wanted)));
  }
  const Instant now = clock_.wall();
  const auto late = [&](std::string_view why) {
    return refused(fmt::format("[{}, service account token {}]", invalid, why));
  };
  if (now > read.expires + token_leeway) return late("has expired");
  if (now + token_leeway < read.not_before) return late("is not valid yet");
  if (now + token_leeway < read.issued) return late("is issued in the future");
  return Authenticated{identity_of(read), std::move(bound).take()};
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
  return path == "/healthz" || path == "/livez" || path == "/readyz" || path == "/version" ||
         path == "/version/";
}

}  // namespace muster::server
