// Impersonation: somebody who may acts as somebody else, by the headers Impersonate-User, -Group,
// -Uid and -Extra-<key>. Each of them is a question to the authorizer: the verb `impersonate` on
// users, groups, service accounts, uids and userextras.
//
//   const Identity acting = ALLOWED(impersonated(context, request.identity,
//   request.impersonation));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/context.h"
#include "server/outcome.h"
#include "server/request.h"

namespace muster::server {

// Without such headers the identity itself.
Outcome<Identity> impersonated(const Context& context, const Identity& asker,
                               const ImpersonationHeaders& headers);

// What the headers ask for; nothing about who may.
struct Impersonation {
  std::string user = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  Identity::Extra extra = {};

  bool is_empty() const { return user.empty() && uid.empty() && groups.empty() && extra.empty(); }
};
Impersonation read_impersonation(const ImpersonationHeaders& headers);

}  // namespace muster::server
