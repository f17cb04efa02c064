// The rules of who may do what, until RBAC objects are served: `system:masters` may do everything,
// the controllers do what controllers do, a node reads what it runs and writes about itself
// (node_may_write asks that again once the object is known), everybody may ask for health,
// version and, when known by name, for discovery. What no rule allows is denied.
//
//   const RuleAuthorizer authorizer;
//   ApiServer server(…, {.authorizer = &authorizer});
//   auto api = server.in_process(controller_identity());
//
// Assumes: it may be asked on any thread and keeps nothing of a question.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "objects/value.h"
#include "server/authorizer.h"
#include "server/request.h"

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

class RuleAuthorizer final : public Authorizer {
 public:
  bool allows(const Access& access) const override;
};

// Whether a node may change this object, as it is stored: only pods that are bound to it, and
// itself. Everybody who is no node may, as far as this goes.
bool node_may_write(const Access& access, objects::View stored);

}  // namespace muster::server
