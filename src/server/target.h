// Target: which object or collection a request is about, in which version of its kind; and the
// refusals that name it, in kube-apiserver's words.
//
//   return not_found(target);      // jobs.batch "train" not found
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "objects/kind_registry.h"
#include "server/outcome.h"

namespace muster::server {

struct Target {
  objects::KindRegistry::Found kind;
  const objects::KindVersion* version = nullptr;  // the one the caller speaks, of that kind
  std::string name_space = {};
  std::string name = {};
  std::string subresource = {};

  bool is_namespaced() const { return kind->scope == objects::Scope::namespaced; }
  bool is_status() const { return subresource == "status"; }
  bool is(std::string_view group, std::string_view plural) const {
    return kind->group == group && kind->plural == plural;
  }

  std::string api_version() const;

  StatusResource resource() const;
};

Failure not_found(const Target& target);
Failure already_exists(const Target& target);

// `Operation cannot be fulfilled on pods "a": <why>`
Failure conflict(const Target& target, std::string_view why);
Failure stale(const Target& target);

Failure invalid(const Target& target, const objects::FieldErrors& errors);
Failure forbidden(const Target& target, std::string_view why);

}  // namespace muster::server
