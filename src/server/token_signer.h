// TokenSigner: JSON Web Tokens signed with ES256 (ECDSA on P-256). The key is made at the first
// start and kept beside the authority's; whoever holds a token proves with it what its claims say.
//
//   const TokenSigner signer = TRY(TokenSigner::of_key(TRY(TokenSigner::make_key()).reveal()));
//   const std::string token = TRY(signer.sign(claims));
//   const objects::Value claims = TRY(signer.verify(token));    // unauthorized, if it is not ours
//
// Assumes: verify() and sign() may be called on any thread. Times and audiences are the caller's to
// judge.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "objects/value.h"

namespace muster::server {

// Longer texts are no token of ours, and nobody looks at them.
inline constexpr std::size_t web_token_bytes_max = std::size_t{16} * 1024;

class TokenSigner {
 public:
  // A new private key in PEM form.
  static Result<Secret> make_key();
  static Result<TokenSigner> of_key(std::string_view key_pem);

  TokenSigner(TokenSigner&&) noexcept;
  TokenSigner& operator=(TokenSigner&&) noexcept;
  ~TokenSigner();

  Result<std::string> sign(objects::View claims) const;

  // The claims, if the token has the form of one, names our key, and its signature is right.
  Result<objects::Value> verify(std::string_view token) const;

  // What `kid` says: a digest of the public key.
  const std::string& key_id() const { return key_id_; }

  // {"keys": [the public key]}: for others who want to verify tokens.
  objects::Value key_set() const;

 private:
  struct Key;
  TokenSigner(std::unique_ptr<Key> key, std::string key_id);

  std::unique_ptr<Key> key_;
  std::string key_id_;
};

// Whether the text has the three parts of a web token: what else it is, verify() says.
bool is_web_token(std::string_view text);

// Base64 in the alphabet of addresses, without padding.
std::string base64_url_encode(std::string_view bytes);
Result<std::string> base64_url_decode(std::string_view text);

}  // namespace muster::server
