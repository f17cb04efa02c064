// Authentication: who asks. A client presents a bearer token or a certificate of our authority;
// nobody else is anybody, and only health and version are answered to nobody. Tokens are kept as
// digests: whoever reads the file of tokens cannot use them.
//
//   const Secret token = make_token(random);                      // given to its bearer, once
//   Authenticator authenticator(clock);
//   authenticator.accept({.digest = digest_of(token.reveal()), .identity = admin_identity()});
//   const Identity who = TRY(authenticator.authenticate({.authorization = header}, path));
//
// Assumes: it is filled before it is shared; then it may be asked on any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
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

namespace muster::server {

inline constexpr std::size_t tokens_max = 1'024;
inline constexpr std::size_t token_file_bytes_max = std::size_t{1024} * 1024;

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

// The file of tokens: a line for each, `digest name expiry group…`, separated by tabs.
std::string token_file_text(const std::vector<TokenRecord>& records);
Result<std::vector<TokenRecord>> parse_token_file(std::string_view text);

// What a client presents.
struct Credentials {
  std::string_view authorization = {};              // the header; empty when there is none
  const CertificateSubject* certificate = nullptr;  // verified in the handshake
};

class Authenticator {
 public:
  explicit Authenticator(const Clock& clock) : clock_(clock) {}

  // Fails with too_large beyond tokens_max.
  Result<> accept(TokenRecord record);

  // The path decides only whether nobody may ask. Fails with `unauthorized`.
  Result<Identity> authenticate(const Credentials& credentials, std::string_view path) const;

 private:
  const TokenRecord* find(std::string_view token) const;

  const Clock& clock_;
  std::vector<TokenRecord> records_;
};

// The token of an Authorization header, whose scheme may be written in any case.
std::optional<std::string_view> bearer_token(std::string_view authorization);

// Health and version: what is answered without knowing who asks.
bool is_public_path(std::string_view path);

}  // namespace muster::server
