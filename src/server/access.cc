// SPDX-License-Identifier: Apache-2.0
#include "server/access.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/discovery.h"

namespace muster::server {

namespace {

// A namespace lies in itself, as far as roles go: whoever is admin in it may get it.
std::string_view namespace_for(const Target& target) {
  return target.is("", "namespaces") ? target.name : target.name_space;
}

Access access_of(const Target& target, std::string_view verb, const Identity& identity) {
  return {.identity = identity,
          .verb = verb,
          .group = target.kind->group,
          .resource = target.kind->plural,
          .subresource = target.subresource,
          .name_space = namespace_for(target),
          .name = target.name};
}

Failure denied(const Access& access, std::string_view reason) {
  if (access.resource.empty()) {
    return failures::denied_path(access.identity.name, access.verb, access.path, reason);
  }
  std::string resource(access.resource);
  if (!access.subresource.empty()) resource += fmt::format("/{}", access.subresource);
  return failures::denied({.user = access.identity.name,
                           .verb = access.verb,
                           .resource = {.group = access.group, .resource = resource},
                           .name = access.name,
                           .name_space = access.name_space,
                           .reason = reason});
}

}  // namespace

Outcome<> check_access(const Context& context, const Access& access) {
  if (context.authorizer.allows(access)) return {};
  return denied(access, context.authorizer.judge(access).reason);
}

Outcome<> check_access(const Context& context, const Target& target, std::string_view verb,
                       const Identity& identity) {
  return check_access(context, access_of(target, verb, identity));
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
