// The tokens of service accounts: what their claims say, and the identity they stand for. A token
// may be bound to a pod, a node or a secret, and ends with it: whether those are still there is
// asked where the objects are (check_bound).
//
//   const Value claims = claims_value({.subject = …, .audiences = {…}}, now);
//   const ServiceAccountToken token = TRY(read_service_account_token(claims));
//   const Identity who = identity_of(token);      // system:serviceaccount:<namespace>:<name>
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "objects/value.h"
#include "server/outcome.h"
#include "server/request.h"

namespace muster::server {

struct Context;

inline constexpr std::string_view token_issuer = "https://kubernetes.default.svc";
inline constexpr std::string_view service_accounts_group = "system:serviceaccounts";
inline constexpr std::string_view service_account_user_prefix = "system:serviceaccount:";

// Clocks may differ by so much.
inline constexpr Span token_leeway = Span::of_seconds(60);

struct ServiceAccountToken {
  struct Reference {
    std::string name;
    std::string uid;
  };

  std::string name_space;
  Reference account;
  std::optional<Reference> pod = {};
  std::optional<Reference> node = {};
  std::optional<Reference> secret = {};
  std::vector<std::string> audiences = {};
  std::string id = {};  // jti
  Instant issued = {};
  Instant not_before = {};
  Instant expires = {};
  std::optional<Instant> warn_after = {};
};

objects::Value claims_value(const ServiceAccountToken& token);

// Fails with unauthorized for claims that are no service account's, or another issuer's.
Result<ServiceAccountToken> read_service_account_token(objects::View claims);

Identity identity_of(const ServiceAccountToken& token);

// Groups of a service account: all of them, and those of its namespace.
std::vector<std::string> service_account_groups(std::string_view name_space);

// Namespace and name of `system:serviceaccount:a:bot`; nothing for other users.
struct ServiceAccountName {
  std::string_view name_space;
  std::string_view name;
};
std::optional<ServiceAccountName> service_account_of(std::string_view user);

// Why the token is no longer good: its account, or what it is bound to, is gone or another. Nothing
// where it is good.
std::optional<std::string> bound_trouble(const Context& context, const ServiceAccountToken& token);

}  // namespace muster::server
