// Who may do what: `system:masters` may do everything, a node what concerns it
// (server/node_access.h), everybody what roles give them (server/role_index.h). What no rule allows
// is denied.
//
//   RoleIndex roles;                                    // follows the store
//   const RoleAuthorizer authorizer(roles, &scope);
//   const RuleAuthorizer fixed;                         // the default roles, whatever the store
//   has
//
// Assumes: a RoleAuthorizer is asked on the thread of its index; a RuleAuthorizer on any.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "server/authorizer.h"
#include "server/node_access.h"
#include "server/request.h"
#include "server/role_index.h"

namespace muster::server {

inline constexpr std::string_view nodes_group = "system:nodes";
inline constexpr std::string_view authenticated_group = "system:authenticated";
inline constexpr std::string_view unauthenticated_group = "system:unauthenticated";
inline constexpr std::string_view anonymous_user = "system:anonymous";
inline constexpr std::string_view controller_user = "system:muster:controller";
inline constexpr std::string_view agent_user = "system:muster:agent";
inline constexpr std::string_view node_user_prefix = "system:node:";

// The people and parts that exist from the start.
Identity admin_identity();
Identity controller_identity();
// The agent of an embedded platform, which poses as all of its nodes.
Identity agent_identity();
Identity node_identity(std::string_view node_name);
Identity anonymous_identity();

class RoleAuthorizer final : public Authorizer {
 public:
  // Both outlive it. Without a scope every object is taken to concern every node.
  explicit RoleAuthorizer(const RoleIndex& roles, const NodeScope* scope = nullptr)
      : roles_(roles), scope_(scope) {}

  bool allows(const Access& access) const override;
  Verdict judge(const Access& access) const override;

 private:
  const RoleIndex& roles_;
  const NodeScope* scope_;
};

// The default roles alone, for who serves no roles: simulations, tests.
class RuleAuthorizer final : public Authorizer {
 public:
  bool allows(const Access& access) const override;
  Verdict judge(const Access& access) const override;
};

}  // namespace muster::server
