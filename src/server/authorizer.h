// Authorizer: may this identity do this? The server asks it once for every request, in process or
// not, before it looks at anything else. Whatever no rule allows is denied.
//
//   if (!authorizer.allows({.identity = who, .verb = "list", .resource = "pods"})) …   // 403
//
// Assumes: the house thread; the texts live as long as the call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "server/request.h"

namespace muster::server {

// What is asked for, in the words of RBAC. A request for no resource has a path instead.
struct Access {
  const Identity& identity;
  std::string_view verb;  // get, list, watch, create, update, patch, delete, deletecollection
  std::string_view group = {};
  std::string_view resource = {};
  std::string_view subresource = {};
  std::string_view name_space = {};
  std::string_view name = {};
  std::string_view path = {};            // "/version"; of non-resource requests alone
  std::string_view field_selector = {};  // of list and watch
};

// The answer in words. The reason says which binding allowed it, or what was wrong with the rules.
struct Verdict {
  bool allowed = false;
  std::string reason = {};
};

class Authorizer {
 public:
  virtual ~Authorizer() = default;
  virtual bool allows(const Access& access) const = 0;
  virtual Verdict judge(const Access& access) const { return {.allowed = allows(access)}; }
};

inline constexpr std::string_view masters_group = "system:masters";

inline bool is_in_group(const Identity& identity, std::string_view group) {
  return std::ranges::find(identity.groups, group) != identity.groups.end();
}

// The members of system:masters may do everything, and nobody else anything.
class MastersOnly final : public Authorizer {
 public:
  bool allows(const Access& access) const override {
    return is_in_group(access.identity, masters_group);
  }
};

}  // namespace muster::server
