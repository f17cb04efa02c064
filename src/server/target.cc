// SPDX-License-Identifier: Apache-2.0
#include "server/target.h"

#include <fmt/format.h>

namespace muster::server {

using objects::FieldErrors;

std::string Target::api_version() const {
  return kind->group.empty() ? version->name : fmt::format("{}/{}", kind->group, version->name);
}

StatusResource Target::resource() const {
  return {.group = kind->group, .resource = kind->plural};
}

Failure not_found(const Target& target) {
  return failures::not_found(target.resource(), target.name);
}

Failure already_exists(const Target& target) {
  return failures::already_exists(target.resource(), target.name);
}

Failure conflict(const Target& target, std::string_view why) {
  return failures::conflict(target.resource(), target.name, why);
}

Failure stale(const Target& target) {
  return failures::modified(target.resource(), target.name);
}

Failure invalid(const Target& target, const FieldErrors& errors) {
  // The peer names the kind it keeps, also to a caller who knows it by another group.
  const objects::Kind& kind = target.kind->stored_kind();
  return failures::invalid(kind.group, kind.kind, target.name, errors);
}

Failure forbidden(const Target& target, std::string_view why) {
  return failures::forbidden(target.resource(), target.name, why);
}

}  // namespace muster::server
