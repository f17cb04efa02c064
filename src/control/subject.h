// Subject: the object that a loop works on. The uid is part of it: the same name with another uid
// is another subject, and the old one is still looked after until nothing is left of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "objects/metadata.h"
#include "objects/resource.h"

namespace muster::control {

struct Subject {
  objects::Resource resource;
  objects::ObjectKey key;
  std::string uid = {};

  friend auto operator<=>(const Subject&, const Subject&) = default;
  friend bool operator==(const Subject&, const Subject&) = default;
};

// For tables that are only looked up: nothing may rely on their order.
struct SubjectHash {
  std::size_t operator()(const Subject& subject) const {
    const std::hash<std::string_view> hash;
    return hash(subject.uid) ^ (hash(subject.key.name) * 31 + subject.resource.plural.size());
  }
};

inline Subject subject_of(const objects::Resource& resource, objects::View object) {
  return {resource, objects::key_of(object), std::string(objects::uid_of(object))};
}

}  // namespace muster::control
