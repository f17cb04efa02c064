// SPDX-License-Identifier: Apache-2.0
#include "server/access.h"

#include <algorithm>

#include "server/authorization.h"
#include "server/discovery.h"

namespace muster::server {

namespace {

Access access_of(const Target& target, std::string_view verb, const Identity& identity) {
  return {.identity = identity,
          .verb = verb,
          .group = target.kind->group,
          .resource = target.kind->plural,
          .subresource = target.subresource,
          .name_space = target.name_space,
          .name = target.name};
}

Failure denied(const Target& target, std::string_view verb, const Identity& identity) {
  std::string resource = target.kind->plural;
  if (!target.subresource.empty()) resource += "/" + target.subresource;
  return failures::denied({.user = identity.name,
                           .verb = verb,
                           .resource = {.group = target.kind->group, .resource = resource},
                           .name = target.name,
                           .name_space = target.name_space});
}

}  // namespace

Outcome<> check_access(const Context& context, const Target& target, std::string_view verb,
                       const Identity& identity) {
  if (context.authorizer.allows(access_of(target, verb, identity))) return {};
  return denied(target, verb, identity);
}

Outcome<> check_stored(const Target& target, std::string_view verb, const Identity& identity,
                       objects::View stored) {
  if (node_may_write(access_of(target, verb, identity), stored)) return {};
  return denied(target, verb, identity);
}

Outcome<> check_subresource(const Target& target, std::string_view verb) {
  if (target.subresource.empty()) return {};
  for (const Subresource& offered : subresources_of(*target.kind, *target.version)) {
    if (offered.name != target.subresource) continue;
    if (std::ranges::find(offered.verbs, verb) != offered.verbs.end()) return {};
    return failures::method_not_allowed();
  }
  return failures::unknown_resource();
}

}  // namespace muster::server
