// Authentication: who asks. A client presents a bearer token or a certificate of our authority;
// nobody else is anybody, and only health and version are answered to nobody (system:anonymous).
// Tokens are people's (kept as digests: whoever reads them cannot use them) or service accounts'
// (signed).
//
//   const Secret token = make_token(random);                      // given to its bearer, once
//   Authenticator authenticator(clock);
//   authenticator.accept({.digest = digest_of(token.reveal()), .identity = admin_identity()});
//   const Authenticated who = TRY(authenticator.authenticate({.authorization = header}, path));
//
// Assumes: it may be asked on any thread, and tokens may be replaced while it is. Whether what a
// service account's token is bound to still exists, is for the house to say (bound_trouble).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/instant.h"
#include "base/random.h"
#include "base/result.h"
#include "base/secret.h"
#include "server/certificates.h"
#include "server/request.h"
#include "server/service_account_token.h"
#include "server/token_signer.h"

namespace muster::server {

inline constexpr std::size_t tokens_max = 1'024;
// Signatures of tokens that need not be looked at again.
inline constexpr std::size_t signatures_kept_max = 1'024;

// SHA-256 of a token.
using TokenDigest = std::array<std::byte, 32>;

TokenDigest digest_of(std::string_view token);

// 256 bits of it, as 43 characters that need no quoting.
Secret make_token(Random& random);

struct TokenRecord {
  TokenDigest digest;
  Identity identity;
  std::optional<Instant> expires = {};
};

std::string digest_text(const TokenDigest& digest);
std::optional<TokenDigest> parse_digest(std::string_view text);

// What a client presents.
struct Credentials {
  std::string_view authorization = {};              // the header; empty when there is none
  const CertificateSubject* certificate = nullptr;  // verified in the handshake
};

struct Authenticated {
  Identity identity;
  std::shared_ptr<const ServiceAccountToken> bound = {};  // of a service account's token
};

class Authenticator {
 public:
  // Without a signer no service account has a token. It outlives this.
  explicit Authenticator(const Clock& clock, const TokenSigner* signer = nullptr)
      : clock_(clock), signer_(signer) {}

  // A token that holds as long as the process. Fails with too_large beyond tokens_max.
  Result<> accept(TokenRecord record);

  // Takes the place of those that were given here before.
  void set_tokens(std::vector<TokenRecord> records);

  // The path decides only whether nobody may ask. Fails with `unauthorized`, also for credentials
  // that are wrong, expired or for somebody else.
  Result<Authenticated> authenticate(const Credentials& credentials, std::string_view path) const;

  // A token alone, for one of these audiences; none: for this server. The error's message says
  // what kube-apiserver says in a TokenReview.
  Result<Authenticated> authenticate_token(std::string_view token,
                                           std::span<const std::string> audiences) const;

 private:
  using Verified = std::shared_ptr<const ServiceAccountToken>;

  std::optional<Identity> find(std::string_view token) const;
  Result<Verified> verified(std::string_view token) const;

  const Clock& clock_;
  const TokenSigner* signer_;
  mutable std::mutex mutex_;
  std::map<TokenDigest, TokenRecord> lasting_;          // under mutex_
  std::map<TokenDigest, TokenRecord> records_;          // under mutex_
  mutable std::map<TokenDigest, Verified> signatures_;  // under mutex_: those that were right
};

// The token of an Authorization header, whose scheme may be written in any case.
std::optional<std::string_view> bearer_token(std::string_view authorization);

// Health and version: what is answered without knowing who asks.
bool is_public_path(std::string_view path);

}  // namespace muster::server
