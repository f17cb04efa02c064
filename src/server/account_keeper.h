// AccountKeeper: the service account `default` and the config map `kube-root-ca.crt` that every
// namespace has by itself. It also fills
// Secrets of the type kubernetes.io/service-account-token, and hands the authenticator the tokens
// that are kept as Secrets of the type muster.dev/token in kube-system.
//
//   AccountKeeper keeper(context, {.authority_pem = …, .authenticator = &authenticator});
//   keeper.start();                                   // the cache is loaded
//   cache.set_on_change([&](const CacheChange& change) { keeper.on_change(change); });
//
// A token record:  data: {digest, user, groups (one a line), expires (RFC 3339), description}
//
// Assumes: the house thread. A record that cannot be read is no token.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "server/authentication.h"
#include "server/context.h"
#include "server/object_cache.h"
#include "server/write.h"

namespace muster::server {

inline constexpr std::string_view token_secret_type = "muster.dev/token";
inline constexpr std::string_view token_namespace = "kube-system";
inline constexpr std::string_view account_secret_type = "kubernetes.io/service-account-token";

// The record of a Secret that is one; nothing where it cannot be read.
std::optional<TokenRecord> read_token_secret(objects::View secret);

// The Secret of a record, without a name.
objects::Value token_secret(const TokenRecord& record, std::string_view description);

class AccountKeeper {
 public:
  struct Options {
    std::string authority_pem = {};          // told in Secrets and in kube-root-ca.crt
    Authenticator* authenticator = nullptr;  // null: nobody wants the tokens
  };

  AccountKeeper(Context& context, Options options)
      : context_(context), options_(std::move(options)) {}
  AccountKeeper(const AccountKeeper&) = delete;
  AccountKeeper& operator=(const AccountKeeper&) = delete;
  ~AccountKeeper() { *alive_ = false; }

  void start();
  void on_change(const CacheChange& change);

 private:
  void look_at(std::string name_space);
  void turn();
  void ensure(std::string_view plural, const std::string& name_space, std::string_view name,
              const objects::Value& body);
  void keep_certificate(const std::string& name_space);
  void fill_account_secret(const CachedObject& secret);
  void tell_tokens();
  bool is_open(const std::string& name_space) const;

  Context& context_;
  Options options_;
  std::set<std::string> namespaces_;  // to be looked at
  std::set<std::string> secrets_;     // "namespace/name", of service accounts, to be filled
  bool tokens_changed_ = false;
  bool turn_posted_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::server
